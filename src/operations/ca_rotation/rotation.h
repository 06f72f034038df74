// SPDX-License-Identifier: Apache-2.0
// A run of `certs rotate-ca` on one node: decides the next step there and does it.
#pragma once

#include <functional>
#include <string>

#include "ca_rotation/node.h"
#include "ca_rotation/report.h"

namespace ca_rotation {

// The sources of information about this node.
struct Opening {
  host::Host& host;
  const Authority& authority;
  host::fs::path kubeconfig;  // an administrator's; a worker uses kubelet.conf
  host::fs::path certs_dir;   // a worker's; the control plane's is configured
  // Called on the control plane; queries the cluster for that long.
  std::function<config::Init(std::chrono::milliseconds patience)> load_config;
};

// Determines this node's name and role. Its clients retry for the time of `patience`. Throws
// base::Error on a machine that is not a node, or if the authority cannot be replaced.
enum class Patience { kOneTry, kRestart };
Node OpenNode(const Opening& opening, Patience patience);

// The user's options for a run.
struct Wanted {
  Options options = {};
  bool upload_certs = false;         // store the new pair in the cluster, encrypted
  std::string certificate_key = {};  // in hex, for the download; "" without one
};

// Returns the state of the rotation and the next step; changes nothing.
Report Look(const Node& node, const Options& options);

// Does the next step on this node, and reports its actions and the step after it (Node::say). After
// the last step it removes the saved pairs. Throws base::Error with a Refusal, or why a step
// failed.
Report Rotate(const Node& node, const Wanted& wanted);

}  // namespace ca_rotation
