{{/*
What is set for all pods, at the top of the values, and for one kind, under api,
worker or migration: lists follow each other, maps are merged, and of single values the kind's wins.
*/}}
{{- define "edgeposture.settings" -}}
{{- $all := .root.Values -}}
{{- $own := index $all (get (dict "migrate" "migration") .role | default .role) | default dict -}}
{{- $out := dict -}}
{{- range list "podLabels" "podAnnotations" "podSecurityContext" "containerSecurityContext" "nodeSelector" "affinity" -}}
{{- $_ := set $out . (mergeOverwrite dict (get $all . | deepCopy) (get $own . | default dict)) -}}
{{- end -}}
{{- range list "extraEnv" "extraEnvFrom" "extraVolumes" "extraVolumeMounts" "initContainers" "sidecars" "tolerations" -}}
{{- if or (ne $.role "test") (eq . "tolerations") -}}
{{- $_ := set $out . (concat (get $all .) (get $own . | default list)) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $out "priorityClassName" (get $own "priorityClassName" | default $all.priorityClassName) -}}
{{- $_ := set $out "resources" ($own.resources | default $all.migration.resources) -}}
{{- toYaml $out -}}
{{- end -}}

{{/* The pod of api, worker, migrate or test. Takes (dict "root" $ "component" "api" "role" "api"). */}}
{{- define "edgeposture.pod" -}}
{{- include "edgeposture.made" .root -}}
{{- $root := .root -}}
{{- $role := .role -}}
{{- $set := include "edgeposture.settings" . | fromYaml -}}
{{- $stays := has $role (list "api" "worker") -}}
{{- $annotations := $set.podAnnotations -}}
{{- if $stays -}}
{{- /* Pods start anew when a value of the release's own Secret changes. */ -}}
{{- $_ := set $annotations "checksum/secret" (toJson $root.Values._made.own | sha256sum) -}}
{{- end -}}
metadata:
  labels: {{- merge (include "edgeposture.labels" . | fromYaml) $set.podLabels | toYaml | nindent 4 }}
  {{- with $annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- if $stays }}
  serviceAccountName: {{ include "edgeposture.serviceAccount" $root }}
  # A process hands its jobs back within 24 s.
  terminationGracePeriodSeconds: 40
  {{- if $root.Values.topologySpread.enabled }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: {{ $root.Values.topologySpread.topologyKey }}
      whenUnsatisfiable: {{ $root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels: {{- include "edgeposture.selector" $ | nindent 10 }}
  {{- end }}
  {{- else }}
  restartPolicy: {{ eq $role "migrate" | ternary "OnFailure" "Never" }}
  {{- end }}
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext: {{- toYaml $set.podSecurityContext | nindent 4 }}
  {{- range $key := list "priorityClassName" "nodeSelector" "tolerations" "affinity" }}
  {{- with get $set $key }}
  {{ $key }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- with $set.initContainers }}
  initContainers: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if or $stays $set.extraVolumes }}
  volumes:
    {{- if $stays }}
    - name: data
      {{- if include "edgeposture.dataClaim" $root }}
      persistentVolumeClaim: {claimName: {{ include "edgeposture.dataClaim" $root | quote }}}
      {{- else }}
      emptyDir: {sizeLimit: 2Gi}
      {{- end }}
    - name: tmp
      emptyDir: {sizeLimit: 256Mi}
    {{- end }}
    {{- with $set.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
  containers:
    - name: {{ $role }}
      image: {{ include "edgeposture.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      command: ["/usr/local/bin/edgeposture"]
      args: {{ get (dict "api" (list "serve") "worker" (list "worker") "migrate" (list "migrate") "test" (list "serve" "health")) $role | toJson }}
      env:
        {{- if $stays }}
        - {name: DATA_DIR, value: /data}
        {{- if eq $role "api" }}
        - {name: HOST, value: "0.0.0.0"}
        - {name: PORT, value: "8080"}
        {{- else }}
        - {name: SERVICE_WORKER_CONCURRENCY, value: {{ $root.Values.worker.concurrency | quote }}}
        {{- end }}
        {{- if $root.Values.metrics.enabled }}
        - {name: METRICS_ADDR, value: {{ printf "0.0.0.0:%d" (int $root.Values.metrics.port) | quote }}}
        # Who reaches the port is decided by the network policy.
        - {name: METRICS_TRUSTED, value: "true"}
        {{- end }}
        {{- range $variable, $value := $root.Values.config }}
        {{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = int64 $value }}{{ end }}
        - {name: {{ $variable }}, value: {{ $value | quote }}}
        {{- end }}
        {{- else if eq $role "test" }}
        - {name: HOST, value: {{ include "edgeposture.fullname" $root | quote }}}
        - {name: PORT, value: {{ $root.Values.service.port | quote }}}
        {{- end }}
        {{- include "edgeposture.secretEnv" . | nindent 8 }}
        {{- with $set.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $set.extraEnvFrom }}
      envFrom: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if $stays }}
      {{- if or (eq $role "api") $root.Values.metrics.enabled }}
      ports:
        {{- if eq $role "api" }}
        - {name: http, containerPort: 8080, protocol: TCP}
        {{- end }}
        {{- if $root.Values.metrics.enabled }}
        - {name: metrics, containerPort: {{ $root.Values.metrics.port }}, protocol: TCP}
        {{- end }}
      {{- end }}
      {{- if eq $role "api" }}
      # A start may wait up to five minutes for another's migration.
      startupProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 2, failureThreshold: 180}
      livenessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
      readinessProbe: {httpGet: {path: /readyz, port: http}, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2}
      # Requests still come until every node knows that the pod is going.
      lifecycle: {preStop: {sleep: {seconds: 5}}}
      {{- else }}
      # No liveness: a worker that hangs loses its leases to the others, and none
      # should start anew because Redis is away. Readiness is for rollouts.
      readinessProbe: {exec: {command: ["/usr/local/bin/edgeposture", "worker", "health"]}, initialDelaySeconds: 5, periodSeconds: 20, timeoutSeconds: 10, failureThreshold: 3}
      {{- end }}
      {{- end }}
      {{- if or $stays $set.extraVolumeMounts }}
      volumeMounts:
        {{- if $stays }}
        - {name: data, mountPath: /data}
        - {name: tmp, mountPath: /tmp}
        {{- end }}
        {{- with $set.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      resources: {{- toYaml $set.resources | nindent 8 }}
      securityContext: {{- toYaml $set.containerSecurityContext | nindent 8 }}
    {{- if $stays }}
    {{- with $set.sidecars }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- end }}
{{- end -}}
