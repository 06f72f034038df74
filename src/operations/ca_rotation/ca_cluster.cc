#include "ca_rotation/ca_cluster.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "kube/kubeconfig.h"
#include "kube/objects.h"
#include "node_objects/mark.h"
#include "rbac/rbac.h"
#include "tokens/cluster_info.h"

namespace ca_rotation {
namespace {

using base::Error;
namespace resources = kube::resources;

constexpr const char* kStrategic = "application/strategic-merge-patch+json";
constexpr const char* kMerge = "application/merge-patch+json";
constexpr std::string_view kAddonAnnotation = "rotate-ca.kubeadm.slipway/trusts";
constexpr const char* kRootCaConfigMap = "kube-root-ca.crt";

std::string System() { return std::string(kube::kSystemNamespace); }

struct Addon {
  const kube::Resource& resource;
  const char* name;
};
const std::array<Addon, 2> kAddons = {
    {{resources::kDaemonSet, "kube-proxy"}, {resources::kDeployment, "coredns"}}};

std::string PemKey(const Authority& authority) { return fmt::format("{}.pem", authority.name); }
std::string StepKey(const Authority& authority) { return fmt::format("{}.step", authority.name); }

std::optional<Record> RecordIn(const json::Value& config_map, const Authority& authority) {
  const std::string pem = json::TextAt(config_map, {"data", PemKey(authority)});
  const std::vector<Anchor> anchors = ParseAnchors(pem);
  const auto step = ParseStep(json::TextAt(config_map, {"data", StepKey(authority)}));
  if (anchors.size() != 1 || !step) {
    return std::nullopt;
  }
  return Record{.pin = anchors.front().pin, .pem = anchors.front().pem, .step = *step};
}

NodeState StateIn(const json::Value& node, const Authority& authority, std::string_view pin) {
  const json::Value& labels = json::At(node, {"metadata", "labels"});
  NodeState state{.name = json::TextAt(node, {"metadata", "name"}),
                  .control_plane = labels.is_object() &&
                                   labels.contains(std::string(node_objects::kControlPlaneLabel))};
  state.created = json::ParseRfc3339(json::TextAt(node, {"metadata", "creationTimestamp"}))
                      .value_or(std::chrono::sys_seconds{});
  const auto mark =
      ParseMark(json::TextAt(node, {"metadata", "annotations", MarkAnnotation(authority)}));
  if (mark && mark->pin == pin) {
    state.done = mark->step;
    state.at = mark->at;
  }
  return state;
}

// RolloutProblem is "" when all Pods of a DaemonSet or Deployment are of its newest form and ready.
std::string RolloutProblem(const Addon& addon, const json::Value& object) {
  const auto number = [&](std::string_view part, std::string_view field) {
    const json::Value& value = json::At(object, {part, field});
    return value.is_number_integer() ? value.get<long>() : 0L;
  };
  const bool daemons = &addon.resource == &resources::kDaemonSet;
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

}  // namespace

std::string MarkAnnotation(const Authority& authority) {
  return fmt::format("rotate-ca.kubeadm.slipway/{}", authority.name);
}

std::optional<Record> FindRecord(kube::Client& client, const Authority& authority) {
  std::optional<json::Value> found;
  try {
    client.Retry(fmt::format("could not read ConfigMap \"{}\"", kRecordConfigMap), [&] {
      found = client.Find(resources::kConfigMap, System(), std::string(kRecordConfigMap));
    });
  } catch (const Error& error) {
    // Before the first rotation nobody has let workers read it.
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
  }
  return found ? RecordIn(*found, authority) : std::nullopt;
}

void Claim(kube::Client& client, const Authority& authority, const Anchor& anchor,
           const std::optional<Record>& before) {
  rbac::ApplyRbac(client,
                  rbac::ReadOneRows({.name = "kubeadm:rotate-ca",
                                     .name_space = kube::kSystemNamespace,
                                     .resource = "configmaps",
                                     .object = kRecordConfigMap,
                                     .subjects = {{.kind = "Group", .name = rbac::kNodesGroup}}}));
  client.CreateOrRetain(resources::kConfigMap,
                        kube::ConfigMap({kube::kSystemNamespace, kRecordConfigMap}, {}));
  client.Retry("could not note the rotation's beginning", [&] {
    json::Value object = client.Get(resources::kConfigMap, System(), std::string(kRecordConfigMap));
    const auto now = RecordIn(object, authority);
    if (now && now->pin == anchor.pin) {
      return;
    }
    if (now && (!before || now->pin != before->pin)) {
      throw Error(Error::Kind::kAlreadyExists,
                  fmt::format("another node has begun to replace the {} at this moment; run the "
                              "same command again",
                              authority.long_name));
    }
    object["data"][PemKey(authority)] = anchor.pem;
    object["data"][StepKey(authority)] = NameOf(Step::kTrust);
    client.Update(resources::kConfigMap, object);
  });
}

void SetStep(kube::Client& client, const Authority& authority, Step step) {
  client.Retry("could not note the rotation's step", [&] {
    json::Value object = client.Get(resources::kConfigMap, System(), std::string(kRecordConfigMap));
    const auto now = RecordIn(object, authority);
    if (!now || now->step >= step) {
      return;
    }
    object["data"][StepKey(authority)] = NameOf(step);
    client.Update(resources::kConfigMap, object);
  });
}

std::vector<NodeState> StatesOf(kube::Client& client, const Authority& authority,
                                std::string_view pin) {
  std::vector<json::Value> nodes;
  client.Retry("could not list the nodes", [&] { nodes = client.List(resources::kNode, ""); });
  std::vector<NodeState> states;
  for (const json::Value& node : nodes) {
    NodeState state = StateIn(node, authority, pin);
    if (state.control_plane || authority.on_workers) {
      states.push_back(std::move(state));
    }
  }
  return states;
}

NodeState StateOf(kube::Client& client, const std::string& node, const Authority& authority,
                  std::string_view pin) {
  json::Value found;
  client.Retry(fmt::format("could not read node \"{}\"", node),
               [&] { found = client.Get(resources::kNode, "", node); });
  return StateIn(found, authority, pin);
}

void SetMark(kube::Client& client, const std::string& node, const Authority& authority,
             const Mark& mark) {
  client.Retry(fmt::format("could not mark node \"{}\"", node), [&] {
    client.Patch(resources::kNode, "", node, kMerge,
                 {{"metadata", {{"annotations", {{MarkAnnotation(authority), TextOf(mark)}}}}}});
  });
}

void PublishCa(kube::Client& client, const std::vector<Anchor>& anchors) {
  std::string pem;
  for (const Anchor& anchor : anchors) {
    pem += anchor.pem;
  }
  client.Retry("could not write ConfigMap \"cluster-info\"", [&] {
    auto object = client.Find(resources::kConfigMap, std::string(kube::kPublicNamespace),
                              std::string(tokens::kClusterInfo));
    if (!object) {
      return;
    }
    kube::Kubeconfig info =
        kube::Kubeconfig::Parse(json::TextAt(*object, {"data", tokens::kClusterInfoKey}));
    for (auto& [name, cluster] : info.clusters) {
      cluster.certificate_authority_data = pem;
    }
    const std::string text = info.Text();
    json::Value& data = (*object)["data"];
    if (data[std::string(tokens::kClusterInfoKey)] == text) {
      return;
    }
    // Whoever joins at this moment shall rather find no signature than a wrong one.
    data = {{std::string(tokens::kClusterInfoKey), text}};
    client.Update(resources::kConfigMap, *object);
  });
}

kube::Probe PodsTrustProbe(kube::Client& client, std::string pin) {
  return [&client, pin = std::move(pin)](const std::stop_token&) -> std::optional<kube::NotYet> {
    const std::string selector = fmt::format("metadata.name={}", kRootCaConfigMap);
    for (const json::Value& object : client.List(resources::kConfigMap, "", "", selector)) {
      const std::vector<Anchor> anchors = ParseAnchors(json::TextAt(object, {"data", "ca.crt"}));
      if (std::ranges::find(anchors, pin, &Anchor::pin) == anchors.end()) {
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
      if (client.Find(addon.resource, System(), addon.name)) {
        client.Patch(
            addon.resource, System(), addon.name, kStrategic,
            {{"spec",
              {{"template", {{"metadata", {{"annotations", {{kAddonAnnotation, pin}}}}}}}}}});
      }
    });
  }
}

kube::Probe AddonsProbe(kube::Client& client) {
  return [&client](const std::stop_token&) -> std::optional<kube::NotYet> {
    for (const Addon& addon : kAddons) {
      const auto object = client.Find(addon.resource, System(), addon.name);
      if (std::string problem = object ? RolloutProblem(addon, *object) : ""; !problem.empty()) {
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
        client.Find(resources::kConfigMap, System(), "extension-apiserver-authentication");
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
    secrets = client.List(resources::kSecret, "", "", "type=kubernetes.io/service-account-token");
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

std::string WithoutAnchor(const std::string& pem, std::string_view pin) {
  const std::vector<Anchor> anchors = ParseAnchors(pem);
  if (std::ranges::find(anchors, pin, &Anchor::pin) == anchors.end()) {
    return pem;
  }
  std::string kept;
  for (const Anchor& anchor : anchors) {
    if (anchor.pin != pin) {
      kept += anchor.pem;
    }
  }
  return kept;
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
