// SPDX-License-Identifier: Apache-2.0
// The operation that gives a worker another name.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/show_line.h"
#include "engine/operation.h"
#include "host/host.h"
#include "kube/client.h"
#include "kubelet_recovery/recover.h"
#include "node_rename/judge.h"

namespace node_rename {

inline constexpr std::string_view kOperation = "node-rename";

// Renaming is a change of the name against which nothing speaks.
struct Renaming {
  std::string from;
  std::string to;
  json::Value node;  // the Node to create; after an interrupted run its predecessor may be gone
};

// Dependencies of the steps. The host outlives them.
struct Deps {
  host::Host& host;
  std::shared_ptr<kube::Client> client;      // an administrator's
  std::chrono::milliseconds limit{180'000};  // for each wait
};

// CollectFacts collects those of this machine. Throws base::Error for a control plane, and when a
// change to another name was interrupted here.
Facts CollectFacts(const host::Host& host, const std::string& to,
                   const std::optional<engine::Journal>& interrupted);

// ConnectAsAdministrator connects by that kubeconfig file. Throws base::Error(kNotFound), with the
// command that makes one, when the file does not exist.
kube::Client ConnectAsAdministrator(const host::Host& host, const std::string& kubeconfig);

// PlanRenaming returns the interrupted change, or judges a new one. `say` gets warnings. Throws
// base::Error(kInvalid) with every reason against the name.
Renaming PlanRenaming(kube::Client& client, Facts facts,
                      const std::optional<engine::Journal>& interrupted, const base::ShowLine& say);

// ToString returns the plan for people.
std::string ToString(const Renaming& renaming);

// RequestCredentials requests a certificate of the new name from the cluster; returns std::nullopt
// when this node has it already. Changes nothing on this node. Throws base::Error.
std::optional<kubelet_recovery::NewCredentials> RequestCredentials(const Renaming& renaming,
                                                                   const Deps& deps,
                                                                   const std::stop_token& stop,
                                                                   const base::ShowLine& say);

// PlanOperation returns the steps: stop the kubelet and give it name and certificate, replace the
// Node, start the kubelet and wait until the new Node is Ready. The old Node is deleted first: its
// Pod networks become the new one's, and another node could get them if it were deleted later.
engine::Operation PlanOperation(
    const Renaming& renaming,
    std::shared_ptr<const std::optional<kubelet_recovery::NewCredentials>> credentials,
    const Deps& deps);

// LoadJournal loads the journal of an interrupted change, also the one of a release before the
// engine. Throws base::Error(kInvalid), naming the file, for one that cannot be read.
std::optional<engine::Journal> LoadJournal(const host::Files& files);

}  // namespace node_rename
