{{/*
The variables that are secrets, for a role: api, worker, migrate or test. Takes
(dict "root" $ "role" "api").
*/}}
{{- define "edgeposture.secretVariables" -}}
{{- if has .role (list "api" "test") }}
SERVICE_API_KEY: required
{{- end }}
{{- if ne .role "test" }}
DATABASE_URL: required
REDIS_URL: required
SERVICE_ENCRYPTION_KEY: required
{{- end }}
{{- if has .role (list "api" "worker") }}
{{- range (.root.Files.Get "variables.yaml" | fromYaml).optional }}
{{ . }}: optional
{{- end }}
{{- /* Providers to sign in at have names of one's own: a secret for each that config has, and for each that is named. */}}
{{- $signIn := dict }}
{{- range $variable, $_ := merge dict .root.Values.config .root.Values.secrets.from .root.Values.secrets.values }}
{{- if hasPrefix "SERVICE_OIDC_" $variable }}
{{- $_ := set $signIn (regexReplaceAll "_(ISSUER|CLIENT_ID|SCOPES|ROLE_CLAIM|ROLE_MAP)$" $variable "_CLIENT_SECRET") "required" }}
{{- end }}
{{- end }}
{{- range $variable, $need := $signIn }}
{{ $variable }}: {{ $need }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
What the Secrets of the release hold, worked out once per rendering and kept
among the values, so that two Secrets never have two generated values. A value
that exists in the cluster is taken before a new one is made; one that somebody
set comes before both.
*/}}
{{- define "edgeposture.made" -}}
{{- if not (hasKey .Values "_made") -}}
{{- $name := include "edgeposture.fullname" . -}}
{{- $s := .Values.secrets -}}
{{- $own := dict -}}
{{- $stores := dict -}}
{{- if not $s.existingSecret -}}
{{- $had := (lookup "v1" "Secret" .Release.Namespace (printf "%s-stores" $name)).data | default dict -}}
{{- range $store, $key := dict "postgresql" "POSTGRES_PASSWORD" "redis" "REDIS_PASSWORD" -}}
{{- if (get $.Values $store).bundled -}}
{{- $_ := set $stores $key (get $had $key | b64dec | default (randAlphaNum 32)) -}}
{{- end -}}
{{- end -}}
{{- $had = (lookup "v1" "Secret" .Release.Namespace $name).data | default dict -}}
{{- range $variable, $value := $s.values -}}
{{- if $value }}{{ $_ := set $own $variable $value }}{{ end -}}
{{- end -}}
{{- range $variable, $new := dict "SERVICE_API_KEY" (randAlphaNum 40) "SERVICE_ENCRYPTION_KEY" (randBytes 32) -}}
{{- if not (get $own $variable) -}}
{{- $_ := set $own $variable (get $had $variable | b64dec | default $new) -}}
{{- end -}}
{{- end -}}
{{- if .Values.postgresql.bundled -}}
{{- $_ := set $own "DATABASE_URL" (printf "postgres://edgeposture:%s@%s-postgresql:5432/edgeposture?sslmode=disable" $stores.POSTGRES_PASSWORD $name) -}}
{{- end -}}
{{- if .Values.redis.bundled -}}
{{- $_ := set $own "REDIS_URL" (printf "redis://:%s@%s-redis:6379/0" $stores.REDIS_PASSWORD $name) -}}
{{- end -}}
{{- else -}}
{{- range $variable, $value := $s.values -}}
{{- if $value }}{{ fail (printf "secrets.values.%s is set and so is secrets.existingSecret, which would win; set one of them" $variable) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- range $variable, $_ := $s.from }}{{ $_ := unset $own $variable }}{{ end -}}
{{- $_ := set .Values "_made" (dict "own" $own "stores" $stores) -}}
{{- end -}}
{{- end -}}

{{/* The environment from secrets. Takes (dict "root" $ "role" "api"). */}}
{{- define "edgeposture.secretEnv" -}}
{{- include "edgeposture.made" .root -}}
{{- $s := .root.Values.secrets -}}
{{- $own := .root.Values._made.own -}}
{{- $name := include "edgeposture.fullname" .root -}}
{{- if eq .role "migrate" }}{{ $name = printf "%s-migrate" $name }}{{ end -}}
{{- range $variable, $need := include "edgeposture.secretVariables" . | fromYaml }}
{{- $from := get $s.from $variable }}
{{- if $from }}
- name: {{ $variable }}
  valueFrom: {secretKeyRef: {name: {{ $from.name | quote }}, key: {{ default $variable $from.key | quote }}}}
{{- else if $s.existingSecret }}
- name: {{ $variable }}
  valueFrom: {secretKeyRef: {name: {{ $s.existingSecret | quote }}, key: {{ $variable }}{{ if eq $need "optional" }}, optional: true{{ end }}}}
{{- else if hasKey $own $variable }}
- name: {{ $variable }}
  valueFrom: {secretKeyRef: {name: {{ $name }}, key: {{ $variable }}}}
{{- end }}
{{- end }}
{{- end -}}

{{/* The Secret with the passwords of bundled stores. */}}
{{- define "edgeposture.storesSecret" -}}
{{- default (printf "%s-stores" (include "edgeposture.fullname" .)) .Values.secrets.existingSecret -}}
{{- end -}}
