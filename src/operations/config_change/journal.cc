// SPDX-License-Identifier: Apache-2.0
#include "config_change/journal.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "certs/disk.h"
#include "certs/tree.h"
#include "components/table.h"
#include "engine/operation.h"
#include "json/fields.h"
#include "kubelet/node_config.h"
#include "pki/crypto.h"
#include "workflow/state_file.h"

namespace config_change {
namespace {

using base::Error;
using control_plane::PodChange;
using engine::State;
using engine::StepState;
using host::fs::path;

// The files of the first release: a change, and the state of its static Pods.
constexpr workflow::StateFile kEarlierJournal{
    .path = "/var/lib/slipway/config-change.json",
    .refusal =
        "{} is not a journal of a change: {}; remove it if no change of this node's "
        "configuration is to be rolled back"};
constexpr workflow::StateFile kEarlierPods{
    .path = "/var/lib/slipway/config-change-pods.json",
    .refusal =
        "{} is not the record of a change's static Pods: {}; remove it and "
        "/var/lib/slipway/config-change.json if no change of this node's configuration is to be "
        "rolled back"};

constexpr const char* kReplace = "replace";
constexpr const char* kRestart = "restart";

json::Value ToJson(const std::optional<config::StoredComponent>& component) {
  return component ? json::Value{{"text", component->text}, {"generated", component->generated}}
                   : json::Value();
}

std::optional<config::StoredComponent> ComponentIn(const json::Value& value) {
  return value.is_null() ? std::nullopt
                         : std::optional(config::StoredComponent{
                               .text = value.at("text").get<std::string>(),
                               .generated = value.at("generated").get<bool>()});
}

// Returns the certificate's name as the literal of its row. Throws base::Error(kInvalid) for an
// unknown name.
std::string_view CertificateIn(const json::Value& value) {
  const auto row =
      std::ranges::find(certs::Tree(), value.get<std::string>(), &certs::CertSpec::name);
  if (row == certs::Tree().end()) {
    throw Error(Error::Kind::kInvalid, "it names an unknown certificate");
  }
  return row->name;
}

PodChange PodIn(const json::Value& value) {
  const auto component = std::ranges::find(
      components::kComponents, value.at("component").get<std::string>(), &components::Name);
  const std::string what = value.at("what").get<std::string>();
  if (component == components::kComponents.end() || (what != kReplace && what != kRestart)) {
    throw Error(Error::Kind::kInvalid, "it names an unknown change of a static Pod");
  }
  return {.component = *component,
          .pod = {},
          .what = what == kReplace ? PodChange::What::kReplace : PodChange::What::kRestart};
}

Recorded Decode(const json::Value& facts) {
  Recorded recorded{
      .before = {.stored = {.cluster = facts.at("cluster").get<std::string>(),
                            .kubelet = ComponentIn(facts.at("kubeletConfiguration")),
                            .kube_proxy = ComponentIn(facts.at("kubeProxyConfiguration"))}},
      .plan = {.kubelet = facts.at("kubelet").get<bool>(),
               .stores = facts.at("stores").get<bool>(),
               .core_dns = facts.at("coreDns").get<bool>(),
               .kube_proxy = facts.at("kubeProxy").get<bool>()}};
  json::DecodeProblems problems;
  json::Decode(facts.at("node"), recorded.before.node, json::kAllVersions, problems);
  problems.errors.ThrowIfAny();
  std::ranges::transform(facts.at("certificates"), std::back_inserter(recorded.plan.certificates),
                         CertificateIn);
  std::ranges::transform(facts.at("pods"), std::back_inserter(recorded.plan.pods), PodIn);
  return recorded;
}

// Converts the journal of the first release. That release stored all copies in one directory. The
// name of a certificate's copy begins with the name of the directory of the original.
class Earlier {
 public:
  Earlier(const json::Value& json, const host::Files& files)
      : json_(json),
        pods_(workflow::LoadStateFile(
                  files, kEarlierPods,
                  [](const json::Value& value) {
                    return value.at("manifests").get<std::map<std::string, std::string>>();
                  })
                  .value_or(std::map<std::string, std::string>())),
        written_(json.value("written", std::map<std::string, std::string>())),
        journal_{.operation = std::string(kOperation),
                 .id = json.value("id", std::string()),
                 .intent = json::Value::object(),
                 .directory = json.at("directory").get<std::string>()} {}

  engine::Journal Convert() {
    SetState();
    AddFacts();
    const Recorded recorded = Decode(journal_.facts);
    AddFiles(recorded);
    AddSteps(recorded.plan);
    return std::move(journal_);
  }

 private:
  void SetState() {
    static const std::map<std::string, State> states = {
        {"applying", State::kApplying}, {"trying", State::kTrying}, {"kept", State::kDone}};
    const auto state = states.find(json_.at("state").get<std::string>());
    if (state == states.end()) {
      throw Error(Error::Kind::kInvalid, "its state is unknown");
    }
    journal_.state = IsNodeRestored() ? State::kRollingBack : state->second;
    journal_.until = json_.at("until").get<std::int64_t>();
  }

  void AddFacts() {
    json::Value& facts = journal_.facts;
    for (const char* name : {"cluster", "kubeletConfiguration", "kubeProxyConfiguration", "node",
                             "certificates", "kubelet", "coreDns", "kubeProxy"}) {
      facts[name] = json_.at(name);
    }
    facts["stores"] = json_.at("stored");
    facts[kStoredAs] = json_.value(kStoredAs, std::string());
    facts["pods"] = json::Value::array();
    std::vector<std::string_view> certificates;
    std::ranges::transform(json_.at("certificates"), std::back_inserter(certificates),
                           CertificateIn);
    const auto restarted = components::ComponentsUsing(certificates);
    for (const components::Component component : components::kComponents) {
      const bool replaced = pods_.contains(std::string(components::Name(component)));
      if (replaced || std::ranges::contains(restarted, component)) {
        facts["pods"].push_back(
            {{"component", components::Name(component)}, {"what", replaced ? kReplace : kRestart}});
      }
    }
  }

  void AddFiles(const Recorded& recorded) {
    const path directory = config::DecodeCluster(recorded.before.stored.cluster).certificates_dir;
    for (const std::string_view name : recorded.plan.certificates) {
      const certs::CertSpec& spec = certs::FindSpec(name);
      AddFile(certs::CertPath(directory, spec.base_name), 0644);
      AddFile(certs::KeyPath(directory, spec.base_name), 0600);
    }
    if (recorded.plan.kubelet) {
      AddFile(path(kubelet::kConfigFile), 0644);
    }
    for (const components::Component component : components::kComponents) {
      const auto copies = pods_.find(std::string(components::Name(component)));
      if (copies != pods_.end()) {
        const path manifest = components::ManifestPath(component);
        journal_.files.push_back({.path = manifest.string(),
                                  .copy = (path(copies->second) / manifest.filename()).string(),
                                  .mode = 0600,
                                  .written = Written(manifest),
                                  .pod = true});
      }
    }
  }

  void AddFile(const path& file, std::int32_t mode) {
    const path copy = path(journal_.directory) /
                      (file.parent_path().filename().string() + "-" + file.filename().string());
    journal_.files.push_back(
        {.path = file.string(), .copy = copy.string(), .mode = mode, .written = Written(file)});
  }

  std::string Written(const path& file) const {
    const auto hash = written_.find(file.string());
    return hash == written_.end() ? "" : hash->second;
  }

  void AddSteps(const Plan& plan) {
    const StepState state = IsNodeRestored() ? StepState::kRolledBack : StepState::kStarted;
    if (IsNodeRestored()) {
      journal_.steps.push_back(
          {.id = std::string(engine::kRestoreFiles), .state = StepState::kDone});
    }
    journal_.steps.push_back({.id = std::string(kCertificatesStep), .state = state});
    for (const auto& group : control_plane::GroupsOf(plan.pods)) {
      journal_.steps.push_back({.id = PodsStep(group), .state = state});
    }
    if (plan.kubelet) {
      journal_.steps.push_back({.id = std::string(kKubeletStep), .state = state});
    }
    if (plan.stores) {
      journal_.steps.push_back({.id = std::string(kStoreStep)});
    }
  }

  // True during a rollback that has yet to restore the cluster's objects.
  bool IsNodeRestored() const { return json_.value("putBack", false); }

  const json::Value& json_;
  const std::map<std::string, std::string> pods_;  // component → directory of the old manifest
  const std::map<std::string, std::string> written_;
  engine::Journal journal_;
};

std::string Hash(std::string_view text) { return base::HexEncode(pki::Sha256(text)); }

}  // namespace

std::string PodsStep(const std::vector<PodChange>& group) {
  return fmt::format("restart-{}", components::Name(group.front().component));
}

json::Value FactsOf(const Before& before, const Plan& plan) {
  json::Value pods = json::Value::array();
  for (const PodChange& change : plan.pods) {
    if (change.what != PodChange::What::kNothing) {
      pods.push_back({{"component", components::Name(change.component)},
                      {"what", change.what == PodChange::What::kReplace ? kReplace : kRestart}});
    }
  }
  return {{"cluster", before.stored.cluster},
          {"kubeletConfiguration", ToJson(before.stored.kubelet)},
          {"kubeProxyConfiguration", ToJson(before.stored.kube_proxy)},
          {"node", json::Encode(before.node)},
          {"certificates", plan.certificates},
          {"pods", std::move(pods)},
          {"kubelet", plan.kubelet},
          {"stores", plan.stores},
          {"coreDns", plan.core_dns},
          {"kubeProxy", plan.kube_proxy}};
}

Recorded RecordedIn(const engine::Journal& journal) {
  const auto refuse = [](std::string_view why) {
    return Error(Error::Kind::kInvalid,
                 fmt::format("{}: its facts are malformed: {}; remove it if no change of this "
                             "node's configuration is to be resumed or rolled back",
                             engine::JournalPath(kOperation).string(), why));
  };
  try {
    return Decode(journal.facts);
  } catch (const Error& error) {
    throw refuse(error.message());
  } catch (const json::Value::exception&) {
    throw refuse("a field is missing, or of another type");
  }
}

std::optional<engine::Journal> LoadJournal(const host::Files& files) {
  return engine::LoadJournal(files, kOperation,
                             {.file = kEarlierJournal, .convert = [&](const json::Value& json) {
                                return Earlier(json, files).Convert();
                              }});
}

std::vector<std::string> EarlierFiles() {
  return {std::string(kEarlierJournal.path), std::string(kEarlierPods.path)};
}

const engine::RollbackTimer& Timer() {
  static const engine::RollbackTimer timer{.operation = std::string(kOperation),
                                           .command = "config",
                                           .load = LoadJournal,
                                           .earlier_files = EarlierFiles()};
  return timer;
}

std::string HashOf(const config::StoredConfig& stored) {
  const auto text = [](const std::optional<config::StoredComponent>& component) {
    return component ? component->text : std::string();
  };
  return Hash(Hash(stored.cluster) + Hash(text(stored.kubelet)) + Hash(text(stored.kube_proxy)));
}

}  // namespace config_change
