# ruff: noqa
# fmt: off
"""Loose comparison of rendered objects with a golden expected.yaml.

usage: compare.py GOLDEN_expected.yaml RENDERED.yaml      (exit 0 = equal)
       or import diff_docs(golden_docs, rendered_docs) -> list of differences
"""
import re
import sys
from decimal import Decimal

import yaml

HASH = "llmkube.ai/desired-template-hash"
SUFFIX = {"": 1, "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "k": 10**3, "M": 10**6, "G": 10**9,
          "T": 10**12, "P": 10**15, "E": 10**18, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
QTY_PARENTS = {"limits", "requests"}
QTY_KEYS = {"averageValue", "divisor", "sizeLimit"}
UNORDERED = {"volumes": "name", "volumeMounts": "mountPath", "tolerations": None, "imagePullSecrets": "name"}


def quantity(v):
    m = re.fullmatch(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)", str(v))
    if not m or m.group(2) not in SUFFIX:
        return v
    return str((Decimal(m.group(1)) * SUFFIX[m.group(2)]).normalize())


def norm(o, key=None, parent=None):
    if isinstance(o, dict):
        out = {}
        for k, v in o.items():
            if k == HASH:
                continue
            v = norm(v, k, key)
            if v is None or v == {} or v == [] or (key == "target" and k == "type" and v == ""):
                if not (k in ("emptyDir",) and v == {}):
                    continue
            out[k] = v
        if key == "initContainers[]" and out.get("command", [])[:2] == ["sh", "-c"]:
            out["command"] = ["sh", "-c", "<script>"]
        if key in ("env[]",) and out.get("value") == "":
            del out["value"]
        return out
    if isinstance(o, list):
        items = [norm(x, (key or "") + "[]", parent) for x in o]
        if key in UNORDERED:
            items.sort(key=lambda x: repr(sorted(x.items())))
        return items
    if (parent in QTY_PARENTS or key in QTY_PARENTS or key in QTY_KEYS) and o is not None:
        return quantity(o)
    return o


def fix_qty(o):
    if isinstance(o, dict):
        return {k: ({a: quantity(b) for a, b in v.items()} if k in QTY_PARENTS and isinstance(v, dict) else fix_qty(v))
                for k, v in o.items()}
    if isinstance(o, list):
        return [fix_qty(x) for x in o]
    return o


def prepare(docs):
    out = {}
    for d in docs:
        if not d:
            continue
        d = {k: v for k, v in d.items() if k != "status"}
        d["metadata"] = {k: v for k, v in d["metadata"].items() if k in ("name", "namespace", "labels", "annotations")}
        out[(d["kind"], d["metadata"].get("namespace"), d["metadata"]["name"])] = norm(fix_qty(d))
    return out


def walk(a, b, path, res):
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted(set(a) | set(b)):
            if k not in a:
                res.append(f"{path}.{k}: unexpected {b[k]!r}")
            elif k not in b:
                res.append(f"{path}.{k}: missing, want {a[k]!r}")
            else:
                walk(a[k], b[k], f"{path}.{k}", res)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            walk(x, y, f"{path}[{i}]", res)
    elif a != b:
        res.append(f"{path}: want {a!r} got {b!r}")


def diff_docs(golden, rendered):
    g, r, res = prepare(golden), prepare(rendered), []
    for k in sorted(set(g) | set(r), key=str):
        name = "/".join(str(x) for x in k)
        if k not in r:
            res.append(f"{name}: object missing")
        elif k not in g:
            res.append(f"{name}: unexpected object")
        else:
            walk(g[k], r[k], name, res)
    return res


if __name__ == "__main__":
    with open(sys.argv[1]) as f, open(sys.argv[2]) as g:
        d = diff_docs(list(yaml.safe_load_all(f)), list(yaml.safe_load_all(g)))
    print("\n".join(d) or "equal")
    sys.exit(bool(d))
