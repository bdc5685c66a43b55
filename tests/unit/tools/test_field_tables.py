"""Tables of fields in docs/. That the pages have the current ones is checked by `make verify`."""

from tools.field_tables import fields, with_fields


def rows(module: str, name: str) -> dict[str, list[str]]:
    lines = fields(module, name).splitlines()
    assert lines[:2] == ["| field | value | meaning |", "|---|---|---|"]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]
    return {field.strip("` "): rest for field, *rest in cells}


def test_every_field_down_to_those_of_kubernetes():
    found = rows("families.otterscale.spec", "ModelServiceSpec")
    assert found["model.name"] == ["text", "Name under which the engine serves the model."]
    assert found["accelerator.type"][0] == "`nvidia`, `amd`, `intel-gaudi`, `google`, `cpu`"
    assert found["decode.resources"][0] == "Kubernetes' ResourceRequirements"
    assert found["engine.env"][0] == "list of Kubernetes' EnvVar"
    assert not [field for field in found if field.startswith(("decode.resources.", "engine.env."))]


def test_a_definition_is_spelled_out_once():
    found = rows("families.otterscale.spec", "ModelServiceSpec")
    assert found["prefill"][0] == "as `decode`"
    assert "prefill.replicas" not in found
    assert rows("families.kserve.spec", "ServiceSpec")["prefill"][0] == "fields of the same names as above"


def test_a_page_keeps_what_stands_around_its_tables():
    page = "a\n<!-- fields: families.otterscale.spec GatewayRef -->\nold\n<!-- end -->\nb\n"
    made = with_fields(page)
    assert made.startswith("a\n<!-- fields: families.otterscale.spec GatewayRef -->\n| field |")
    assert made.endswith("|\n<!-- end -->\nb\n") and "old" not in made
    assert with_fields(made) == made
