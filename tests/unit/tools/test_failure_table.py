"""The table of failures. That `up` says so is for the tests with a real node."""

from tools.failure_table import failures, with_failures


def test_a_page_gets_a_row_for_each_failure() -> None:
    page = with_failures("before\n<!-- failures -->\nold\n<!-- end -->\nafter\n")

    assert "old" not in page
    assert page.count("\n| ") == len(failures()) + 1
    assert "| a variable from a Secret that is not there | `CreateContainerConfigError: pod …: container " in page
    assert page.endswith("<!-- end -->\nafter\n")
