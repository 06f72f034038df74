// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/recovery_facts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/paths.h"
#include "control_plane/running.h"
#include "etcd/health.h"
#include "etcd_maintenance/access.h"
#include "etcd_membership/local_etcd.h"
#include "kube/client.h"
#include "kube/objects.h"
#include "kubeconfigs/connect.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace etcd_maintenance {
namespace {

namespace fs = host::fs;
using base::Error;

// An API server without etcd answers a list request only after minutes.
constexpr std::chrono::seconds kApiLimit{5};

// A subdirectory of etcd's data directory, so that a rename can move the data aside. `kubeadm
// reset` removes "member.*".
constexpr std::string_view kKept = "member.before-recover";

// Returns an unused path, because data of an earlier recovery are never replaced.
fs::path FreeName(const fs::path& wanted, const host::Files& files) {
  fs::path name = wanted;
  for (int number = 2; files.Exists(name); ++number) {
    name = fmt::format("{}.{}", wanted.string(), number);
  }
  return name;
}

fs::path ManifestPath() { return components::ManifestPath(components::Component::kEtcd); }

RecoveryFacts FactsOfPod(const json::Value& pod, const host::Files& files) {
  RecoveryFacts facts{.own = backup::IdentityOf(pod, ManifestPath().string()),
                      .image = static_pods::FirstImage(pod).value_or(""),
                      .data_directory = etcd_membership::ReadLocalEtcd(pod).data_dir,
                      .others = {}};
  if (facts.image.empty() || facts.data_directory.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} names no image, or no volume etcd-data of the host",
                            ManifestPath().string()));
  }
  facts.version = control_plane::ImageTag(facts.image);
  const fs::path member = facts.data_directory / etcd_membership::kMemberDirectory;
  facts.has_data = files.Exists(member / "snap" / "db") && files.Exists(member / "wal");
  facts.kept = FreeName(facts.data_directory / kKept, files);
  return facts;
}

void AddMembers(const etcd::Health& health, RecoveryFacts& facts) {
  facts.has_quorum = health.HasQuorum();
  for (const etcd::MemberHealth& each : health.members) {
    if (std::ranges::contains(each.member.peer_urls, facts.own.peer_url)) {
      if (each.status) {
        facts.revision = each.status->revision;
        facts.version = each.status->version;
      }
      continue;
    }
    facts.others.push_back({.name = etcd::NameOf(each.member),
                            .problem = each.status ? "" : each.problem.value_or("")});
  }
}

// Adds the members that etcd's manifest names. No member has listed the members, so none of them
// answers.
void AddPeersOfManifest(const json::Value& pod, const std::string& problem, RecoveryFacts& facts) {
  const std::string all = static_pods::CommandArg(pod, "initial-cluster").value_or("");
  for (const std::string& entry : base::Split(all, ',')) {
    const std::string name = entry.substr(0, entry.find('='));
    if (!name.empty() && name != facts.own.name) {
      facts.others.push_back({.name = name, .problem = problem});
    }
  }
}

// Returns the kubeconfig file with which an API server lists objects; "" if none does. An API
// server can list objects only if etcd has a majority.
std::string AnsweringApi(const host::Host& host, const std::stop_token& stop) {
  const fs::path conf = fs::path(config::kKubernetesDir) / config::kAdminConf;
  try {
    kube::Client client(kubeconfigs::ConnectBy(host, conf, {.request_timeout = kApiLimit}),
                        host.clock, {.limit = kApiLimit}, stop);
    client.List(kube::resources::kPod, kube::kSystemNamespace, {.labels = "component=etcd"});
  } catch (const Error&) {
    return "";
  }
  return conf.string();
}

}  // namespace

RecoveryFacts CollectRecoveryFacts(const RecoveryRequest& request) {
  const json::Value pod = LoadEtcdPod(request.host.files, "");
  RecoveryFacts facts = FactsOfPod(pod, request.host.files);
  const Access access =
      Connect({.host = request.host, .endpoints = request.endpoints, .stop = request.stop});
  try {
    AddMembers(etcd::ClusterHealth(*access.client), facts);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kUnavailable && error.kind() != Error::Kind::kTimeout) {
      throw;
    }
    AddPeersOfManifest(pod, error.message(), facts);
  }
  std::ranges::sort(facts.others, {}, &OtherMember::name);  // etcd orders its members by random ids
  facts.api_server = AnsweringApi(request.host, request.stop);
  return facts;
}

RecoveryFacts ResumedFacts(const engine::Journal& journal, const host::Files& files) {
  RecoveryFacts facts = FactsOfPod(LoadEtcdPod(files, journal.directory), files);
  const json::Value& revision = json::At(journal.facts, {"revision"});
  const json::Value& others = json::At(journal.facts, {"others"});
  const std::string kept = json::TextAt(journal.facts, {"kept"});
  if (!revision.is_number_integer() || !others.is_array() || kept.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} lacks the facts of an interrupted recovery",
                            engine::JournalPath(kRecoverOperation).string()));
  }
  facts.revision = revision.get<std::int64_t>();
  facts.kept = kept;
  for (const json::Value& name : others) {
    facts.others.push_back(
        {.name = name.is_string() ? name.get<std::string>() : "", .problem = "it was lost"});
  }
  return facts;
}

std::optional<std::string> RecoveryRefusal(const RecoveryFacts& facts) {
  if (facts.has_quorum) {
    return "etcd has its majority: remove lost members one by one with 'kubeadm etcd remove'";
  }
  for (const OtherMember& other : facts.others) {
    if (other.problem.empty()) {
      return fmt::format(
          "its member {} answers: start the other members, so that etcd gets its majority back. If "
          "they are lost, keep the member with the higher revision ('kubeadm etcd status'), and "
          "stop the etcd of the other one first (move its manifest out of {})",
          other.name, ManifestPath().parent_path().string());
    }
  }
  if (!facts.api_server.empty()) {
    return fmt::format(
        "an API server answers by {}, so etcd has its majority on other nodes: repair the member "
        "of this node instead ('kubeadm reset' and 'kubeadm join --control-plane')",
        facts.api_server);
  }
  if (!facts.has_data) {
    return fmt::format(
        "{} lacks etcd's database or its log: bring the cluster back by 'kubeadm "
        "restore'",
        (facts.data_directory / etcd_membership::kMemberDirectory).string());
  }
  if (const auto problem = backup::RevisionBumpProblem(facts.version)) {
    return fmt::format("{}: name an image of etcd {} or later in {} first", *problem,
                       backup::kFirstWithRevisionBump, ManifestPath().string());
  }
  return std::nullopt;
}

json::Value LoadEtcdPod(const host::Files& files, const std::string& backup_directory) {
  const fs::path path = ManifestPath();
  std::optional<std::string> content = files.Find(path);
  if (!content && !backup_directory.empty()) {
    content = files.Find(fs::path(backup_directory) / path.relative_path());
  }
  if (!content) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("this node runs no etcd: {} does not exist. An external etcd is "
                            "recovered on its own hosts, by etcd --force-new-cluster",
                            path.string()));
  }
  return base::WithContext(path.string(), [&] { return yaml::Parse(*content).value; });
}

json::Value ToJson(const RecoveryFacts& facts) {
  json::Value others = json::Value::array();
  for (const OtherMember& other : facts.others) {
    others.push_back(other.name);
  }
  return {
      {"revision", facts.revision}, {"others", std::move(others)}, {"kept", facts.kept.string()}};
}

}  // namespace etcd_maintenance
