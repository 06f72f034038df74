// SPDX-License-Identifier: Apache-2.0
#include "node_rename/begin.h"

#include <fmt/core.h>

#include <chrono>

#include "base/error.h"
#include "base/strings.h"
#include "kubeconfigs/connect.h"
#include "node_rename/gather.h"

namespace node_rename {
namespace {

using base::Error;

constexpr std::chrono::seconds kPatience{60};

void RequireNone(const checks::Findings& findings, const std::string& node) {
  if (checks::HasErrors(findings)) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("node {} keeps its name; nothing was changed:\n\t- {}", node,
                    base::Join(checks::WhatOf(findings, checks::Severity::kError), "\n\t- ")));
  }
}

}  // namespace

Facts FactsHere(const host::Host& host, const std::string& to) {
  if (const auto journal = LoadJournal(host.files); journal && journal->to != to) {
    throw Error(
        fmt::format("the change from {} to {} was cut off here: finish it first, by "
                    "'kubeadm node rename --to {}'",
                    journal->from, journal->to, journal->to));
  }
  Facts facts = GatherHere(host, to);
  if (facts.control_plane) {
    RequireNone(JudgeControlPlane(facts.from, to), facts.from);
  }
  return facts;
}

kube::Client AsAdministrator(const host::Host& host, const std::string& kubeconfig) {
  if (!host.files.Exists(kubeconfig)) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format("{} is not there. A kubelet may neither remove its Node nor see whose volumes "
                    "lie here: bring an administrator's file, made on a control plane for an hour "
                    "by 'kubeadm kubeconfig user --client-name rename --org system:masters "
                    "--validity-period 1h', and name it by --kubeconfig",
                    kubeconfig));
  }
  return kubeconfigs::ClientBy(host, kubeconfig, kPatience);
}

Journal JournalOf(kube::Client& client, const host::Files& files, Facts facts,
                  const base::ShowLine& say) {
  if (std::optional<Journal> journal = LoadJournal(files)) {
    return *std::move(journal);
  }
  GatherCluster(client, facts);
  const checks::Findings findings = Judge(facts);
  RequireNone(findings, facts.from);
  for (const std::string& warning : checks::WhatOf(findings, checks::Severity::kWarning)) {
    say("Note: " + warning);
  }
  return {.from = facts.from, .to = facts.to, .node = NewNode(facts.node, facts.to)};
}

std::string PlanOf(const Journal& journal) {
  return fmt::format(
      "From {} to {}\n"
      "  the kubelet stops, and gets a client certificate of the new name from the cluster\n"
      "  Node {} is deleted; Pods of DaemonSets and static Pods begin again\n"
      "  Node {} is made, with the labels, annotations, taints and Pod networks, and cordoned\n"
      "  the kubelet starts under the new name\n",
      journal.from, journal.to, journal.from, journal.to);
}

}  // namespace node_rename
