{{- define "bench.labels" -}}
app: {{ .name }}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/component: {{ .kind }}
{{- end }}
{{- define "bench.probes" -}}
startupProbe: {httpGet: {path: /health, port: {{ .port }}}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 180}
livenessProbe: {httpGet: {path: /health, port: {{ .port }}}, periodSeconds: 15, timeoutSeconds: 5, failureThreshold: 3}
readinessProbe: {httpGet: {path: /health, port: {{ .port }}}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
{{- end }}
{{- define "bench.security" -}}
securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
{{- end }}
{{- define "bench.deployment" -}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels: {{- include "bench.labels" . | nindent 4 }}
spec:
  replicas: 1
  selector: {matchLabels: {app: {{ .name }}}}
  template:
    metadata:
      labels: {{- include "bench.labels" . | nindent 8 }}
    spec:
      priorityClassName: llmkube-normal
      securityContext: {fsGroup: 102, seccompProfile: {type: RuntimeDefault}}
      {{- with .init }}
      initContainers: {{- toYaml . | nindent 6 }}
      {{- end }}
      containers:
      - name: server
        image: {{ .image }}
        args: {{- toYaml .args | nindent 8 }}
        ports: [{name: http, containerPort: {{ .port }}, protocol: TCP}]
        {{- include "bench.probes" . | nindent 8 }}
        {{- include "bench.security" . | nindent 8 }}
        {{- if .gpus }}
        resources: {limits: {nvidia.com/gpu: {{ .gpus | quote }}}}
        {{- end }}
        volumeMounts: [{name: model, mountPath: /models, readOnly: true}]
      {{- if .gpus }}
      tolerations: [{key: nvidia.com/gpu, operator: Equal, value: present, effect: NoSchedule}]
      {{- end }}
      volumes: {{- toYaml .volumes | nindent 6 }}
{{- end }}
{{- define "bench.service" -}}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels: {{- include "bench.labels" . | nindent 4 }}
spec:
  type: ClusterIP
  selector: {app: {{ .name }}}
  ports: [{name: http, port: {{ .port }}, targetPort: {{ .port }}, protocol: TCP}]
{{- end }}
