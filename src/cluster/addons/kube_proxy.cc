// SPDX-License-Identifier: Apache-2.0
#include "addons/kube_proxy.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config/images.h"
#include "config/marshal.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "kube/objects.h"
#include "kube/wait.h"
#include "objects/rbac.h"
#include "stored_config/config_hash.h"
#include "yaml/yaml.h"

namespace addons {
namespace {

using kube::kSystemNamespace;

constexpr std::string_view kName = "kube-proxy";

const std::vector<objects::RbacRow>& RbacRows() {
  static const std::vector<objects::RbacRow> rows = [] {
    std::vector<objects::RbacRow> all = {
        {.name = "kubeadm:node-proxier",
         .role = "system:node-proxier",
         .subjects = {{.kind = "ServiceAccount", .name = kName, .name_space = kSystemNamespace}}}};
    // A joining node reads the configuration to check that it is compatible.
    for (objects::RbacRow& row : objects::ReadOneRows(
             {.name = kName,
              .name_space = kSystemNamespace,
              .resource = "configmaps",
              .object = kName,
              .subjects = {{.kind = "Group", .name = objects::kBootstrappersGroup}}})) {
      all.push_back(std::move(row));
    }
    return all;
  }();
  return rows;
}

std::string KubeconfigText(const std::string& server) {
  return fmt::format(R"(apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
    server: {}
  name: default
contexts:
- context:
    cluster: default
    namespace: default
    user: default
  name: default
current-context: default
users:
- name: default
  user:
    tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token)",
                     server);
}

json::Value Environment(const std::map<std::string, std::string>& proxies) {
  json::Value environment = json::Value::array(
      {{{"name", "NODE_NAME"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "spec.nodeName"}}}}}}});
  for (const auto& [name, value] : proxies) {
    environment.push_back({{"name", name}, {"value", value}});
  }
  return environment;
}

json::Value Container(const config::ClusterConfiguration& cluster,
                      const std::map<std::string, std::string>& proxies) {
  return {{"name", kName},
          {"image", config::ComponentImage(cluster, std::string(kName))},
          {"imagePullPolicy", "IfNotPresent"},
          {"command",
           {"/usr/local/bin/kube-proxy", "--config=/var/lib/kube-proxy/config.conf",
            "--hostname-override=$(NODE_NAME)"}},
          {"env", Environment(proxies)},
          {"securityContext", {{"privileged", true}}},
          {"volumeMounts",
           json::Value::array(
               {{{"name", "kube-proxy"}, {"mountPath", "/var/lib/kube-proxy"}},
                {{"name", "xtables-lock"}, {"mountPath", "/run/xtables.lock"}},
                {{"name", "lib-modules"}, {"mountPath", "/lib/modules"}, {"readOnly", true}}})}};
}

json::Value Volumes() {
  return json::Value::array(
      {{{"name", "kube-proxy"}, {"configMap", {{"name", kName}}}},
       {{"name", "xtables-lock"},
        {"hostPath", {{"path", "/run/xtables.lock"}, {"type", "FileOrCreate"}}}},
       {{"name", "lib-modules"}, {"hostPath", {{"path", "/lib/modules"}}}}});
}

// The progress of the DaemonSet's rollout, as its controller reports it.
struct Rollout {
  bool seen = false;      // the controller has seen the present template
  long long wanted = 0;   // Pods, one for each node
  long long current = 0;  // Pods of the present template
  long long available = 0;

  // Grows while Pods are replaced, and afterwards while they become available.
  long long Progress() const { return current < wanted ? current : wanted + available; }
  bool IsDone() const { return seen && current >= wanted && available >= wanted; }
  std::string Text() const {
    return fmt::format(
        "of {} Pods of kube-proxy, {} have the new settings, and {} are "
        "available",
        wanted, current, available);
  }
};

Rollout LookAtRollout(kube::Client& client) {
  const json::Value set = client.Get({kube::resources::kDaemonSet, kSystemNamespace, kName});
  const auto number = [&](const char* part, const char* name) {
    const json::Value& value = json::At(set, {part, name});
    return value.is_number_integer() ? value.get<long long>() : 0;
  };
  Rollout rollout{
      .seen = number("status", "observedGeneration") >= number("metadata", "generation"),
      .wanted = number("status", "desiredNumberScheduled")};
  // Before the controller has seen the present template, its numbers describe the previous one.
  if (rollout.seen) {
    rollout.current = number("status", "updatedNumberScheduled");
    rollout.available = number("status", "numberAvailable");
  }
  return rollout;
}

constexpr const char* kPatching = "could not patch the DaemonSet of kube-proxy";

node_input::Patched WithPatches(json::Value daemon_set, const node_input::PatchSet* patches) {
  if (patches == nullptr) {
    return {.value = std::move(daemon_set)};
  }
  return base::WithContext(kPatching, [&] {
    return node_input::ApplyPatches(*patches, node_input::kKubeProxyDaemonSetTarget,
                                    std::move(daemon_set), patch::Schema::kDaemonSet);
  });
}

}  // namespace

json::Value KubeProxyConfigMap(const config::Init& config) {
  std::string text = config::Marshal(config.cluster.kube_proxy.value);
  text.erase(text.find_last_not_of('\n') + 1);
  const std::string server =
      config::ControlPlaneEndpointUrl(config.cluster, config.init.local_api_endpoint);
  json::Value map =
      kube::ConfigMap({kSystemNamespace, kName},
                      {{"config.conf", text}, {"kubeconfig.conf", KubeconfigText(server)}});
  map["metadata"]["labels"] = {{"app", kName}};
  return map;
}

json::Value KubeProxyDaemonSet(const config::ClusterConfiguration& cluster,
                               const std::map<std::string, std::string>& proxies) {
  const json::Value labels = {{"k8s-app", kName}};
  const json::Value pod = {{"priorityClassName", "system-node-critical"},
                           {"containers", json::Value::array({Container(cluster, proxies)})},
                           {"hostNetwork", true},
                           {"serviceAccountName", kName},
                           {"volumes", Volumes()},
                           {"tolerations", json::Value::array({{{"operator", "Exists"}}})},
                           {"nodeSelector", {{"kubernetes.io/os", "linux"}}}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "DaemonSet"},
          {"metadata", {{"name", kName}, {"namespace", kSystemNamespace}, {"labels", labels}}},
          {"spec",
           {{"selector", {{"matchLabels", labels}}},
            {"updateStrategy", {{"type", "RollingUpdate"}}},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod}}}}}};
}

KubeProxyManifestList KubeProxyManifests(const config::Init& config,
                                         const node_input::PatchSet* patches) {
  KubeProxyManifestList list{.objects = {kube::ServiceAccount({kSystemNamespace, kName})}};
  for (const objects::RbacRow& row : RbacRows()) {
    list.objects.push_back(objects::ObjectOf(row));
  }
  list.objects.push_back(KubeProxyConfigMap(config));
  json::Value daemon_set = KubeProxyDaemonSet(config.cluster, {});
  // readOnly is false by default. It is printed, so that the reader sees that this mount is
  // writable on purpose.
  daemon_set["spec"]["template"]["spec"]["containers"][0]["volumeMounts"][1]["readOnly"] = false;
  node_input::Patched patched = WithPatches(std::move(daemon_set), patches);
  list.objects.push_back(std::move(patched.value));
  list.patches = std::move(patched.applied);
  return list;
}

std::vector<node_input::AppliedPatch> ApplyKubeProxy(kube::Client& client,
                                                     const config::Init& config,
                                                     const KubeProxyOptions& options) {
  node_input::Patched patched =
      WithPatches(KubeProxyDaemonSet(config.cluster, options.proxies), options.patches);
  if (!patched.applied.empty()) {
    patched.value = base::WithContext(
        kPatching, [&] { return node_input::Decoded(patched.value, "apps/v1", "DaemonSet"); });
  }
  json::Value map = KubeProxyConfigMap(config);
  stored_config::AnnotateHash(map, config.cluster.kube_proxy);
  client.CreateOrUpdate(kube::resources::kConfigMap, map);
  client.CreateOrUpdate(kube::resources::kDaemonSet, patched.value);
  client.CreateOrUpdate(kube::resources::kServiceAccount,
                        kube::ServiceAccount({kSystemNamespace, kName}));
  objects::ApplyRbac(client, RbacRows());
  return std::move(patched.applied);
}

void RestartKubeProxy(kube::Client& client, std::chrono::sys_seconds at) {
  client.Retry("could not restart kube-proxy", [&] {
    client.Patch({kube::resources::kDaemonSet, kSystemNamespace, kName},
                 "application/strategic-merge-patch+json",
                 {{"spec",
                   {{"template",
                     {{"metadata",
                       {{"annotations",
                         {{"kubectl.kubernetes.io/restartedAt", json::FormatRfc3339(at)}}}}}}}}}});
  });
}

void WaitForKubeProxy(kube::Client& client, const RolloutWait& wait) {
  Rollout last;
  long long best = 0;
  while (!last.IsDone()) {
    best = std::max(best, last.Progress());
    kube::WaitUntil(kube::PatientProbe([&](const std::stop_token&) -> std::optional<kube::NotYet> {
                      last = LookAtRollout(client);
                      return last.IsDone() || last.Progress() > best
                                 ? std::nullopt
                                 : std::optional(kube::NotYet{last.Text()});
                    }),
                    {.clock = wait.clock,
                     .most = std::chrono::milliseconds(1'000),
                     .limit = wait.patience,
                     .stop = wait.stop,
                     .culprit = {}});
  }
}

std::string ManifestText(const std::vector<json::Value>& objects) {
  std::string text;
  for (const json::Value& object : objects) {
    text += "---\n" + yaml::Emit(object);
  }
  return text;
}

}  // namespace addons
