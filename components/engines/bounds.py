"""Numbers that programs take as values of flags: an engine's module has a table of them, ``bounds``."""

import math
import re
from typing import NamedTuple

_WHOLE = r"[+-]?[0-9][0-9_]{0,30}"
_ANY = r"[+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,2})?"


class Bounds(NamedTuple):
    """The numbers that a flag takes. A share must be above ``least``; a whole number may equal it."""

    least: float = -math.inf
    most: float = math.inf
    is_whole: bool = True
    has_zero: bool = True

    def takes(self, text: str, suffixes: str = "") -> bool:
        """Whether a value is such a number. One with a suffix that the program reads (``8k``) is not compared."""
        if suffixes and re.fullmatch(rf"{_ANY}[{suffixes}]", text):
            return True
        if not re.fullmatch(_WHOLE if self.is_whole else _ANY, text):
            return False
        number = float(text)
        if not (number or self.has_zero):
            return False
        return (self.least <= number if self.is_whole else self.least < number) and number <= self.most

    def __str__(self) -> str:
        what = ("a whole number" if self.is_whole else "a number") + ("" if self.has_zero else " other than 0")
        least = "" if math.isinf(self.least) else f"{self.least:g}"
        most = "" if math.isinf(self.most) else f"{self.most:g}"
        if not self.is_whole:
            return f"{what} above {least} and up to {most}" if least and most else what
        return f"{what} from {least} to {most}" if most else f"{what}, {least} or more" if least else what


WHOLE = Bounds()
COUNT = Bounds(0)
POSITIVE = Bounds(1)
PORTS = Bounds(1, 65535)
SHARE = Bounds(0, 1, is_whole=False)
