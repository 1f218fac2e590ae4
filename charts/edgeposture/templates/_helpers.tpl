{{- define "edgeposture.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 48 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change, for selectors. Takes (dict "root" $ "component" "api"). */}}
{{- define "edgeposture.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "edgeposture.labels" -}}
{{- $own := include "edgeposture.selector" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") -}}
{{- merge $own .root.Values.commonLabels | toYaml -}}
{{- end -}}

{{- define "edgeposture.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "edgeposture.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "edgeposture.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{- define "edgeposture.dataClaim" -}}
{{- if .Values.data.existingClaim -}}
{{ .Values.data.existingClaim }}
{{- else if .Values.data.create -}}
{{ include "edgeposture.fullname" . }}-data
{{- end -}}
{{- end -}}

{{/* What cannot work is refused before anything is made. */}}
{{- define "edgeposture.check" -}}
{{- $s := .Values.secrets -}}
{{- range $store, $variable := dict "postgresql" "DATABASE_URL" "redis" "REDIS_URL" -}}
{{- $given := or (get $s.values $variable) (get $s.from $variable) -}}
{{- $bundled := (get $.Values $store).bundled -}}
{{- if and $bundled $given -}}
{{- fail (printf "%s is set for a store of your own and %s.bundled is true; set %s.bundled to false, or leave %s to the chart" $variable $store $store $variable) -}}
{{- end -}}
{{- if not (or $bundled $given $s.existingSecret) -}}
{{- fail (printf "%s.bundled is false and nothing tells %s; set secrets.existingSecret, secrets.from.%s or secrets.values.%s" $store $variable $variable $variable) -}}
{{- end -}}
{{- end -}}
{{- if and (gt (int .Values.api.replicas) 1) (not (include "edgeposture.dataClaim" .)) -}}
{{- fail "api.replicas is above 1 and the replicas share no data, so each would answer with other settings; set data.existingClaim or data.create" -}}
{{- end -}}
{{- $a := .Values.autoscaling -}}
{{- if ne $a.kind "none" -}}
{{- if gt (int $a.minReplicas) (int $a.maxReplicas) -}}
{{- fail "autoscaling.minReplicas is above autoscaling.maxReplicas; lower the one or raise the other" -}}
{{- end -}}
{{- end -}}
{{- if and (eq $a.kind "hpa") (eq $a.hpa.metric "external") (not $a.hpa.external.name) -}}
{{- fail "autoscaling.hpa.metric is external and autoscaling.hpa.external.name is empty; name the metric" -}}
{{- end -}}
{{- if eq $a.kind "keda" -}}
{{- if and (eq $a.keda.trigger "redis") (not $.Values.redis.bundled) (not $a.keda.redis.address) -}}
{{- fail "autoscaling.keda.trigger is redis and the Redis is your own; set autoscaling.keda.redis.address to its host:port, or use the trigger postgresql" -}}
{{- end -}}
{{- if and (eq $a.keda.trigger "prometheus") (not (and $a.keda.prometheus.serverAddress $a.keda.prometheus.query)) -}}
{{- fail "autoscaling.keda.trigger is prometheus and its serverAddress or query is empty; set both" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.enabled is true and ingress.hosts is empty; name a host" -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.enabled is true and httpRoute.parentRefs is empty; name the Gateway" -}}
{{- end -}}
{{- end -}}
