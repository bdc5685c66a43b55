{{- define "bench.picker" -}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .epp }}, namespace: {{ .namespace }}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .epp }}-config, namespace: {{ .namespace }}}
data:
  pd-config.yaml: |
    apiVersion: inference.networking.x-k8s.io/v1alpha1
    kind: EndpointPickerConfig
    plugins: [{type: prefill-filter}, {type: decode-filter}, {type: queue-scorer}, {type: max-score-picker}]
    schedulingProfiles:
    - {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: queue-scorer, weight: 1}]}
    - {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: queue-scorer, weight: 1}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .epp }}, namespace: {{ .namespace }}}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get, watch, list]}
- {apiGroups: [inference.networking.k8s.io], resources: [inferencepools], verbs: [get, watch, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: {{ .epp }}, namespace: {{ .namespace }}}
subjects: [{kind: ServiceAccount, name: {{ .epp }}, namespace: {{ .namespace }}}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .epp }}}
---
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: {{ .name }}, namespace: {{ .namespace }}}
spec:
  targetPorts: [{number: 8000}]
  selector: {matchLabels: {app.kubernetes.io/name: {{ .name }}}}
  endpointPickerRef: {name: {{ .epp }}, kind: Service, port: {number: 9002}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: {{ .name }}, namespace: {{ .namespace }}}
spec:
  parentRefs: [{name: llm-d-infra-inference-gateway, namespace: llm-d}]
  rules:
  - matches: [{path: {type: PathPrefix, value: /}, headers: [{name: OtterScale-Model-Name, value: {{ .name }}}]}]
    backendRefs: [{group: inference.networking.k8s.io, kind: InferencePool, name: {{ .name }}}]
{{- end }}
