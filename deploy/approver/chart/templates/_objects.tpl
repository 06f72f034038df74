{{- /* SPDX-License-Identifier: Apache-2.0 */ -}}

{{- /* Returns the files of manifests/ that the values select, as a JSON list. */ -}}
{{- define "approver.paths" -}}
{{- $v := .Values -}}
{{- $paths := list "base/rbac.yaml" "base/deployment.yaml" "base/lease.yaml" -}}
{{- if $v.networkPolicy.enabled -}}{{- $paths = append $paths "base/networkpolicy.yaml" -}}{{- end -}}
{{- if $v.inventories.nodes.enabled -}}
{{- $paths = concat $paths (list "components/inventory-nodes/nodes.yaml" "components/inventory-nodes/rbac.yaml" "overlays/kubeadm/cluster-facts.yaml") -}}
{{- end -}}
{{- if $v.inventories.machines.enabled -}}{{- $paths = append $paths "overlays/cluster-api/rbac.yaml" -}}{{- end -}}
{{- if $v.inventories.configMap.enabled -}}
{{- $paths = concat $paths (list "components/inventory-configmap/rbac.yaml" "components/inventory-configmap/used.yaml") -}}
{{- end -}}
{{- if $v.inventories.tokens.enabled -}}
{{- $paths = concat $paths (list "components/token-bindings/bindings.yaml" "components/inventory-tokens/rbac.yaml") -}}
{{- if not $v.inventories.configMap.enabled -}}{{- $paths = append $paths "components/inventory-tokens/used.yaml" -}}{{- end -}}
{{- end -}}
{{- if and (or $v.inventories.http.enabled $v.inventories.exec.enabled $v.inventories.dns.enabled) (not $v.inventories.configMap.enabled) (not $v.inventories.tokens.enabled) -}}
{{- $paths = concat $paths (list "components/listed-hosts/rbac.yaml" "components/listed-hosts/used.yaml") -}}
{{- end -}}
{{- if include "approver.servesMachines" . -}}{{- $paths = append $paths "components/machine-identities/rbac.yaml" -}}{{- end -}}
{{- if $v.podDisruptionBudget.enabled -}}{{- $paths = append $paths "components/pdb/pdb.yaml" -}}{{- end -}}
{{- if $v.admissionPolicy.enabled -}}
{{- $paths = concat $paths (list "components/admission-policy/approvals.yaml" "components/admission-policy/expiry.yaml") -}}
{{- end -}}
{{- if $v.metrics.secure -}}{{- $paths = append $paths "components/secure-metrics/rbac.yaml" -}}{{- end -}}
{{- if $v.monitoring.serviceMonitor.enabled -}}
{{- $paths = concat $paths (list "monitoring/service.yaml" "monitoring/servicemonitor.yaml" "monitoring/networkpolicy.yaml") -}}
{{- end -}}
{{- if $v.monitoring.prometheusRule.enabled -}}{{- $paths = append $paths "monitoring/alerts.yaml" -}}{{- end -}}
{{- toJson $paths -}}
{{- end -}}

{{- /* Returns "true" if the endpoint for machines is on, else "". */ -}}
{{- define "approver.servesMachines" -}}
{{- if or .Values.identities.tpm .Values.identities.documents.enabled -}}true{{- end -}}
{{- end -}}

{{- define "approver.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* Returns the program's arguments as a JSON list, from `root` and the arguments in the manifest. */ -}}
{{- define "approver.args" -}}
{{- $v := .root.Values -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $args := list -}}
{{- range .own -}}
{{- if hasPrefix "-v=" . -}}{{- $args = append $args (printf "-v=%d" (int $v.logLevel)) -}}
{{- else if hasPrefix "--leader-elect-resource-namespace=" . -}}{{- $args = append $args (printf "--leader-elect-resource-namespace=%s" $namespace) -}}
{{- else -}}{{- $args = append $args . -}}{{- end -}}
{{- end -}}
{{- with $v.inventories.machines -}}{{- if .enabled -}}
{{- $args = concat $args (list "--api-group-version=cluster.x-k8s.io" "--inventory=machines") -}}
{{- if .namespace -}}{{- $args = append $args (printf "--machine-namespace=%s" .namespace) -}}{{- end -}}
{{- if .cluster -}}{{- $args = append $args (printf "--machine-cluster=%s" .cluster) -}}{{- end -}}
{{- end -}}{{- end -}}
{{- with $v.inventories.nodes -}}{{- if .enabled -}}
{{- $args = append $args "--inventory=nodes" -}}
{{- if .allowedCIDRs -}}{{- $args = append $args (printf "--nodes-allowed-cidrs=%s" (join "," .allowedCIDRs)) -}}{{- end -}}
{{- if .subdomains -}}{{- $args = append $args "--nodes-subdomains" -}}{{- end -}}
{{- end -}}{{- end -}}
{{- if $v.inventories.configMap.enabled -}}
{{- $args = concat $args (list "--inventory=configmap" (printf "--inventory-configmap=%s/machine-approver-inventory" $namespace)) -}}
{{- end -}}
{{- if $v.inventories.tokens.enabled -}}{{- $args = append $args "--inventory=tokens" -}}{{- end -}}
{{- with $v.inventories.http -}}{{- if .enabled -}}
{{- $args = concat $args (list "--inventory=http" "--inventory-http-url=$(INVENTORY_HTTP_URL)" "--inventory-http-ca=/etc/inventory-http/ca.crt") -}}
{{- if .credentials -}}{{- $args = append $args "--inventory-http-credentials=/etc/inventory-http" -}}{{- end -}}
{{- end -}}{{- end -}}
{{- with $v.inventories.exec -}}{{- if .enabled -}}
{{- $args = concat $args (list "--inventory=exec" "--inventory-exec=/plugin/inventory") -}}
{{- if .args -}}{{- $args = append $args (printf "--inventory-exec-args=%s" (join "," .args)) -}}{{- end -}}
{{- end -}}{{- end -}}
{{- if $v.inventories.dns.enabled -}}
{{- $args = concat $args (list "--inventory=dns" "--inventory-dns-domain=$(INVENTORY_DNS_DOMAIN)" "--inventory-dns-servers=$(INVENTORY_DNS_SERVERS)") -}}
{{- end -}}
{{- if include "approver.servesMachines" .root -}}{{- $args = append $args "--identity-cert-dir=/etc/identity" -}}{{- end -}}
{{- with $v.identities.documents -}}{{- if .enabled -}}
{{- $args = append $args (printf "--identity-exec=%s" .program) -}}
{{- if .args -}}{{- $args = append $args (printf "--identity-exec-args=%s" (join "," .args)) -}}{{- end -}}
{{- end -}}{{- end -}}
{{- if $v.identities.tpm -}}{{- $args = append $args "--identity-tpm" -}}{{- end -}}
{{- if $v.metrics.secure -}}{{- $args = append $args "--metrics-secure" -}}{{- end -}}
{{- if $v.shadow -}}{{- $args = append $args "--shadow" -}}{{- end -}}
{{- if $v.auditLog -}}{{- $args = append $args "--audit-log=-" -}}{{- end -}}
{{- toJson (concat $args $v.extraArgs) -}}
{{- end -}}

{{- /* Changes the Deployment as the components inventory-http, inventory-exec, inventory-dns and machine-identities
     do. */ -}}
{{- define "approver.queries" -}}
{{- $i := .root.Values.inventories -}}
{{- $pod := .object.spec.template.spec -}}
{{- $container := first $pod.containers -}}
{{- $mounts := list -}}
{{- $volumes := list -}}
{{- if include "approver.servesMachines" .root -}}
{{- $endpoint := fromYaml (.root.Files.Get "manifests/components/machine-identities/endpoint.yaml") -}}
{{- $added := $endpoint.spec.template.spec -}}
{{- $_ := set (first $added.volumes).secret "secretName" .root.Values.identities.secret -}}
{{- $_ := set $container "ports" (concat (first $added.containers).ports $container.ports) -}}
{{- $_ := set .object.spec "strategy" $endpoint.spec.strategy -}}
{{- $mounts = concat $mounts (first $added.containers).volumeMounts -}}
{{- $volumes = concat $volumes $added.volumes -}}
{{- end -}}
{{- if $i.exec.enabled -}}
{{- $plugin := fromYaml (.root.Files.Get "manifests/components/inventory-exec/plugin.yaml") -}}
{{- $added := $plugin.spec.template.spec -}}
{{- $init := first $added.initContainers -}}
{{- $_ := set $init "image" $i.exec.image -}}
{{- $_ := set $init "command" (default (list "cp" $i.exec.program "/plugin/inventory") $i.exec.command) -}}
{{- $_ := set (last $added.volumes).secret "secretName" $i.exec.secret -}}
{{- $_ := set $pod "initContainers" $added.initContainers -}}
{{- $mounts = concat $mounts (first $added.containers).volumeMounts -}}
{{- $volumes = concat $volumes $added.volumes -}}
{{- end -}}
{{- if $i.http.enabled -}}
{{- $secret := fromYaml (.root.Files.Get "manifests/components/inventory-http/volumes.yaml") -}}
{{- $added := $secret.spec.template.spec -}}
{{- $_ := set (first $added.volumes).secret "secretName" $i.http.secret -}}
{{- $_ := set $container "env" (append $container.env (dict "name" "INVENTORY_HTTP_URL" "value" $i.http.url)) -}}
{{- $mounts = concat $mounts (first $added.containers).volumeMounts -}}
{{- $volumes = concat $volumes $added.volumes -}}
{{- end -}}
{{- with $i.dns -}}{{- if .enabled -}}
{{- $_ := set $container "env" (concat $container.env (list (dict "name" "INVENTORY_DNS_DOMAIN" "value" .domain) (dict "name" "INVENTORY_DNS_SERVERS" "value" (join "," .servers)))) -}}
{{- end -}}{{- end -}}
{{- with $mounts -}}{{- $_ := set $container "volumeMounts" . -}}{{- end -}}
{{- with $volumes -}}{{- $_ := set $pod "volumes" . -}}{{- end -}}
{{- end -}}

{{- /* Changes the Deployment `object` by the values of `root`. */ -}}
{{- define "approver.deployment" -}}
{{- $v := .root.Values -}}
{{- $template := .object.spec.template -}}
{{- $pod := $template.spec -}}
{{- $container := first $pod.containers -}}
{{- $_ := set .object.spec "replicas" (ternary 1 (int $v.replicas) $v.shadow) -}}
{{- $_ := set $container "args" (fromJsonArray (include "approver.args" (dict "root" .root "own" $container.args))) -}}
{{- $_ := set $container "image" (ternary (printf "%s@%s" $v.image.repository $v.image.digest) (printf "%s:%s" $v.image.repository $v.image.tag) (ne $v.image.digest "")) -}}
{{- if $v.image.pullPolicy -}}{{- $_ := set $container "imagePullPolicy" $v.image.pullPolicy -}}{{- end -}}
{{- $_ := set $container "resources" $v.resources -}}
{{- include "approver.queries" . -}}
{{- if $v.metrics.secure -}}
{{- $_ := set (first $container.env) "value" "9192" -}}
{{- $_ := set (first $container.ports) "containerPort" 9192 -}}
{{- $_ := set $container.readinessProbe.httpGet "scheme" "HTTPS" -}}
{{- $_ := set $container.livenessProbe.httpGet "scheme" "HTTPS" -}}
{{- end -}}
{{- $_ := set $pod "priorityClassName" $v.priorityClassName -}}
{{- if not $v.priorityClassName -}}{{- $_ := unset $pod "priorityClassName" -}}{{- end -}}
{{- if not $v.topologySpread.enabled -}}{{- $_ := unset $pod "topologySpreadConstraints" -}}{{- end -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "imagePullSecrets" -}}
{{- with get $v $field -}}{{- $_ := set $pod $field . -}}{{- end -}}
{{- end -}}
{{- if $v.hostNetwork -}}{{- $_ := set $pod "hostNetwork" true -}}{{- end -}}
{{- $_ := set $template.metadata "labels" (merge $template.metadata.labels $v.podLabels) -}}
{{- with $v.podAnnotations -}}{{- $_ := set $template.metadata "annotations" . -}}{{- end -}}
{{- end -}}

{{- /* Removes every permission of the role `object` to write or approve. Keeps the permission to create TokenReviews
     and SubjectAccessReviews, because a client queries the API server by creating them. */ -}}
{{- define "approver.readOnly" -}}
{{- $rules := list -}}
{{- range .object.rules -}}
{{- $rule := . -}}
{{- $verbs := list -}}
{{- range .verbs -}}
{{- if or (has . (list "get" "list" "watch")) (has (first $rule.apiGroups) (list "authentication.k8s.io" "authorization.k8s.io")) -}}{{- $verbs = append $verbs . -}}{{- end -}}
{{- end -}}
{{- if and $verbs (not (has "leases" (default list .resources))) -}}
{{- $_ := set . "verbs" $verbs -}}
{{- $rules = append $rules . -}}
{{- end -}}
{{- end -}}
{{- $_ := set .object "rules" $rules -}}
{{- end -}}

{{- /* Sets the variables of a policy by the values. */ -}}
{{- define "approver.policy" -}}
{{- $v := .root.Values.admissionPolicy -}}
{{- $namespace := .root.Release.Namespace -}}
{{- range .object.spec.variables -}}
{{- if eq .name "approver" -}}{{- $_ := set . "expression" (printf "'system:serviceaccount:%s:machine-approver-sa'" $namespace) -}}
{{- else if eq .name "breakGlass" -}}{{- $_ := set . "expression" (printf "'%s'" $v.breakGlassGroup) -}}
{{- else if and (eq .name "controllerManagerApproves") (not $v.bootstrapTokens) -}}{{- $_ := set . "expression" "['system:node:']" -}}
{{- else if eq .name "longest" -}}{{- $_ := set . "expression" (toString (int $v.maxExpirationSeconds)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Changes objects of monitoring/ by the values. */ -}}
{{- define "approver.monitoring" -}}
{{- $v := .root.Values -}}
{{- if eq .object.kind "Service" -}}
{{- if $v.metrics.secure -}}{{- $_ := set (first .object.spec.ports) "port" 9192 -}}{{- end -}}
{{- else if eq .object.kind "ServiceMonitor" -}}
{{- $endpoint := first .object.spec.endpoints -}}
{{- $_ := set $endpoint "interval" $v.monitoring.serviceMonitor.interval -}}
{{- if $v.metrics.secure -}}
{{- $_ := set $endpoint "scheme" "https" -}}
{{- $_ := set $endpoint "bearerTokenFile" "/var/run/secrets/kubernetes.io/serviceaccount/token" -}}
{{- $_ := set $endpoint "tlsConfig" (dict "insecureSkipVerify" true) -}}
{{- end -}}
{{- $_ := set .object.metadata "labels" (merge (default dict .object.metadata.labels) $v.monitoring.serviceMonitor.labels) -}}
{{- else if eq .object.kind "PrometheusRule" -}}
{{- $_ := set .object.metadata "labels" (merge (dict) $v.monitoring.prometheusRule.labels .object.metadata.labels) -}}
{{- end -}}
{{- end -}}

{{- /* Returns an object of the manifests as a YAML document; "" if the shadow mode does not need the object. */ -}}
{{- define "approver.object" -}}
{{- $object := .object -}}
{{- $root := .root -}}
{{- $skip := false -}}
{{- if eq $object.kind "Deployment" -}}
{{- include "approver.deployment" . -}}
{{- else if and (eq $object.kind "NetworkPolicy") (eq $object.metadata.name "machine-approver") -}}
{{- if include "approver.servesMachines" $root -}}
{{- $policy := fromYaml ($root.Files.Get "manifests/components/machine-identities/networkpolicy.yaml") -}}
{{- $_ := set $object.spec "ingress" $policy.spec.ingress -}}
{{- end -}}
{{- else if eq $object.kind "ValidatingAdmissionPolicy" -}}
{{- include "approver.policy" . -}}
{{- else if and $root.Values.shadow (has $object.kind (list "Role" "ClusterRole")) (hasKey (first $object.rules) "resources") -}}
{{- include "approver.readOnly" . -}}
{{- $skip = empty $object.rules -}}
{{- else if and $root.Values.shadow (has $object.kind (list "RoleBinding" "ClusterRoleBinding")) -}}
{{- $skip = has (printf "%s/%s" $object.roleRef.kind $object.roleRef.name) (list "Role/machine-approver" "ClusterRole/cluster-machine-approver-inventory") -}}
{{- else if and $root.Values.shadow (eq $object.kind "Lease") -}}
{{- $skip = true -}}
{{- end -}}
{{- include "approver.monitoring" . -}}
{{- if not $skip -}}
{{- range $object.subjects -}}
{{- if eq .name "machine-approver-sa" -}}{{- $_ := set . "namespace" $root.Release.Namespace -}}{{- end -}}
{{- end -}}
{{- if not (has $object.kind (list "ClusterRole" "ClusterRoleBinding" "ValidatingAdmissionPolicy" "ValidatingAdmissionPolicyBinding")) -}}
{{- $_ := set $object.metadata "namespace" (default $root.Release.Namespace $object.metadata.namespace) -}}
{{- end -}}
{{- $_ := set $object.metadata "labels" (merge (default dict $object.metadata.labels) (fromYaml (include "approver.labels" $root))) }}
---
{{ toYaml $object }}
{{- end -}}
{{- end -}}
