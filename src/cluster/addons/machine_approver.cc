// SPDX-License-Identifier: Apache-2.0
#include "addons/machine_approver.h"

#include <algorithm>
#include <iterator>

#include "addons/apply.h"
#include "addons/approver_tokens.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config/images.h"
#include "kube/objects.h"
#include "objects/rbac.h"

namespace addons {
namespace {

using kube::kSystemNamespace;

constexpr std::string_view kName = "machine-approver";
constexpr std::string_view kRuleName = "kubeadm:machine-approver";
constexpr std::string_view kProgramInImage = "/usr/bin/cluster-machine-approver";
constexpr std::string_view kControlPlaneLabel = "node-role.kubernetes.io/control-plane";
constexpr const char* kProgramVolume = "program";
constexpr int kNobody = 65532;
constexpr int kPort = 9191;  // on the loopback address, like the port of OpenShift's operator

// The approver's own names for its state (evidence/node_bindings.h, --leader-elect-resource-name).
constexpr std::string_view kBindings = "cluster-machine-approver-nodes";
constexpr std::string_view kLease = "cluster-machine-approver-leader";
// The EndpointSlice in which the API servers publish their addresses.
constexpr std::string_view kDefaultNamespace = "default";
constexpr std::string_view kApiServers = "kubernetes";
// The program stays below 100 MiB under any load.
constexpr const char* kMemoryLimit = "128Mi";

// The rights of the approver, the same as in deploy/approver/overlays/kubeadm. Each right is used,
// and as narrow as possible. The approver never creates objects, because a right to create cannot
// be limited to a name.
const std::vector<objects::RbacRow>& RbacRows() {
  static const objects::Subject account{
      .kind = "ServiceAccount", .name = kName, .name_space = kSystemNamespace};
  static const std::vector<objects::RbacRow> rows = {
      {.name = kRuleName,
       .rules = {{.groups = {"certificates.k8s.io"},
                  .resources = {"certificatesigningrequests"},
                  .verbs = {"get", "list", "watch"}},
                 {.groups = {"certificates.k8s.io"},
                  .resources = {"certificatesigningrequests/approval"},
                  .verbs = {"update"}},
                 {.groups = {"certificates.k8s.io"},
                  .resources = {"signers"},
                  .names = {"kubernetes.io/kubelet-serving"},
                  .verbs = {"approve"}},
                 {.groups = {""}, .resources = {"nodes"}, .verbs = {"get", "list", "watch"}},
                 {.groups = {"networking.k8s.io"},
                  .resources = {"servicecidrs"},
                  .verbs = {"list"}}}},
      {.name = kRuleName, .role = kRuleName, .subjects = {account}},
      {.name = kRuleName,
       .name_space = kSystemNamespace,
       .rules = {{.groups = {"coordination.k8s.io"},
                  .resources = {"leases"},
                  .names = {kLease},
                  .verbs = {"get", "update"}},
                 {.groups = {""},
                  .resources = {"configmaps"},
                  .names = {kBindings},
                  .verbs = {"get", "update"}},
                 {.groups = {""},
                  .resources = {"configmaps"},
                  .names = {"kubeadm-config"},
                  .verbs = {"get"}},
                 {.groups = {""}, .resources = {"events"}, .verbs = {"create"}}}},
      {.name = kRuleName, .name_space = kSystemNamespace, .role = kRuleName, .subjects = {account}},
      {.name = kRuleName,
       .name_space = kDefaultNamespace,
       .rules = {{.groups = {"discovery.k8s.io"},
                  .resources = {"endpointslices"},
                  .names = {kApiServers},
                  .verbs = {"get"}}}},
      {.name = kRuleName,
       .name_space = kDefaultNamespace,
       .role = kRuleName,
       .subjects = {account}},
  };
  return rows;
}

// Sets the address of the API server to the control-plane endpoint, as in kube-proxy's kubeconfig.
// The approver then needs neither a Pod network nor kube-proxy. Both may not work before kubelets
// have their certificates.
json::Value Environment(const config::Init& config) {
  const std::string url =
      config::ControlPlaneEndpointUrl(config.cluster, config.init.local_api_endpoint);
  const auto server = config::ReadEndpoint(url.substr(std::string_view("https://").size()));
  return json::Value::array({{{"name", "KUBERNETES_SERVICE_HOST"}, {"value", server.host}},
                             {{"name", "KUBERNETES_SERVICE_PORT"}, {"value", server.port}}});
}

json::Value Probe(const char* path) {
  return {{"httpGet", {{"host", "127.0.0.1"}, {"path", path}, {"port", kPort}}}};
}

// Returns the volume mounts of the Pod. The program is the only file of the node that the Pod can
// read. With an image the Pod uses the image's program, and needs no mount.
json::Value Mounts(const ApproverProgram& program) {
  return program.image
             ? json::Value::array()
             : json::Value::array(
                   {{{"name", kProgramVolume}, {"mountPath", program.path}, {"readOnly", true}}});
}

json::Value Volumes(const ApproverProgram& program) {
  return program.image
             ? json::Value::array()
             : json::Value::array({{{"name", kProgramVolume},
                                    {"hostPath", {{"path", program.path}, {"type", "File"}}}}});
}

json::Value Arguments(const ApproverProgram& program) {
  json::Value arguments = {program.bound_tokens ? "--inventory=nodes,tokens" : "--inventory=nodes",
                           "--disable-status-controller",
                           "--leader-elect-resource-namespace=" + std::string(kSystemNamespace),
                           "--metrics-bind-address=127.0.0.1:" + std::to_string(kPort)};
  if (!program.allowed_cidrs.empty()) {
    arguments.push_back("--nodes-allowed-cidrs=" + base::Join(program.allowed_cidrs, ","));
  }
  return arguments;
}

json::Value Container(const config::Init& config, const ApproverProgram& program) {
  return {{"name", kName},
          {"image", program.image.value_or(config::PauseImage(config.cluster))},
          {"imagePullPolicy", "IfNotPresent"},
          {"command", {program.image ? std::string(kProgramInImage) : program.path}},
          {"args", Arguments(program)},
          {"env", Environment(config)},
          {"readinessProbe", Probe("/readyz")},
          {"livenessProbe", Probe("/healthz")},
          {"resources",
           {{"requests", {{"cpu", "10m"}, {"memory", "20Mi"}}},
            {"limits", {{"memory", kMemoryLimit}}}}},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"securityContext",
           {{"allowPrivilegeEscalation", false},
            {"readOnlyRootFilesystem", true},
            {"capabilities", {{"drop", {"ALL"}}}}}},
          {"volumeMounts", Mounts(program)}};
}

// Prefers this node, which has the program. Two Pods cannot run on the same node, since they use
// the same port of the node.
json::Value Affinity(const config::Init& config) {
  const json::Value here = {{"key", "kubernetes.io/hostname"},
                            {"operator", "In"},
                            {"values", {config.init.node_registration.name}}};
  return {{"nodeAffinity",
           {{"preferredDuringSchedulingIgnoredDuringExecution",
             json::Value::array(
                 {{{"weight", 100},
                   {"preference", {{"matchExpressions", json::Value::array({here})}}}}})}}},
          {"podAntiAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution",
             json::Value::array({{{"topologyKey", "kubernetes.io/hostname"},
                                  {"labelSelector", {{"matchLabels", {{"k8s-app", kName}}}}}}})}}}};
}

// Lets the Pod run before there is a Pod network, and makes it leave a failed node.
json::Value Tolerations() {
  return json::Value::array(
      {{{"operator", "Exists"}, {"effect", "NoSchedule"}},
       {{"key", "node.kubernetes.io/not-ready"}, {"operator", "Exists"}, {"effect", "NoExecute"}},
       {{"key", "node.kubernetes.io/unreachable"},
        {"operator", "Exists"},
        {"effect", "NoExecute"},
        {"tolerationSeconds", 60}}});
}

// Returns an object that the approver writes to. It is empty at first.
json::Value Kept(const kube::Resource& resource, std::string_view name) {
  const std::string group = resource.group.empty() ? "" : std::string(resource.group) + "/";
  return {{"apiVersion", group + std::string(resource.version)},
          {"kind", resource.kind},
          {"metadata", {{"name", name}, {"namespace", kSystemNamespace}}}};
}

}  // namespace

json::Value ApproverDeployment(const config::Init& config, const ApproverProgram& program) {
  const json::Value labels = {{"k8s-app", kName}};
  const json::Value pod = {
      {"serviceAccountName", kName},
      {"priorityClassName", "system-cluster-critical"},
      {"hostNetwork", true},
      {"securityContext",
       {{"runAsNonRoot", true},
        {"runAsUser", kNobody},
        {"runAsGroup", kNobody},
        {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
      {"nodeSelector", {{"kubernetes.io/os", "linux"}, {kControlPlaneLabel, ""}}},
      {"affinity", Affinity(config)},
      {"tolerations", Tolerations()},
      {"containers", json::Value::array({Container(config, program)})},
      {"volumes", Volumes(program)}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", kName}, {"namespace", kSystemNamespace}, {"labels", labels}}},
          {"spec",
           {{"replicas", 1},
            {"strategy", {{"type", "Recreate"}}},  // two Pods cannot share the node's port
            {"selector", {{"matchLabels", labels}}},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod}}}}}};
}

std::vector<json::Value> ApproverManifests(const config::Init& config,
                                           const ApproverProgram& program) {
  std::vector<json::Value> manifests = {kube::ServiceAccount({kSystemNamespace, kName})};
  for (const objects::RbacRow& row : RbacRows()) {
    manifests.push_back(objects::ObjectOf(row));
  }
  manifests.push_back(Kept(kube::resources::kLease, kLease));
  manifests.push_back(Kept(kube::resources::kConfigMap, kBindings));
  if (program.bound_tokens) {
    std::ranges::copy(ApproverTokenObjects(), std::back_inserter(manifests));
  }
  manifests.push_back(ApproverDeployment(config, program));
  return manifests;
}

void ApplyApprover(kube::Client& client, const config::Init& config,
                   const ApproverProgram& program) {
  ApplyManifests(client, ApproverManifests(config, program));
}

}  // namespace addons
