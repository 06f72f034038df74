{{- /* SPDX-License-Identifier: Apache-2.0 */ -}}

{{- /* Returns the files of manifests/ that the values select, as a JSON list. */ -}}
{{- define "operator.paths" -}}
{{- $v := .Values -}}
{{- $paths := list "rbac.yaml" "deployment.yaml" -}}
{{- if $v.crd.enabled -}}{{- $paths = prepend $paths "crd.yaml" -}}{{- end -}}
{{- if $v.networkPolicy.enabled -}}{{- $paths = append $paths "networkpolicy.yaml" -}}{{- end -}}
{{- if $v.monitoring.serviceMonitor.enabled -}}
{{- $paths = concat $paths (list "monitoring/service.yaml" "monitoring/servicemonitor.yaml" "monitoring/networkpolicy.yaml") -}}
{{- end -}}
{{- if $v.monitoring.prometheusRule.enabled -}}{{- $paths = append $paths "monitoring/alerts.yaml" -}}{{- end -}}
{{- toJson $paths -}}
{{- end -}}

{{- define "operator.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* Returns the reference of an image in the values. */ -}}
{{- define "operator.image" -}}
{{- if .digest -}}{{- printf "%s@%s" .repository .digest -}}{{- else -}}{{- printf "%s:%s" .repository .tag -}}{{- end -}}
{{- end -}}

{{- /* Returns the program's arguments as a JSON list. */ -}}
{{- define "operator.args" -}}
{{- $args := list (printf "--image=%s" (include "operator.image" .Values.kubeadmImage)) (printf "--namespace=%s" .Release.Namespace) -}}
{{- if ne (int .Values.history) 20 -}}{{- $args = append $args (printf "--history=%d" (int .Values.history)) -}}{{- end -}}
{{- toJson (concat $args .Values.extraArgs) -}}
{{- end -}}

{{- /* Changes the Deployment `object` by the values of `root`. */ -}}
{{- define "operator.deployment" -}}
{{- $v := .root.Values -}}
{{- $template := .object.spec.template -}}
{{- $pod := $template.spec -}}
{{- $container := first $pod.containers -}}
{{- $_ := set .object.spec "replicas" (int $v.replicas) -}}
{{- $_ := set $container "args" (fromJsonArray (include "operator.args" .root)) -}}
{{- $_ := set $container "image" (include "operator.image" $v.image) -}}
{{- if $v.image.pullPolicy -}}{{- $_ := set $container "imagePullPolicy" $v.image.pullPolicy -}}{{- end -}}
{{- $_ := set $container "resources" $v.resources -}}
{{- $_ := set $pod "priorityClassName" $v.priorityClassName -}}
{{- if not $v.priorityClassName -}}{{- $_ := unset $pod "priorityClassName" -}}{{- end -}}
{{- if not $v.topologySpread.enabled -}}{{- $_ := unset $pod "topologySpreadConstraints" -}}{{- end -}}
{{- $_ := unset $pod "tolerations" -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "imagePullSecrets" -}}
{{- with get $v $field -}}{{- $_ := set $pod $field . -}}{{- end -}}
{{- end -}}
{{- $_ := set $template.metadata "labels" (merge $template.metadata.labels $v.podLabels) -}}
{{- with $v.podAnnotations -}}{{- $_ := set $template.metadata "annotations" . -}}{{- end -}}
{{- end -}}

{{- /* Changes an object of monitoring/ by the values. */ -}}
{{- define "operator.monitoring" -}}
{{- $v := .root.Values.monitoring -}}
{{- if eq .object.kind "ServiceMonitor" -}}
{{- $_ := set (first .object.spec.endpoints) "interval" $v.serviceMonitor.interval -}}
{{- $_ := set .object.metadata "labels" (merge (default dict .object.metadata.labels) $v.serviceMonitor.labels) -}}
{{- else if eq .object.kind "PrometheusRule" -}}
{{- $_ := set .object.metadata "labels" (merge (dict) $v.prometheusRule.labels .object.metadata.labels) -}}
{{- end -}}
{{- end -}}

{{- /* Returns an object of the manifests as a YAML document, in the namespace of the release. */ -}}
{{- define "operator.object" -}}
{{- $object := .object -}}
{{- $namespace := .root.Release.Namespace -}}
{{- if eq $object.kind "Deployment" -}}{{- include "operator.deployment" . -}}{{- end -}}
{{- include "operator.monitoring" . -}}
{{- if eq $object.kind "CustomResourceDefinition" -}}
{{- $_ := set $object.metadata "annotations" (dict "helm.sh/resource-policy" "keep") -}}
{{- end -}}
{{- range $object.subjects -}}{{- $_ := set . "namespace" $namespace -}}{{- end -}}
{{- if eq (default "" $object.metadata.namespace) "slipway-fleet" -}}{{- $_ := set $object.metadata "namespace" $namespace -}}{{- end -}}
{{- $_ := set $object.metadata "labels" (merge (default dict $object.metadata.labels) (fromYaml (include "operator.labels" .root))) }}
---
{{ toYaml $object }}
{{- end -}}
