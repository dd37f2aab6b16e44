{{- define "kawaraban.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "kawaraban.selector" -}}
app.kubernetes.io/name: kawaraban
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kawaraban.labels" -}}
{{ include "kawaraban.selector" . }}
app.kubernetes.io/part-of: kawaraban
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "kawaraban.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "kawaraban.name" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "kawaraban.configMap" -}}
{{- .Values.existingConfigMap | default (include "kawaraban.name" .) -}}
{{- end -}}

{{/* The pod of a component. Takes the root, the name of the component, the name of its role and its settings. */}}
{{- define "kawaraban.pod" -}}
{{- $root := .root -}}
{{- $secret := $root.Values.secrets.existingSecret -}}
{{- $single := eq .component "newsroom" -}}
metadata:
  labels:
    {{- include "kawaraban.selector" $root | nindent 4 }}
    app.kubernetes.io/part-of: kawaraban
    app.kubernetes.io/component: {{ .component }}
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "8080"
    # A change of the configuration restarts the replicas.
    checksum/configuration: {{ include (print $root.Template.BasePath "/configuration.yaml") $root | sha256sum }}
    {{- with $root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "kawaraban.serviceAccount" $root }}
  automountServiceAccountToken: false
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  # The sum of the preStop wait, server.stop_within, timelines.stream.drain and a reserve.
  terminationGracePeriodSeconds: {{ $single | ternary 40 60 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile:
      type: RuntimeDefault
  {{- with $root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if not .storage }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "kawaraban.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ .component }}
  {{- end }}
  containers:
    - name: kawaraban
      image: {{ printf "%s:%s" $root.Values.image.repository ($root.Values.image.tag | default $root.Chart.AppVersion) }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [start{{ if .role }}, --role, {{ .role }}{{ end }}]
      {{- if not $single }}
      env:
        - name: KAWARABAN_GRPC_HOST
          value: 0.0.0.0
        {{- if and $root.Values.people.enabled (ne .component "people") }}
        - name: KAWARABAN_USER_SERVICE
          value: {{ include "kawaraban.name" $root }}-people:50051
        - name: KAWARABAN_POST_SERVICE
          value: {{ include "kawaraban.name" $root }}-people:50051
        {{- end }}
        - name: KAWARABAN_SERVICE_TOKEN_FILE
          value: /run/secrets/kawaraban/service-token
      {{- end }}
      envFrom:
        - configMapRef:
            name: {{ include "kawaraban.name" $root }}-environment
            optional: true
      ports:
        - name: http
          containerPort: 8080
        {{- if eq .role "timeline" }}
        - name: grpc
          containerPort: 50051
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 2
        # A start waits up to two minutes for an unavailable user service.
        failureThreshold: {{ $single | ternary 45 75 }}
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 15
        timeoutSeconds: 5
        failureThreshold: 4
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        {{- if $single }}
        periodSeconds: 10
        timeoutSeconds: 5
        {{- else }}
        periodSeconds: 20
        timeoutSeconds: 10
        failureThreshold: 2
        {{- end }}
      {{- if not $single }}
      lifecycle:
        preStop:
          # Endpoints are removed while this waits, so that no client is routed to a stopping replica.
          exec:
            command: [node, -e, "setTimeout(() => {}, 5000)"]
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - { name: config, mountPath: /etc/kawaraban, readOnly: true }
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- if $secret }}
        - { name: secrets, mountPath: /run/secrets/kawaraban, readOnly: true }
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "kawaraban.configMap" $root }}
    {{- if not .storage }}
    - name: data
      emptyDir: { sizeLimit: 256Mi }
    {{- end }}
    - name: tmp
      emptyDir: { sizeLimit: 256Mi }
    {{- if $secret }}
    - name: secrets
      secret:
        secretName: {{ $secret }}
        # 0440 in octal, which YAML 1.2 would read as decimal.
        defaultMode: 288
    {{- end }}
{{- end -}}

{{/* One replica with a volume of its own. Takes what the pod takes, and the access mode of the volume. */}}
{{- define "kawaraban.statefulSet" -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "kawaraban.name" .root }}-{{ .component }}
  labels:
    {{- include "kawaraban.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  serviceName: {{ include "kawaraban.name" .root }}-{{ .component }}
  # A data folder belongs to one process.
  replicas: 1
  selector:
    matchLabels:
      {{- include "kawaraban.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    {{- include "kawaraban.pod" . | nindent 4 }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [{{ .accessMode }}]
        {{- with .storage.className }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests: { storage: {{ .storage.size }} }
{{- end -}}
