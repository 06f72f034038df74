// SPDX-License-Identifier: Apache-2.0
#include "node_identity/rename/operation.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "config/types.h"
#include "kube/wait.h"
#include "kubeconfigs/connect.h"
#include "kubelet/flags.h"
#include "kubelet/service.h"
#include "node_identity/rename/gather.h"
#include "objects/node.h"
#include "renewal/kubelet_certificate.h"
#include "workflow/state_file.h"

namespace node_rename {
namespace {

namespace fs = host::fs;
using base::Error;
using engine::StepContext;
using engine::Where;
using kubelet_recovery::Found;
using kubelet_recovery::NewCredentials;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kPatience{60};
constexpr const char* kOverride = "hostname-override";
constexpr const char* kNode = "node";  // a fact of the journal
// Serving certificates with the old name. The kubelet creates or requests new ones.
constexpr std::array<const char*, 3> kServing{"kubelet.crt", "kubelet.key",
                                              "kubelet-server-current.pem"};

constexpr workflow::StateFile kEarlierJournal{
    .path = "/var/lib/slipway/rename.json",
    .refusal =
        "{} is not a journal of a new name: {}; remove it if no change of this node's name is "
        "under way"};

Renaming RenamingOf(const engine::Journal& journal) {
  Renaming renaming{.from = json::TextAt(journal.intent, {"from"}),
                    .to = json::TextAt(journal.intent, {"to"}),
                    .node = json::At(journal.facts, {kNode})};
  if (renaming.from.empty() || renaming.to.empty() || !renaming.node.is_object()) {
    throw Error(Error::Kind::kInvalid, fmt::format("{}: it does not name both names and the Node",
                                                   engine::JournalPath(kOperation).string()));
  }
  return renaming;
}

engine::Journal FromEarlierRelease(const json::Value& json) {
  engine::Journal journal{.operation = std::string(kOperation),
                          .id = "earlier-release",
                          .state = engine::State::kApplying,
                          .intent = {{"from", json.at("from")}, {"to", json.at("to")}},
                          .facts = {{kNode, json.at("node")}},
                          .directory = {},
                          .steps = {},
                          .files = {}};
  RenamingOf(journal);  // throws if the intent is malformed
  return journal;
}

void RequireNone(const checks::Findings& findings, const std::string& node) {
  if (checks::HasErrors(findings)) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("node {} keeps its name; nothing was changed:\n\t- {}", node,
                    base::Join(checks::WhatOf(findings, checks::Severity::kError), "\n\t- ")));
  }
}

kube::WaitOptions Waiting(const RenameDeps& deps, const std::stop_token& stop) {
  return {.clock = deps.host.clock,
          .most = milliseconds(500),
          .limit = deps.limit,
          .stop = stop,
          .culprit = {}};
}

void StopKubelet(StepContext& context) {
  context.Say("Stopping the kubelet");
  const kubelet::ServiceResult result = kubelet::StopKubelet(context.host());
  if (result.outcome == kubelet::ServiceResult::Outcome::kFailed) {
    throw Error(
        fmt::format("could not stop the kubelet: {}; 'journalctl -u kubelet' may say why. "
                    "Run the same command again when the kubelet can be stopped",
                    result.problem));
  }
  if (result.outcome != kubelet::ServiceResult::Outcome::kDone) {
    throw Error(
        "the kubelet is not a service of this machine's init system, and it must not run while its "
        "name changes: make it a service first; nothing was changed");
  }
}

// Sets the kubelet's name. The kubelet uses the machine's name unless an argument gives another
// name.
void NameKubelet(const std::string& name, StepContext& context) {
  host::Host& host = context.host();
  config::Args flags;
  if (const auto text = host.files.Find(kubelet::kFlagsFile)) {
    kubelet::ParsedFlags parsed = kubelet::ParseFlagsFile(*text);
    flags = std::move(parsed.flags);
    for (const std::string& word : parsed.dropped) {
      context.Say(fmt::format("{} is not an argument, and leaves {}", word, kubelet::kFlagsFile));
    }
  }
  std::erase_if(flags, [](const config::Arg& flag) { return flag.name == kOverride; });
  if (name != base::ToLower(base::Trim(host.machine.Hostname()))) {
    flags.push_back({kOverride, name});
  }
  context.BackupFile(kubelet::kFlagsFile);
  kubelet::WriteFlagsFile(host.files, flags);
  context.RecordWritten(kubelet::kFlagsFile);
}

void SetAsideServingCertificates(StepContext& context) {
  const fs::path pki = kubelet_recovery::RotatedPair(context.host().files).parent_path();
  for (const char* name : kServing) {
    context.RemoveFile(pki / name);
  }
}

std::optional<kube::NotYet> StillThere(const std::string& name, kube::Client& client) {
  const std::optional<json::Value> node = client.Find({kube::resources::kNode, "", name});
  return node ? std::optional(kube::NotYet{fmt::format("Node {} is still there", name)})
              : std::nullopt;
}

void RemoveNode(const std::string& name, const RenameDeps& deps, StepContext& context) {
  kube::Client& client = *deps.client;
  client.Retry("", [&] {
    if (client.Find({kube::resources::kNode, "", name})) {
      client.Delete({kube::resources::kNode, "", name});
      context.Say(fmt::format("Node {} is deleted", name));
    }
  });
  kube::WaitUntil(
      kube::PatientProbe([&](const std::stop_token&) { return StillThere(name, client); }),
      Waiting(deps, context.Stop()));
}

// Creates or completes the Node. A kubelet that a reboot has started may have created it, without
// the old Node's properties.
void CreateNode(const json::Value& node, kube::Client& client) {
  client.CreateOrMutate(kube::resources::kNode, node, [&](json::Value& existing) {
    for (const char* member : {"labels", "annotations"}) {
      for (const auto& [name, value] : json::At(node, {"metadata", member}).items()) {
        existing["metadata"][member][name] = value;
      }
    }
    for (const char* member : {"taints", "unschedulable"}) {
      if (const json::Value& value = json::At(node, {"spec", member}); !value.is_null()) {
        existing["spec"][member] = value;
      }
    }
  });
}

std::optional<kube::NotYet> NotReady(const std::string& name, kube::Client& client) {
  return objects::IsReady(client.Get({kube::resources::kNode, "", name}))
             ? std::nullopt
             : std::optional(kube::NotYet{fmt::format("node {} is not Ready", name)});
}

// Stops the kubelet and installs the new name in one step. If a reboot starts the kubelet in
// between, the next run stops it again.
void ChangeIdentity(const Renaming& renaming, const std::optional<NewCredentials>& credentials,
                    StepContext& context) {
  StopKubelet(context);
  if (credentials) {
    SetAsideServingCertificates(context);
    Found found = kubelet_recovery::CollectFound(context.host(), "");
    found.node = renaming.to;
    Install(found, *credentials, context);
  }
  NameKubelet(renaming.to, context);
}

void StartKubelet(const Renaming& renaming, const RenameDeps& deps, StepContext& context) {
  kubelet_recovery::Restart(renaming.to, context);
  context.Say(fmt::format("Waiting for node {} to be Ready", renaming.to));
  kube::WaitUntil(kube::PatientProbe(
                      [&](const std::stop_token&) { return NotReady(renaming.to, *deps.client); }),
                  Waiting(deps, context.Stop()));
}

}  // namespace

RenameFacts CollectFacts(const host::Host& host, const std::string& to,
                         const std::optional<engine::Journal>& interrupted) {
  if (interrupted) {
    const Renaming begun = RenamingOf(*interrupted);
    if (begun.to != to) {
      throw Error(
          fmt::format("the change from {} to {} was interrupted here: finish it first, by "
                      "'kubeadm node rename --to {}'",
                      begun.from, begun.to, begun.to));
    }
  }
  RenameFacts facts = CollectHere(host, to);
  if (facts.control_plane) {
    RequireNone(JudgeControlPlane(facts.from, to), facts.from);
  }
  return facts;
}

kube::Client ConnectAsAdministrator(const host::Host& host, const std::string& kubeconfig) {
  if (!host.files.Exists(kubeconfig)) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format(
            "{} does not exist. A kubelet may not delete its Node, so this command needs an "
            "administrator's kubeconfig: create one on a control plane with 'kubeadm "
            "kubeconfig user --client-name rename --org system:masters --validity-period "
            "1h', copy it to this node, and give its path with --kubeconfig",
            kubeconfig));
  }
  return kubeconfigs::ClientBy(host, kubeconfig, kPatience);
}

Renaming PlanRenaming(kube::Client& client, RenameFacts facts,
                      const std::optional<engine::Journal>& interrupted,
                      const base::ShowLine& say) {
  if (interrupted) {
    return RenamingOf(*interrupted);
  }
  CollectCluster(client, facts);
  const checks::Findings findings = Judge(facts);
  RequireNone(findings, facts.from);
  for (const std::string& warning : checks::WhatOf(findings, checks::Severity::kWarning)) {
    say("Note: " + warning);
  }
  return {.from = facts.from, .to = facts.to, .node = NewNode(facts.node, facts.to)};
}

std::string ToString(const Renaming& renaming) {
  return fmt::format(
      "From {} to {}\n"
      "  the kubelet stops, and gets a client certificate of the new name from the cluster\n"
      "  Node {} is deleted; Pods of DaemonSets and static Pods start again\n"
      "  Node {} is created, with the labels, annotations, taints and Pod networks, and cordoned\n"
      "  the kubelet starts under the new name\n",
      renaming.from, renaming.to, renaming.from, renaming.to);
}

// Requests the certificate as an administrator, who may request it for any node. The cluster
// approves the request.
std::optional<NewCredentials> RequestCredentials(const Renaming& renaming, const RenameDeps& deps,
                                                 const std::stop_token& stop,
                                                 const base::ShowLine& say) {
  const Found found = kubelet_recovery::CollectFound(deps.host, "");
  if (found.node == renaming.to && !found.problem) {
    return std::nullopt;
  }
  const std::string nonce = base::HexEncode(deps.host.random.Bytes(4));
  return NewCredentials{.pair = renewal::RequestKubeletCertificate(
                            *deps.client, {.subject = {.common_name = "system:node:" + renaming.to,
                                                       .organizations = {"system:nodes"}},
                                           .name = fmt::format("rename-{}-{}", renaming.to, nonce),
                                           .waiting = Waiting(deps, stop),
                                           .say = say}),
                        .cluster = *found.config->CurrentCluster()};
}

engine::Operation PlanOperation(const Renaming& renaming,
                                std::shared_ptr<const std::optional<NewCredentials>> credentials,
                                const RenameDeps& deps) {
  return {
      .name = std::string(kOperation),
      .tag = "rename",
      .intent = {{"from", renaming.from}, {"to", renaming.to}},
      .facts = {{kNode, renaming.node}},
      .steps = {{.id = "identity",
                 .line = "stop the kubelet, and give it the new name and certificate",
                 .apply =
                     [renaming, credentials = std::move(credentials)](StepContext& context) {
                       ChangeIdentity(renaming, *credentials, context);
                     }},
                {.id = "delete-node",
                 .line = fmt::format("delete Node {}", renaming.from),
                 .where = Where::kCluster,
                 .apply = [renaming, deps](
                              StepContext& context) { RemoveNode(renaming.from, deps, context); }},
                {.id = "create-node",
                 .line = fmt::format("create Node {}", renaming.to),
                 .where = Where::kCluster,
                 .apply = [renaming,
                           deps](StepContext&) { CreateNode(renaming.node, *deps.client); }},
                {.id = "kubelet",
                 .line = "start the kubelet, and wait until the Node is Ready",
                 .apply = [renaming,
                           deps](StepContext& context) { StartKubelet(renaming, deps, context); }}},
      .can_roll_back = false,
      .earlier_files = {std::string(kEarlierJournal.path)}};
}

std::optional<engine::Journal> LoadJournal(const host::Files& files) {
  return engine::LoadJournal(files, kOperation, {kEarlierJournal, FromEarlierRelease});
}

}  // namespace node_rename
