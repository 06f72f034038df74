// SPDX-License-Identifier: Apache-2.0
// Objects of the cluster: configuration, tokens, nodes, Pods.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "base/error.h"
#include "base/threads.h"
#include "config/addresses.h"
#include "config/load.h"
#include "config/paths.h"
#include "config_change/edits.h"
#include "doctor/parts.h"
#include "join_secrets/tokens.h"
#include "join_secrets/upload_certs.h"
#include "json/rfc3339.h"
#include "node_identities/cluster.h"
#include "objects/kubelet_trust.h"
#include "objects/mirror_pod.h"
#include "pki/certificate.h"
#include "pki/request.h"
#include "stored_config/fetch.h"

namespace doctor {
namespace {

using base::Error;
using components::Component;
using json::TextAt;

constexpr std::array<std::string_view, 7> kFailures{
    "CrashLoopBackOff",     "ImagePullBackOff",           "ErrImagePull",     "InvalidImageName",
    "CreateContainerError", "CreateContainerConfigError", "RunContainerError"};

struct Map {
  const char* name_space;
  const char* name;
};
constexpr std::array<Map, 3> kMaps{{{"kube-system", "kubeadm-config"},
                                    {"kube-system", "kubelet-config"},
                                    {"kube-public", "cluster-info"}}};

// Runs all queries concurrently. Each query stores its answer under the lock.
class Questions {
 public:
  Questions(kube::Client& client, ClusterAnswer& answer) : client_(client), answer_(answer) {}

  // Starts a query. If it fails, or gets no answer, adds it to `unseen`.
  void Ask(const char* what, std::function<void()> question) {
    threads_.Add([this, what, question = std::move(question)] {
      try {
        question();
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        answer_.unseen.push_back(fmt::format("{}: {}", what, error.what()));
      }
    });
  }

  // Waits until all queries have ended.
  void Join() { threads_.Join(); }

  template <typename Change>
  void Put(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(answer_);
  }

  kube::Client& client() { return client_; }

  // Runs one query of a list at a time: concurrent ones could need several times the memory.
  template <typename Action>
  auto InTurn(const Action& action) {
    const std::lock_guard lock(list_mutex_);
    return action();
  }

  // Calls `each` with each object of a list, as kube::Client::ForEach does.
  template <typename Action>
  void Each(const kube::Resource& resource, const std::string& name_space, const Action& each) {
    InTurn([&] { client_.ForEach(resource, name_space, each); });
  }

 private:
  kube::Client& client_;
  std::mutex list_mutex_;
  ClusterAnswer& answer_;  // guarded by mutex_
  std::mutex mutex_;
  base::Threads threads_;  // last member: its threads use the others
};

void AskMaps(Questions& questions) {
  for (const Map& map : kMaps) {
    questions.Ask(map.name, [&questions, &map] {
      const auto found =
          questions.client().Find({kube::resources::kConfigMap, map.name_space, map.name});
      if (!found) {
        questions.Put([&](ClusterAnswer& answer) {
          answer.facts.missing_maps.push_back(fmt::format("{}/{}", map.name_space, map.name));
        });
      }
    });
  }
}

TokenFact FactOf(const join_secrets::ListedToken& listed) {
  if (const auto* broken = std::get_if<join_secrets::BrokenToken>(&listed)) {
    return {.id = "(broken)", .problem = broken->problem};
  }
  const auto& token = std::get<config::BootstrapToken>(listed);
  TokenFact fact{.id = token.token.substr(0, token.token.find('.')), .expires = token.expires};
  const auto has = [&](const char* usage) {
    return std::ranges::find(token.usages, usage) != token.usages.end();
  };
  fact.for_joining = has("authentication") && has("signing");
  return fact;
}

void AskTokens(Questions& questions) {
  questions.Ask("bootstrap tokens", [&questions] {
    std::vector<TokenFact> tokens;
    std::ranges::transform(
        questions.InTurn([&] { return join_secrets::ListTokens(questions.client()); }),
        std::back_inserter(tokens), FactOf);
    const bool uploaded =
        questions.client()
            .Find({kube::resources::kSecret, "kube-system", join_secrets::kCertsSecret})
            .has_value();
    questions.Put([&](ClusterAnswer& answer) {
      answer.facts.tokens_seen = true;
      answer.facts.tokens = tokens;
      answer.facts.certs_uploaded = uploaded;
    });
  });
}

// The ClusterRole with which kube-controller-manager approves first certificates, for any name.
constexpr std::string_view kApprovingRole =
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient";

void AskBlanketRule(Questions& questions) {
  questions.Ask("the rules of bound tokens", [&questions] {
    if (!node_identities::FetchIdentities(questions.client()).only_bound_tokens) {
      return;
    }
    std::string found;
    questions.Each(kube::resources::kClusterRoleBinding, "", [&](const json::Value& binding) {
      if (TextAt(binding, {"roleRef", "name"}) == kApprovingRole) {
        found = TextAt(binding, {"metadata", "name"});
      }
      return std::size_t{0};
    });
    questions.Put([&](ClusterAnswer& answer) { answer.facts.blanket_rule = found; });
  });
}

void AskKubeletTrust(Questions& questions) {
  questions.Ask("the published CAs of kubelets", [&questions] {
    std::vector<KubeletTrustFact> facts;
    for (const objects::KubeletTrust& trust : objects::CollectKubeletTrust(questions.client())) {
      KubeletTrustFact& fact = facts.emplace_back();
      fact.object = trust.object;
      for (const pki::Certificate& each : pki::LenientChain(trust.pem)) {
        fact.pins.push_back(pki::Pin(each));
      }
    }
    questions.Put([&](ClusterAnswer& answer) { answer.facts.kubelet_trust = std::move(facts); });
  });
}

std::size_t SizeOf(const NodeFact& fact) {
  std::size_t size = sizeof fact + fact.name.size() + fact.reason.size();
  for (const std::string& pressure : fact.pressures) {
    size += sizeof(std::string) + pressure.size();
  }
  return size;
}

std::size_t SizeOf(const PodFact& fact) {
  return sizeof fact + fact.name.size() + fact.reason.size() + fact.message.size();
}

// Maps the name of each Lease to its last renewal.
std::map<std::string, sys_seconds> Leases(Questions& questions) {
  std::map<std::string, sys_seconds> renewed;
  questions.Each(kube::resources::kLease, "kube-node-lease", [&](const json::Value& lease) {
    if (const auto time = json::ParseRfc3339(TextAt(lease, {"spec", "renewTime"}))) {
      renewed[TextAt(lease, {"metadata", "name"})] = *time;
    }
    return sizeof(NodeFact) + TextAt(lease, {"metadata", "name"}).size();
  });
  return renewed;
}

void AskNodes(Questions& questions) {
  questions.Ask("nodes", [&questions] {
    std::vector<NodeFact> nodes;
    questions.Each(kube::resources::kNode, "", [&](const json::Value& node) {
      return SizeOf(nodes.emplace_back(NodeFactOf(node)));
    });
    const std::map<std::string, sys_seconds> renewed = Leases(questions);
    for (NodeFact& node : nodes) {
      const auto lease = renewed.find(node.name);
      node.renewed = lease == renewed.end() ? std::nullopt : std::optional(lease->second);
    }
    questions.Put([&](ClusterAnswer& answer) {
      answer.facts.nodes_seen = true;
      answer.facts.nodes = std::move(nodes);
    });
  });
}

void AskPods(Questions& questions) {
  questions.Ask("Pods of kube-system", [&questions] {
    std::vector<PodFact> failing;
    std::vector<std::string> api_servers;
    const objects::NodeNames nodes =
        questions.InTurn([&] { return objects::CollectControlPlaneNodes(questions.client()); });
    questions.Each(kube::resources::kPod, "kube-system", [&](const json::Value& pod) {
      std::size_t kept = 0;
      if (auto fact = PodFactOf(pod)) {
        kept += SizeOf(failing.emplace_back(*std::move(fact)));
      }
      const std::string url = objects::NodeOfControlPlanePod(pod, Component::kApiServer, nodes)
                                  ? static_pods::AdvertisedEndpointOf(pod).Url()
                                  : "";
      if (!url.empty()) {
        api_servers.push_back(url);
        kept += sizeof(std::string) + url.size();
      }
      return kept;
    });
    questions.Put([&](ClusterAnswer& answer) {
      std::ranges::move(failing, std::back_inserter(answer.facts.failing_pods));
      std::ranges::move(api_servers, std::back_inserter(answer.api_servers));
    });
  });
}

// Returns the static Pods of this node according to the cluster's configuration.
std::map<std::string, json::Value> Rendered(const config::Init& config, kube::Client& client,
                                            const DoctorSources& sources) {
  std::map<std::string, json::Value> rendered;
  const auto patches = config_change::AdoptedPatches(sources.host.files);
  const config_change::Sources here{.host = sources.host,
                                    .client = client,
                                    .facts = sources.config_facts,
                                    .patches = patches ? &*patches : nullptr};
  for (const Component component : components::kComponents) {
    if (component == Component::kEtcd && config.cluster.etcd.external) {
      continue;
    }
    rendered[std::string(components::Name(component))] =
        config_change::PodOf(component, here, config);
  }
  return rendered;
}

void AskConfiguration(Questions& questions, const DoctorSources& sources) {
  questions.Ask("what the configuration renders", [&questions, &sources] {
    const std::optional<config::ApiEndpoint> local = LocalEndpoint(sources.host.files);
    config::InitConfiguration node;
    node.node_registration.name = NodeName(sources.host.files).value_or("");
    if (local) {
      node.local_api_endpoint = *local;
    }
    try {
      const config::Init config =
          config::LoadStored(stored_config::FetchStoredConfig(questions.client()), std::move(node),
                             sources.config_facts,
                             {.cri_socket = config::CriSocketChoice::kAssume,
                              .advertise_address = config::AdvertiseAddress::kKeep});
      auto rendered = local ? Rendered(config, questions.client(), sources)
                            : std::map<std::string, json::Value>();
      const std::string& endpoint = config.cluster.control_plane_endpoint;
      questions.Put([&](ClusterAnswer& answer) {
        answer.rendered = rendered;
        if (!endpoint.empty() && local) {
          answer.control_plane_endpoint = config::ControlPlaneEndpointUrl(config.cluster, *local);
          answer.api_servers.push_back(answer.control_plane_endpoint);
        }
      });
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInvalid) {
        throw;
      }
      questions.Put([&](ClusterAnswer& answer) {
        answer.facts.broken_maps.push_back("kubeadm-config: " + error.message());
      });
    }
  });
}

}  // namespace

NodeFact NodeFactOf(const json::Value& node) {
  NodeFact fact{.name = TextAt(node, {"metadata", "name"}),
                .ready = false,
                .reason = "its kubelet has not reported yet"};
  const json::Value& conditions = json::At(node, {"status", "conditions"});
  for (const json::Value& condition : conditions.is_array() ? conditions : json::Value::array()) {
    const std::string type = TextAt(condition, {"type"});
    const bool holds = TextAt(condition, {"status"}) == "True";
    if (type == "Ready") {
      fact.ready = holds;
      fact.reason =
          fmt::format("{}: {}", TextAt(condition, {"reason"}), TextAt(condition, {"message"}));
    } else if (holds && type.ends_with("Pressure")) {
      fact.pressures.insert(type);
    }
  }
  return fact;
}

std::optional<PodFact> PodFactOf(const json::Value& pod) {
  const json::Value& statuses = json::At(pod, {"status", "containerStatuses"});
  for (const json::Value& status : statuses.is_array() ? statuses : json::Value::array()) {
    const std::string reason = TextAt(status, {"state", "waiting", "reason"});
    if (std::ranges::find(kFailures, reason) != kFailures.end()) {
      std::string message = TextAt(status, {"state", "waiting", "message"});
      const std::string last = TextAt(status, {"lastState", "terminated", "message"});
      message += (last.empty() ? "" : "\n") + last;
      return PodFact{
          .name = TextAt(pod, {"metadata", "name"}), .reason = reason, .message = message};
    }
  }
  return std::nullopt;
}

ClusterAnswer CollectCluster(const DoctorSources& sources, const kube::Kubeconfig& kubeconfig,
                             const std::stop_token& stop) {
  ClusterAnswer answer;
  answer.facts.asked = true;
  kube::Client client(kube::MakeHttpTransport(kubeconfig, {.request_timeout = kShort}),
                      sources.host.clock, {.limit = std::chrono::milliseconds(0), .grace = {}},
                      stop);
  {
    Questions questions(client, answer);
    AskMaps(questions);
    AskTokens(questions);
    AskBlanketRule(questions);
    AskKubeletTrust(questions);
    AskNodes(questions);
    AskPods(questions);
    AskConfiguration(questions, sources);
    questions.Join();
  }
  std::ranges::sort(answer.unseen);
  return answer;
}

}  // namespace doctor
