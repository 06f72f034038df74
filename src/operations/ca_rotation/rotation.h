// SPDX-License-Identifier: Apache-2.0
// One run of `certs rotate-ca` on a node: decides the next step and applies it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ca_rotation/node.h"
#include "ca_rotation/report.h"

namespace ca_rotation {

// Inputs of OpenNode. All references must outlive the Node.
struct Opening {
  host::Host& host;
  const Authority& authority;
  host::fs::path kubeconfig;  // admin.conf; a worker uses kubelet.conf
  host::fs::path certs_dir;   // of a worker; a control-plane node configures it
  // Loads the configuration on a control-plane node. `patience` is the timeout of the cluster's
  // answer.
  std::function<config::Init(std::chrono::milliseconds patience)> load_config;
};

// Determines this node's name and role. Its clients retry for the time of `patience`. Throws
// base::Error(kNotFound or kInvalid) on a machine that is not a node, or if the authority cannot be
// replaced.
enum class Patience { kOneTry, kRestart };
Node OpenNode(const Opening& opening, Patience patience);

// The user's options for a run.
struct Wanted {
  RotationOptions options = {};
  bool upload_certs = false;  // store the new pair in the cluster, encrypted
  // The certificate key in hex: for the download, or for the upload instead of a generated key; "":
  // none.
  std::string certificate_key = {};
  std::optional<Step> step = {};  // does only this step; not set: the next one
};

// Collects the facts and decides the next step. Changes nothing.
Report Look(const Node& node, const RotationOptions& options);

// Does the next step on this node, and reports its actions and the step after it (Node::say). After
// the last step it removes the saved pairs. If Wanted::step is done on this node, it changes
// nothing. Throws base::Error(kOther) with the text of Refusal if no step is possible, and
// kConflict if another step precedes Wanted::step. If a step fails, throws base::Error with the
// kind of the failure.
Report Rotate(const Node& node, const Wanted& wanted);

}  // namespace ca_rotation
