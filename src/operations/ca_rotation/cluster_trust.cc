// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/cluster_trust.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "certs/tree.h"
#include "join_secrets/cluster_info.h"
#include "kube/kubeconfig.h"
#include "kube/objects.h"

namespace ca_rotation {
namespace {

using base::Error;
namespace resources = kube::resources;

constexpr const char* kStrategic = "application/strategic-merge-patch+json";
constexpr std::string_view kAddonAnnotation = "rotate-ca.kubeadm.slipway/trusts";
constexpr const char* kRootCaConfigMap = "kube-root-ca.crt";

std::string System() { return std::string(kube::kSystemNamespace); }

struct Addon {
  const kube::Resource& resource;
  const char* name;
};
const std::array<Addon, 2> kAddons = {
    {{resources::kDaemonSet, "kube-proxy"}, {resources::kDeployment, "coredns"}}};

bool IsDaemonSet(const Addon& addon) { return &addon.resource == &resources::kDaemonSet; }

long NumberAt(const json::Value& object, std::string_view part, std::string_view field) {
  const json::Value& value = json::At(object, {part, field});
  return value.is_number_integer() ? value.get<long>() : 0L;
}

// Returns "" if all Pods of a DaemonSet or Deployment are of its newest revision and ready.
std::string RolloutProblem(const Addon& addon, const json::Value& object) {
  const auto number = [&](std::string_view part, std::string_view field) {
    return NumberAt(object, part, field);
  };
  const bool daemons = IsDaemonSet(addon);
  const long wanted =
      daemons ? number("status", "desiredNumberScheduled") : number("spec", "replicas");
  const long updated = number("status", daemons ? "updatedNumberScheduled" : "updatedReplicas");
  const long ready = number("status", daemons ? "numberAvailable" : "availableReplicas");
  if (number("status", "observedGeneration") < number("metadata", "generation")) {
    return fmt::format("{}: its controller has not seen the change yet", addon.name);
  }
  const bool done = updated >= wanted && ready >= wanted;
  return done ? ""
              : fmt::format("{}: {} of {} Pods are new, {} are available", addon.name, updated,
                            wanted, ready);
}

struct ProxyRollout {
  const std::string& pin;
  const std::vector<std::string>& left_behind;
};

// Returns "" if the kube-proxy Pods on all nodes except the ignored ones are new and ready.
// Otherwise returns the first problem. If this problem is an old Pod, deletes the Pod, so that it
// is recreated.
std::string ProxyProblem(kube::Client& client, const json::Value& daemon_set,
                         const ProxyRollout& rollout) {
  long fresh = 0;
  for (const json::Value& pod :
       client.List(resources::kPod, System(), {.labels = "k8s-app=kube-proxy"})) {
    const std::string node = json::TextAt(pod, {"spec", "nodeName"});
    if (!kube::IsOwnedBy(pod, resources::kDaemonSet.kind, "kube-proxy") ||
        std::ranges::contains(rollout.left_behind, node)) {
      continue;
    }
    const std::string name = json::TextAt(pod, {"metadata", "name"});
    if (json::TextAt(pod, {"metadata", "annotations", kAddonAnnotation}) != rollout.pin) {
      if (json::TextAt(pod, {"metadata", "deletionTimestamp"}).empty()) {
        client.Delete({resources::kPod, System(), name});
      }
      return fmt::format("kube-proxy: Pod {} on node {} is being replaced", name, node);
    }
    const json::Value* ready = kube::FindCondition(pod, "Ready");
    if (ready == nullptr || json::TextAt(*ready, {"status"}) != "True") {
      return fmt::format("kube-proxy: Pod {} on node {} is not ready", name, node);
    }
    ++fresh;
  }
  const long wanted = NumberAt(daemon_set, "status", "desiredNumberScheduled") -
                      static_cast<long>(rollout.left_behind.size());
  return fresh >= wanted ? "" : fmt::format("kube-proxy: {} of {} Pods are new", fresh, wanted);
}

}  // namespace

void PublishCa(kube::Client& client, const std::vector<Anchor>& anchors) {
  const std::string pem = PemOf(anchors);
  client.Retry("could not write ConfigMap \"cluster-info\"", [&] {
    auto object = client.Find(
        {resources::kConfigMap, kube::kPublicNamespace, std::string(join_secrets::kClusterInfo)});
    if (!object) {
      return;
    }
    kube::Kubeconfig info =
        kube::Kubeconfig::Parse(json::TextAt(*object, {"data", join_secrets::kClusterInfoKey}));
    for (auto& [name, cluster] : info.clusters) {
      cluster.certificate_authority_data = pem;
    }
    const std::string text = info.Text();
    json::Value& data = (*object)["data"];
    if (data[std::string(join_secrets::kClusterInfoKey)] == text) {
      return;
    }
    // Removes the old signatures, which no longer match. A node that joins now finds no signature
    // instead of a wrong one.
    data = {{std::string(join_secrets::kClusterInfoKey), text}};
    client.Update(resources::kConfigMap, *object);
  });
}

kube::Probe PodsTrustProbe(kube::Client& client, std::string pin) {
  return [&client, pin = std::move(pin)](const std::stop_token&) -> std::optional<kube::NotYet> {
    const std::string selector = fmt::format("metadata.name={}", kRootCaConfigMap);
    for (const json::Value& object : client.List(resources::kConfigMap, "", {.fields = selector})) {
      const std::vector<Anchor> anchors = ParseAnchors(json::TextAt(object, {"data", "ca.crt"}));
      if (FindPin(anchors, pin) == nullptr) {
        return kube::NotYet{fmt::format(
            "ConfigMap {} of namespace {} lacks the new certificate: the controller manager that "
            "leads has not written it yet",
            kRootCaConfigMap, json::TextAt(object, {"metadata", "namespace"}))};
      }
    }
    return std::nullopt;
  };
}

void RestartAddons(kube::Client& client, const std::string& pin) {
  for (const Addon& addon : kAddons) {
    client.Retry(fmt::format("could not restart {}", addon.name), [&] {
      if (client.Find({addon.resource, System(), addon.name})) {
        client.Patch(
            {addon.resource, System(), addon.name}, kStrategic,
            {{"spec",
              {{"template", {{"metadata", {{"annotations", {{kAddonAnnotation, pin}}}}}}}}}});
      }
    });
  }
}

kube::Probe AddonsProbe(kube::Client& client, std::string pin,
                        std::vector<std::string> left_behind) {
  return [&client, pin = std::move(pin), left_behind = std::move(left_behind)](
             const std::stop_token&) -> std::optional<kube::NotYet> {
    for (const Addon& addon : kAddons) {
      const auto object = client.Find({addon.resource, System(), addon.name});
      const bool by_node = IsDaemonSet(addon) && !left_behind.empty();
      const auto problem_of = [&](const json::Value& found) {
        return by_node ? ProxyProblem(client, found, {.pin = pin, .left_behind = left_behind})
                       : RolloutProblem(addon, found);
      };
      if (std::string problem = object ? problem_of(*object) : ""; !problem.empty()) {
        return kube::NotYet{std::move(problem)};
      }
    }
    return std::nullopt;
  };
}

void ForgetOldCa(kube::Client& client, const Authority& authority, std::string_view old_pin) {
  const std::string key =
      authority.row == certs::kCa ? "client-ca-file" : "requestheader-client-ca-file";
  client.Retry("could not write ConfigMap \"extension-apiserver-authentication\"", [&] {
    auto object =
        client.Find({resources::kConfigMap, System(), "extension-apiserver-authentication"});
    if (!object) {
      return;
    }
    const std::string pem = json::TextAt(*object, {"data", key});
    const std::string kept = WithoutAnchor(pem, old_pin);
    if (kept != pem) {
      (*object)["data"][key] = kept;
      client.Update(resources::kConfigMap, *object);
    }
  });
}

std::vector<std::string> OldTokenSecrets(kube::Client& client, std::string_view pin) {
  std::vector<json::Value> secrets;
  client.Retry("could not list the Secrets of service account tokens", [&] {
    secrets =
        client.List(resources::kSecret, "", {.fields = "type=kubernetes.io/service-account-token"});
  });
  std::vector<std::string> names;
  for (const json::Value& secret : secrets) {
    if (TokenKeyId(kube::SecretValue(secret, "token").value_or("")) == KeyIdOf(pin)) {
      names.push_back(fmt::format("{}/{}", json::TextAt(secret, {"metadata", "namespace"}),
                                  json::TextAt(secret, {"metadata", "name"})));
    }
  }
  return names;
}

std::string KeyIdOf(std::string_view pin) {
  return base::Base64UrlEncode(base::HexDecode(pin.substr(pin.find(':') + 1)));
}

std::string TokenKeyId(std::string_view token) {
  std::string header(token.substr(0, token.find('.')));
  std::ranges::replace(header, '-', '+');
  std::ranges::replace(header, '_', '/');
  header.append((4 - header.size() % 4) % 4, '=');
  try {
    return json::TextAt(json::Parse(base::Base64Decode(header)), {"kid"});
  } catch (const Error&) {
    return "";
  }
}

}  // namespace ca_rotation
