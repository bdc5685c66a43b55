"""Filling in templates. Not proved: that Go would write the same for what is refused here."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.kserve.templates import TemplateError, evaluate, fill

_KV = (
    '{"kv_connector":"OffloadingConnector","kv_connector_extra_config":'
    '{"cpu_bytes_to_use":1024,"eviction_policy":"lru","spec_name":"TieringOffloadingSpec"},"kv_role":"kv_both"}'
)
KV = "--kv-transfer-config '" + _KV.replace('"', '\\"') + "'"
CONTEXT = {
    "ObjectMeta": {"name": "chat", "namespace": "models"},
    "Spec": {
        "model": {"name": "org/m"},
        "parallelism": {"tensor": 2, "dataRPCPort": 5555},
        "prefill": {},
        "template": {"terminationGracePeriodSeconds": 120},
        "kvCacheOffloading": {"cpu": "1Ki"},
    },
    "GlobalConfig": {"EnableTLS": True, "Off": False, "Empty": ""},
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain {not} a template", "plain {not} a template"),
        ("{{ .ObjectMeta.Name }}", "chat"),
        ("{{.ObjectMeta.Namespace}}/{{ .ObjectMeta.Name }}", "models/chat"),
        ("--tensor {{ .Spec.Parallelism.Tensor }}", "--tensor 2"),
        ("{{ .Spec.Parallelism.DataRPCPort }}", "5555"),
        ("{{ .GlobalConfig.EnableTLS }}", "true"),
        ("{{ ChildName .ObjectMeta.Name `-epp-sa` }}", "chat-epp-sa"),
        ('{{ ChildName "a" "-b" }}', "a-b"),
        ("{{ or .Spec.Parallelism.Data 1 }}", "1"),
        ("{{ or .Spec.Parallelism.Tensor 1 }}", "2"),
        ("{{ or .GlobalConfig.Empty .Spec.Model.Name }}", "org/m"),
        ("{{ if or .GlobalConfig.Off .Spec.Model }}a{{ end }}", "a"),
        ("{{ if and .Spec.Parallelism .Spec.Parallelism.Tensor }}a{{ end }}", "a"),
        ("{{ if and .Spec.Prefill .Spec.Prefill.Parallelism }}a{{ else }}b{{ end }}", "b"),
        ("{{ and .Spec.Model .Spec.Parallelism.Tensor }}", "2"),
        ("{{ shutdownTimeout nil 15 }}", "40"),
        ("{{ shutdownTimeout .Spec.Template 15 }}", "100"),
        ("{{ shutdownTimeout .Spec.Worker 30 }}", "25"),
        ("{{ kvTransferConfig .Spec.KVCacheOffloading }}", KV),
        ("{{ kvTransferConfig .Spec.Missing }}", ""),
        ("{{ if .GlobalConfig.EnableTLS }}HTTPS{{ else }}HTTP{{ end }}", "HTTPS"),
        ("{{ if .GlobalConfig.Off }}HTTPS{{ else }}HTTP{{ end }}", "HTTP"),
        ("{{ if .GlobalConfig.Empty }}yes{{ end }}", ""),
        ("{{ if .Spec.Parallelism.Pipeline }}a{{ end }}b", "b"),
        ("{{ if .Spec.Prefill }}a{{ else }}b{{ end }}", "b"),
        ("{{ if .Spec.Model }}{{ if .GlobalConfig.Off }}x{{ else }}{{ .Spec.Model.Name }}{{ end }}{{ end }}", "org/m"),
        ("a  {{- if .Spec.Model }} b {{- end }}  c", "a b  c"),
        ("a {{ .ObjectMeta.Name -}}   b", "a chatb"),
        ("{{ index .ObjectMeta `name` }}{{ if index .Spec `no` `such` }}x{{ end }}", "chat"),
        ('{{ if eq .ObjectMeta.Name "a" "chat" }}a{{ end }}{{ if ne .ObjectMeta.Name "chat" }}b{{ end }}', "a"),
        ("{{ if not .GlobalConfig.Off }}a{{ end }}", "a"),
        ('{{ printf "%s-%d-%v" .ObjectMeta.Name 2 .GlobalConfig.EnableTLS }}', "chat-2-true"),
        ("a {{- /* not written */ -}} b", "ab"),
    ],
)
def test_fill(text: str, wanted: str) -> None:
    assert fill(text, CONTEXT) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ .Spec.Parallelism.Pipeline }}", "has no value here"),
        ("{{ .Spec.Model }}", "is not a text or number"),
        ("{{ .Values.x }}", "is not evaluated here"),
        ("{{ printf `%99999999s` .ObjectMeta.Name }}", "printf does not take these arguments"),
        ("{{ printf `%s` }}", "printf does not take these arguments"),
        ("{{ index .ObjectMeta.Name 9 }}", "index does not take these arguments"),
        ("{{ .ObjectMeta.Name | upper }}", "is not evaluated here"),
        ("{{ range .Spec.Model }}{{ end }}", "is not evaluated here"),
        ("{{ len .Spec.Model }}", "is not evaluated here"),
        ("{{ }}", "is not evaluated here"),
        ("{{ ChildName .ObjectMeta.Name }}", "ChildName does not take these arguments"),
        ("{{ ChildName .Spec.Model `-x` }}", "ChildName does not take these arguments"),
        ("{{ ChildName }}", "ChildName does not take these arguments"),
        ("{{ shutdownTimeout .Spec.Template `a` }}", "shutdownTimeout does not take these arguments"),
        ("{{ kvTransferConfig .ObjectMeta.Name }}", "kvTransferConfig does not take these arguments"),
        ("{{ kvTransferConfig .Spec.Model }}", "kvTransferConfig does not take these arguments"),
        ("{{ or }}", "or does not take these arguments"),
        ("{{ if .Spec.Model }}", "has no end"),
        ("{{ if .Spec.Model }}{{ else }}{{ else }}{{ end }}", "has no end"),
        ("{{ end }}", "without an if before it"),
        ("{{ else }}", "without an if before it"),
        ("{{ .ObjectMeta.Name", "without }}"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        fill(text, CONTEXT)


def test_evaluate_fills_in_all_texts_and_drops_emptied_items() -> None:
    problems: list[Any] = []
    value = {
        "command": ["/app", "{{ if .GlobalConfig.Off }}--tls{{ end }}", "", "{{ .ObjectMeta.Name }}"],
        "image": "{{ .Spec.Model.Name }}:1",
        "port": 8000,
    }
    assert evaluate(value, CONTEXT, problems) == {"command": ["/app", "", "chat"], "image": "org/m:1", "port": 8000}
    assert problems == []


def test_problems_have_their_paths() -> None:
    problems: list[Any] = []
    evaluate({"a": [{"b": "{{ nope }}"}], "c": "{{ .Spec.X }}"}, CONTEXT, problems, "spec")
    assert [(problem.path, problem.code) for problem in problems] == [
        ("spec.a[0].b", "template"),
        ("spec.c", "template"),
    ]
