// SPDX-License-Identifier: Apache-2.0
// A run of `certs rotate-ca` on one node: what comes next there is decided and done.
#pragma once

#include <functional>
#include <string>

#include "ca_rotation/node.h"
#include "ca_rotation/report.h"

namespace ca_rotation {

// Opening says where to look for this node.
struct Opening {
  host::Host& host;
  const Authority& authority;
  host::fs::path kubeconfig;  // of an administrator; a worker asks with kubelet.conf
  host::fs::path certs_dir;   // a worker's; the control plane's is configured
  // Called on the control plane; asks the cluster for that long.
  std::function<config::Init(std::chrono::milliseconds patience)> load_config;
};

// OpenNode finds out on which node this is. Its clients try for as long as `patience` says. Throws
// base::Error on a machine that is not a node, or where the authority cannot be replaced.
enum class Patience { kOneTry, kRestart };
Node OpenNode(const Opening& opening, Patience patience);

// Wanted is what the user wants of a run.
struct Wanted {
  Options options = {};
  bool upload_certs = false;         // store the new pair in the cluster, encrypted
  std::string certificate_key = {};  // in hex, to download it with; "" when there is none
};

// Look is where the rotation is and what comes next; it changes nothing.
Report Look(const Node& node, const Options& options);

// Rotate does what comes next on this node; what it does and what comes then is said (Node::say).
// Where all is done it removes the saved pairs. Throws base::Error with a Refusal, or why a step
// failed.
Report Rotate(const Node& node, const Wanted& wanted);

}  // namespace ca_rotation
