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
  workflow::Reporter& reporter;  // Node::reporter
  host::fs::path kubeconfig;     // a control plane's admin.conf; a worker uses kubelet.conf
  // Used on a worker; a control-plane node uses certificatesDir of the loaded configuration.
  host::fs::path certs_dir;
  // Loads the configuration on a control-plane node. `patience` is the time within which the
  // cluster must answer.
  std::function<config::Init(std::chrono::milliseconds patience)> load_config;
};

// Selects how long the clients of the node retry.
enum class Patience { kOneTry, kRestart };

// Determines this node's name and role. Throws base::Error(kNotFound or kInvalid) on a machine that
// is not a node, or if the authority cannot be replaced.
Node OpenNode(const Opening& opening, Patience patience);

// The user's options for a run.
struct Wanted {
  RotationOptions options = {};
  bool upload_certs = false;  // store the new pair in the cluster, encrypted
  // The certificate key in hex. A download requires it. An upload uses it instead of a generated
  // key. "" if no key is given.
  std::string certificate_key = {};
  std::optional<Step> step = {};  // the only step to do; not set: the next one
};

// Collects the facts and decides the next step. Changes nothing.
Report CollectReport(const Node& node, const RotationOptions& options);

// Does the next step of the rotation on this node. Reports the actions, and the step that follows,
// to Node::say. After the last step it removes the saved pairs. Has no effect if Wanted::step is
// already complete on this node. Throws base::Error(kOther) with the text of Refusal if no step is
// possible, and kConflict if another step precedes Wanted::step. Throws the errors of RunStep.
Report Rotate(const Node& node, const Wanted& wanted);

}  // namespace ca_rotation
