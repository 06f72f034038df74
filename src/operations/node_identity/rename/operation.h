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
#include "node_identity/recovery/recover.h"
#include "node_identity/rename/judge.h"

namespace node_rename {

inline constexpr std::string_view kOperation = "node-rename";

// A permitted change of the name.
struct Renaming {
  std::string from;
  std::string to;
  json::Value node;  // the Node to create
};

// Dependencies of the steps. The host must outlive them.
struct RenameDeps {
  host::Host& host;
  std::shared_ptr<kube::Client> client;      // with the rights of an administrator
  std::chrono::milliseconds limit{180'000};  // for each wait
};

// Collects the facts of this machine. Throws base::Error(kInvalid) on a control-plane node, and
// kOther if a change to another name was interrupted on this machine.
RenameFacts CollectFacts(const host::Host& host, const std::string& to,
                         const std::optional<engine::Journal>& interrupted);

// Connects with the kubeconfig file. If it does not exist, throws base::Error(kNotFound) with the
// command that creates it.
kube::Client ConnectAsAdministrator(const host::Host& host, const std::string& kubeconfig);

// Returns the interrupted change, or plans a new change. `say` receives warnings. Throws
// base::Error(kInvalid), with all errors about the name, if a new change is not allowed.
Renaming PlanRenaming(kube::Client& client, RenameFacts facts,
                      const std::optional<engine::Journal>& interrupted, const base::ShowLine& say);

// Returns the plan for humans.
std::string ToString(const Renaming& renaming);

// Requests a certificate for the new name from the cluster. Returns std::nullopt if this node
// already has such a certificate. Changes no files on this node. Throws the errors of kube::Client.
std::optional<kubelet_recovery::NewCredentials> RequestCredentials(const Renaming& renaming,
                                                                   const RenameDeps& deps,
                                                                   const std::stop_token& stop,
                                                                   const base::ShowLine& say);

// Returns the steps. 1. Stop the kubelet, and install the name and the certificate. 2. Replace the
// Node. 3. Start the kubelet, and wait until the new Node is Ready. The old Node is deleted before
// the new Node is created, because the new Node gets the same Pod networks. If the old Node were
// deleted afterwards, another node could get these networks.
engine::Operation PlanOperation(
    const Renaming& renaming,
    std::shared_ptr<const std::optional<kubelet_recovery::NewCredentials>> credentials,
    const RenameDeps& deps);

// Loads the journal of an interrupted change. Also reads the format of releases that did not have
// the engine yet. Throws base::Error(kInvalid), naming the file, if it is malformed.
std::optional<engine::Journal> LoadJournal(const host::Files& files);

}  // namespace node_rename
