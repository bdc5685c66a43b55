"""Where a manifest says what one of its rendered objects has."""

from ..kubernetes.model import dump
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.values import texts


def place_of(record: RenderedObject, wanted: str) -> str:
    """The manifest's field with a text; the object's where a setting or another manifest has it."""
    return next((path for path, text in texts(dump(record.source.manifest)) if text == wanted), record.field)


def place_of_flag(record: RenderedObject, flag: str) -> str:
    """The argument that names a flag, with or without its value, however it is spelled; as above where there is
    none."""
    written = texts(dump(record.source.manifest))
    return next((path for path, text in written if text[:1] == "-" and _name(text) == _name(flag)), record.field)


def _name(flag: str) -> str:
    """``--pool-name``, ``--poolName=x`` and ``-pool-name`` are one flag."""
    return flag.partition("=")[0].replace("-", "").lower()
