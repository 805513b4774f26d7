{{/* The name of every object: the release, with "helmdeck" in it. */}}
{{- define "helmdeck.name" -}}
{{- if contains "helmdeck" .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-helmdeck" .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "helmdeck.selector" -}}
app.kubernetes.io/name: helmdeck
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "helmdeck.labels" -}}
{{ include "helmdeck.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Whether pods are stateless. Fails for values that would start a pod without its database or its secrets. */}}
{{- define "helmdeck.isServer" -}}
{{- if not (has .Values.database.kind (list "sqlite" "server")) -}}
{{- fail "database.kind must be sqlite or server" -}}
{{- end -}}
{{- if not .Values.existingSecret -}}
{{- fail "existingSecret must name the Secret with the keys: see the README of the chart" -}}
{{- end -}}
{{- range $name, $_ := .Values.settings -}}
{{- if or (eq $name "HELMDECK_DB") (has $name $.Values.secretEntries) -}}
{{- fail (printf "settings.%s: put it into the Secret, or set database.kind" $name) -}}
{{- end -}}
{{- end -}}
{{- if eq .Values.database.kind "server" -}}true{{- end -}}
{{- end -}}

{{/* The spec of a pod. Secrets are files: the environment of a process is inherited and shown more easily. */}}
{{- define "helmdeck.podSpec" -}}
{{- $isServer := eq (include "helmdeck.isServer" .) "true" -}}
enableServiceLinks: false
automountServiceAccountToken: false
terminationGracePeriodSeconds: 40
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if $isServer }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "helmdeck.selector" . | nindent 8 }}
{{- end }}
containers:
  - name: helmdeck
    image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    ports:
      - name: http
        containerPort: 3000
    env:
      {{- range .Values.secretEntries }}
      - name: {{ . }}_FILE
        value: /run/secrets/helmdeck/{{ . }}
      {{- end }}
      {{- if $isServer }}
      - name: HELMDECK_DB_FILE
        value: /run/secrets/helmdeck/HELMDECK_DB
      {{- else }}
      - name: HELMDECK_DB
        value: /data/helmdeck.db
      {{- end }}
      {{- if and .Values.ingress.enabled (not (hasKey .Values.settings "HELMDECK_PUBLIC_URL")) }}
      - name: HELMDECK_PUBLIC_URL
        value: {{ printf "https://%s" .Values.ingress.host | quote }}
      {{- end }}
      {{- range $name, $value := .Values.settings }}
      - name: {{ $name }}
        {{- /* Helm reads numbers as floats, which print as 1e+09. */}}
        {{- $isWhole := and (kindIs "float64" $value) (eq (floor $value) $value) }}
        value: {{ $isWhole | ternary ($value | int64 | toString) ($value | toString) | quote }}
      {{- end }}
    securityContext:
      readOnlyRootFilesystem: true
      allowPrivilegeEscalation: false
      capabilities:
        drop: ["ALL"]
    startupProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 2
      failureThreshold: {{ div (int .Values.probes.startupSeconds) 2 }}
    # Alive is not ready: a database that is away must not restart the pod.
    livenessProbe:
      httpGet: { path: /healthz, port: http }
      periodSeconds: 10
      timeoutSeconds: {{ .Values.probes.timeoutSeconds }}
    readinessProbe:
      httpGet: { path: /readyz, port: http }
      periodSeconds: 5
      timeoutSeconds: {{ .Values.probes.timeoutSeconds }}
    lifecycle:
      preStop:
        # An idle server ends at once after SIGTERM: wait until every proxy has learned that this pod is going.
        exec: { command: ["sleep", "5"] }
    resources:
      {{- toYaml .Values.resources | nindent 6 }}
    volumeMounts:
      - { name: data, mountPath: /data }
      - { name: tmp, mountPath: /tmp }
      - { name: secrets, mountPath: /run/secrets/helmdeck, readOnly: true }
volumes:
  {{- if $isServer }}
  # Nothing that must last.
  - name: data
    emptyDir: { sizeLimit: 2Gi }
  {{- end }}
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
  - name: secrets
    secret: { secretName: {{ .Values.existingSecret }}, defaultMode: 0440 }
{{- end -}}
