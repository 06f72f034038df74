// SPDX-License-Identifier: Apache-2.0
#include "addons/coredns.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "addons/corefile.h"
#include "addons/corefile_migration.h"
#include "base/error.h"
#include "config/addresses.h"
#include "config/images.h"
#include "kube/objects.h"
#include "objects/rbac.h"

namespace addons {
namespace {

using base::Error;
using kube::kSystemNamespace;
using State = CoreDnsOutcome::Corefile;

constexpr std::string_view kName = "coredns";
constexpr std::string_view kSelector = "k8s-app=kube-dns";
constexpr std::string_view kCorefileKey = "Corefile";
constexpr std::string_view kBackupKey = "Corefile-backup";

const std::vector<objects::RbacRow>& RbacRows() {
  static const std::vector<objects::RbacRow> rows = {
      {.name = "system:coredns",
       .rules = {{.groups = {""},
                  .resources = {"endpoints", "services", "pods", "namespaces"},
                  .verbs = {"list", "watch"}},
                 {.groups = {"discovery.k8s.io"},
                  .resources = {"endpointslices"},
                  .verbs = {"list", "watch"}}}},
      {.name = "system:coredns",
       .role = "system:coredns",
       .subjects = {{.kind = "ServiceAccount", .name = kName, .name_space = kSystemNamespace}}}};
  return rows;
}

json::Value Metadata(std::string_view name) {
  return {{"name", name}, {"namespace", kSystemNamespace}};
}

json::Value Labels() { return {{"k8s-app", "kube-dns"}}; }

// A port of the container. It is also a port of the Service, unless it is a port for probes.
struct PortRow {
  std::string_view name;
  int port;
  std::string_view protocol;
  bool served;
};
constexpr std::array<PortRow, 5> kPorts{{{"dns", 53, "UDP", true},
                                         {"dns-tcp", 53, "TCP", true},
                                         {"metrics", 9153, "TCP", true},
                                         {"liveness-probe", 8080, "TCP", false},
                                         {"readiness-probe", 8181, "TCP", false}}};

json::Value Probe(std::string_view path, std::string_view port) {
  return {{"httpGet", {{"path", path}, {"port", port}, {"scheme", "HTTP"}}}};
}

json::Value Container(const config::ClusterConfiguration& cluster) {
  json::Value ports = json::Value::array();
  for (const PortRow& row : kPorts) {
    ports.push_back({{"name", row.name}, {"containerPort", row.port}, {"protocol", row.protocol}});
  }
  json::Value liveness = Probe("/health", "liveness-probe");
  liveness.update(json::Value{{"initialDelaySeconds", 60},
                              {"timeoutSeconds", 5},
                              {"successThreshold", 1},
                              {"failureThreshold", 5}});
  return {
      {"name", kName},
      {"image", config::CoreDnsImage(cluster)},
      {"imagePullPolicy", "IfNotPresent"},
      {"args", {"-conf", "/etc/coredns/Corefile"}},
      {"ports", ports},
      {"livenessProbe", liveness},
      {"readinessProbe", Probe("/ready", "readiness-probe")},
      {"resources",
       {{"limits", {{"memory", "170Mi"}}}, {"requests", {{"cpu", "100m"}, {"memory", "70Mi"}}}}},
      {"securityContext",
       {{"allowPrivilegeEscalation", false},
        {"capabilities",
         {{"add", json::Value::array({"NET_BIND_SERVICE"})},
          {"drop", json::Value::array({"ALL"})}}},
        {"readOnlyRootFilesystem", true}}},
      {"volumeMounts",
       json::Value::array(
           {{{"name", "config-volume"}, {"mountPath", "/etc/coredns"}, {"readOnly", true}}})}};
}

// Prefers a different node for each Pod, so that the failure of one node does not interrupt DNS.
json::Value Affinity() {
  const json::Value expression = {
      {"key", "k8s-app"}, {"operator", "In"}, {"values", json::Value::array({"kube-dns"})}};
  const json::Value term = {
      {"labelSelector", {{"matchExpressions", json::Value::array({expression})}}},
      {"topologyKey", "kubernetes.io/hostname"}};
  return {{"podAntiAffinity",
           {{"preferredDuringSchedulingIgnoredDuringExecution",
             json::Value::array({{{"weight", 100}, {"podAffinityTerm", term}}})}}}};
}

json::Value CorefileVolume(std::string_view key) {
  return {
      {"name", "config-volume"},
      {"configMap",
       {{"name", kName}, {"items", json::Value::array({{{"key", key}, {"path", kCorefileKey}}})}}}};
}

json::Value PodSpec(const config::ClusterConfiguration& cluster) {
  return {{"priorityClassName", "system-cluster-critical"},
          {"serviceAccountName", kName},
          {"dnsPolicy", "Default"},
          {"affinity", Affinity()},
          {"tolerations",
           json::Value::array(
               {{{"key", "CriticalAddonsOnly"}, {"operator", "Exists"}},
                {{"key", "node-role.kubernetes.io/control-plane"}, {"effect", "NoSchedule"}}})},
          {"nodeSelector", {{"kubernetes.io/os", "linux"}}},
          {"containers", json::Value::array({Container(cluster)})},
          {"volumes", json::Value::array({CorefileVolume(kCorefileKey)})}};
}

// Returns the tag of an image: "v1.6.7" for "registry/coredns:v1.6.7@sha256:…".
std::optional<std::string> TagOf(std::string image) {
  image = image.substr(0, image.find('@'));
  const std::size_t colon = image.rfind(':');
  if (colon == std::string::npos || colon + 1 == image.size() ||
      image.find('/', colon) != std::string::npos) {
    return std::nullopt;
  }
  return image.substr(colon + 1);
}

std::string WithoutV(const std::string& tag) { return tag.starts_with('v') ? tag.substr(1) : tag; }

std::optional<json::Value> FindConfigMap(kube::Client& client) {
  std::optional<json::Value> map;
  client.Retry("",
               [&] { map = client.Find({kube::resources::kConfigMap, kSystemNamespace, kName}); });
  return map;
}

// The planned action on the Corefile.
struct Plan {
  State state = State::kWritten;
  std::string migrated;  // only for kMigrated
  std::string problem;   // only for kFailed
};

// Returns whether a Corefile is completely empty, without even a comment.
bool IsUnwritten(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// Returns the step from the installed CoreDNS. Precondition: its version is known.
CoreDnsStep StepTo(const std::string& wanted, const InstalledCoreDns& installed) {
  return {.from = *installed.version, .to = wanted};
}

// Returns why the migration does not support the step; "" if it does.
std::string StepProblem(const CoreDnsStep& step) {
  try {
    CheckMigrationPath(step);
    return "";
  } catch (const Error& error) {
    return error.message();
  }
}

// Plans the migration of the Corefile. Only images before 1.8.0 need a migration, and their tags
// have no "v". If the tag of such a version has a "v", the image is a user's own. Like upstream,
// this program does not migrate from such an image.
Plan PlanMigration(const std::string& text, const InstalledCoreDns& installed,
                   const std::string& wanted) {
  const CoreDnsStep step = StepTo(wanted, installed);
  if (std::string problem = StepProblem(step); !problem.empty()) {
    return {.state = State::kFailed, .problem = std::move(problem)};
  }
  try {
    const Corefile corefile = Corefile::Parse(text);
    if (!NeedsMigration(corefile, step)) {
      return {.state = State::kRetained};
    }
    if (installed.tag != installed.version) {
      return {.state = State::kFailed,
              .problem = fmt::format("start version '{}' not supported", installed.tag.value())};
    }
    return {.state = State::kMigrated, .migrated = Migrated(corefile, step).Text()};
  } catch (const Error& error) {
    return {.state = State::kFailed, .problem = error.message()};
  }
}

Plan PlanFor(const std::optional<json::Value>& map, const InstalledCoreDns& installed,
             const config::ClusterConfiguration& cluster) {
  if (!map) {
    return {};
  }
  const json::Value& value = json::At(*map, {"data", kCorefileKey});
  if (!value.is_string()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("ConfigMap \"{}\" has no key \"{}\"", kName, kCorefileKey));
  }
  const std::string text = value.get<std::string>();
  if (IsUnwritten(text)) {
    return {};
  }
  if (IsOldDefault(text, cluster.networking.dns_domain)) {
    return {};
  }
  const std::string wanted = config::CoreDnsVersion(cluster);
  return installed.version && *installed.version != wanted ? PlanMigration(text, installed, wanted)
                                                           : Plan{.state = State::kRetained};
}

// Replaces the Corefile in `map` by `wanted`. Keeps the old Corefile as a backup, unless it was
// empty. Other keys of the ConfigMap stay. Retries after a conflict. Throws base::Error(kInvalid)
// if another client has changed the Corefile since it was read.
void ReplaceCorefile(kube::Client& client, std::optional<json::Value> map,
                     const std::string& wanted) {
  const std::string corefile = json::TextAt(*map, {"data", kCorefileKey});
  client.Retry("", [&] {
    json::Value object = map ? *std::exchange(map, std::nullopt)
                             : client.Get({kube::resources::kConfigMap, kSystemNamespace, kName});
    const std::string present = json::TextAt(object, {"data", kCorefileKey});
    if (present == wanted) {
      return;  // an earlier attempt succeeded, and its answer was lost
    }
    if (present != corefile) {
      throw Error(Error::Kind::kInvalid,
                  "the Corefile was changed while it was being replaced; run the same command "
                  "again");
    }
    if (!IsUnwritten(corefile)) {
      object["data"][std::string(kBackupKey)] = corefile;
    }
    object["data"][std::string(kCorefileKey)] = wanted;
    client.Update(kube::resources::kConfigMap, object);
  });
}

// Writes the migrated Corefile. Points the volume of the old Deployment to the backup, so that Pods
// of the old CoreDNS keep the old Corefile.
void WriteMigrated(kube::Client& client, const json::Value& map, const std::string& migrated) {
  ReplaceCorefile(client, map, migrated);
  const json::Value patch = {
      {"spec",
       {{"template",
         {{"spec", {{"volumes", json::Value::array({CorefileVolume(kBackupKey)})}}}}}}}};
  client.Retry("", [&] {
    client.Patch({kube::resources::kDeployment, kSystemNamespace, kName},
                 "application/strategic-merge-patch+json", patch);
  });
}

void ApplyCorefile(kube::Client& client, const Plan& plan,
                   const std::optional<json::Value>& existing,
                   const config::ClusterConfiguration& cluster) {
  switch (plan.state) {
    case State::kWritten: {
      const std::string fresh = DefaultCorefile(cluster.networking.dns_domain);
      if (existing) {
        ReplaceCorefile(client, existing, fresh);
      } else {
        client.CreateOrUpdate(kube::resources::kConfigMap, CoreDnsConfigMap(fresh));
      }
      return;
    }
    case State::kMigrated:
      WriteMigrated(client, existing.value(), plan.migrated);
      return;
    case State::kRetained:
    case State::kFailed:
      return;
  }
}

// Creates or updates the Service. An existing Service keeps the fields that only the server may
// set. If its address is taken, perhaps by the existing Service itself, the server answers
// "invalid" to the creation.
void ApplyService(kube::Client& client, const json::Value& service) {
  try {
    client.Create(kube::resources::kService, service);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kAlreadyExists && error.kind() != Error::Kind::kInvalid) {
      throw;
    }
    client.Update(kube::resources::kService, service);
  }
}

node_input::Patched WithPatches(json::Value deployment, const node_input::PatchSet* patches) {
  if (patches == nullptr) {
    return {.value = std::move(deployment)};
  }
  node_input::Patched patched =
      node_input::ApplyPatches(*patches, node_input::kCoreDnsDeploymentTarget,
                               std::move(deployment), patch::Schema::kDeployment);
  patched.value = base::WithContext("could not patch the Deployment of CoreDNS", [&] {
    return node_input::Decoded(patched.value, "apps/v1", "Deployment");
  });
  return patched;
}

}  // namespace

InstalledCoreDns FindCoreDns(kube::Client& client) {
  std::vector<json::Value> deployments;
  client.Retry("couldn't list the DNS addon's deployments", [&] {
    deployments =
        client.List(kube::resources::kDeployment, kSystemNamespace, {.labels = kSelector});
  });
  InstalledCoreDns installed{.replicas = kCoreDnsReplicas, .tag = {}, .version = {}};
  if (deployments.empty()) {
    return installed;
  }
  if (deployments.size() > 1) {
    std::string names;
    for (const json::Value& deployment : deployments) {
      names += " " + json::TextAt(deployment, {"metadata", "name"});
    }
    throw Error(Error::Kind::kInvalid,
                fmt::format("multiple DNS addon deployments found:{}", names));
  }
  if (const json::Value& replicas = json::At(deployments[0], {"spec", "replicas"});
      replicas.is_number_integer()) {
    installed.replicas = replicas.get<int>();
  }
  const json::Value& containers =
      json::At(deployments[0], {"spec", "template", "spec", "containers"});
  if (containers.is_array() && !containers.empty()) {
    installed.tag = TagOf(json::TextAt(containers[0], {"image"}));
    installed.version = installed.tag.transform(WithoutV);
  }
  return installed;
}

std::optional<std::string> FindCorefile(kube::Client& client) {
  const std::optional<json::Value> map = FindConfigMap(client);
  if (!map) {
    return std::nullopt;
  }
  const json::Value& corefile = json::At(*map, {"data", kCorefileKey});
  if (!corefile.is_string()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("ConfigMap \"{}\" in namespace \"{}\" has no key \"{}\"", kName,
                                  kSystemNamespace, kCorefileKey));
  }
  return corefile.get<std::string>();
}

json::Value CoreDnsConfigMap(std::string_view corefile) {
  return kube::ConfigMap({kSystemNamespace, kName},
                         {{std::string(kCorefileKey), std::string(corefile)}});
}

json::Value CoreDnsDeployment(const config::ClusterConfiguration& cluster, int replicas) {
  json::Value metadata = Metadata(kName);
  metadata["labels"] = Labels();
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", metadata},
          {"spec",
           {{"replicas", replicas},
            {"strategy", {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxUnavailable", 1}}}}},
            {"selector", {{"matchLabels", Labels()}}},
            {"template", {{"metadata", {{"labels", Labels()}}}, {"spec", PodSpec(cluster)}}}}}};
}

json::Value CoreDnsService(const config::ClusterConfiguration& cluster) {
  json::Value ports = json::Value::array();
  for (const PortRow& row : kPorts) {
    if (row.served) {
      ports.push_back({{"name", row.name},
                       {"port", row.port},
                       {"protocol", row.protocol},
                       {"targetPort", row.port}});
    }
  }
  json::Value metadata = Metadata("kube-dns");
  metadata["labels"] = {{"k8s-app", "kube-dns"},
                        {"kubernetes.io/cluster-service", "true"},
                        {"kubernetes.io/name", "CoreDNS"}};
  metadata["annotations"] = {{"prometheus.io/port", "9153"}, {"prometheus.io/scrape", "true"}};
  // The version "0" makes the update of a Service unconditional.
  metadata["resourceVersion"] = "0";
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", metadata},
          {"spec",
           {{"clusterIP", config::DnsIp(cluster.networking).Text()},
            {"ports", ports},
            {"selector", Labels()}}}};
}

CoreDnsManifestList CoreDnsManifests(const config::ClusterConfiguration& cluster,
                                     const node_input::PatchSet* patches) {
  node_input::Patched deployment =
      WithPatches(CoreDnsDeployment(cluster, kCoreDnsReplicas), patches);
  std::vector<json::Value> objects = {
      std::move(deployment.value), CoreDnsConfigMap(DefaultCorefile(cluster.networking.dns_domain)),
      CoreDnsService(cluster)};
  for (const objects::RbacRow& row : RbacRows()) {
    objects.push_back(objects::ObjectOf(row));
  }
  objects.push_back(kube::ServiceAccount({kSystemNamespace, kName}));
  return {.objects = std::move(objects), .patches = std::move(deployment.applied)};
}

CoreDnsOutcome ApplyCoreDns(kube::Client& client, const config::ClusterConfiguration& cluster,
                            const CoreDnsOptions& options) {
  const InstalledCoreDns installed = FindCoreDns(client);
  CoreDnsOutcome outcome;
  node_input::Patched patched =
      WithPatches(CoreDnsDeployment(cluster, installed.replicas), options.patches);
  const json::Value deployment = std::move(patched.value);
  outcome.patches = std::move(patched.applied);
  const std::optional<json::Value> existing = FindConfigMap(client);
  const Plan plan = PlanFor(existing, installed, cluster);
  outcome.corefile = plan.state;
  outcome.problem = plan.problem;
  if (plan.state == State::kMigrated && options.on_migrating) {
    options.on_migrating();
  }
  ApplyCorefile(client, plan, existing, cluster);
  objects::ApplyRbac(client, RbacRows());
  client.CreateOrUpdate(kube::resources::kServiceAccount,
                        kube::ServiceAccount({kSystemNamespace, kName}));
  if (plan.state == State::kFailed) {
    client.CreateOrRetain(kube::resources::kDeployment, deployment);
  } else {
    client.CreateOrUpdate(kube::resources::kDeployment, deployment);
  }
  ApplyService(client, CoreDnsService(cluster));
  return outcome;
}

}  // namespace addons
