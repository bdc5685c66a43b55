"""Places where data doesn't fit a model, for callers that check what remains when these are replaced."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from .model import ADVISED, Place, details_of, meant_field, path_of, place_of
from .values import field_path


class Fault(NamedTuple):
    """A place where data doesn't fit a model. ``choices`` are the texts that the field accepts, if it accepts no
    others. ``meant`` is the known field that an unknown one resembles."""

    place: Place
    path: str
    is_unknown: bool
    choices: tuple[str, ...] = ()
    meant: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the unknown field and of the one that was meant; otherwise only the path of the fault."""
        return (self.path, field_path(self.path.rpartition(".")[0], self.meant)) if self.meant else (self.path,)


def faults(model: type[BaseModel], data: Any) -> list[Fault]:
    """Every place where data doesn't fit a model, once. Faults within another fault are not listed."""
    try:
        model.model_validate(data)
    except ValidationError as error:
        details = details_of(model, error)
    else:
        return []
    found = {place_of(model, detail["loc"]): detail for detail in reversed(details)}
    outer = [place for place in found if not any(place[:length] in found for length in range(len(place)))]
    return [_fault(model, place, found[place], with_advice=len(outer) <= ADVISED) for place in reversed(outer)]


def _fault(model: type[BaseModel], place: Place, detail: Mapping[str, Any], *, with_advice: bool) -> Fault:
    is_unknown = detail["type"] == "extra_forbidden"
    meant = meant_field(model, detail["loc"]) if is_unknown and with_advice else None
    expected = str(detail.get("ctx", {}).get("expected", "")) if detail["type"] == "literal_error" else ""
    return Fault(
        place, path_of(model, detail["loc"]), is_unknown, tuple(re.findall("'([^']*)'", expected)), meant or ""
    )
