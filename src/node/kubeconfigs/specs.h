// SPDX-License-Identifier: Apache-2.0
// The kubeconfig files of a control plane node, one row each (reference: pki.md §5).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/types.h"

namespace kubeconfigs {

// The server of a file.
enum class Server {
  kControlPlane,  // the control-plane endpoint, or else this node's API server
  kLocal          // the API server of this node
};

// One row of the table of files; its strings are literals.
struct KubeconfigSpec {
  std::string_view file;          // in the kubeconfig directory: "admin.conf"
  std::string_view phase;         // "admin"
  std::string_view user;          // common name; a final ":" is followed by the node's name
  std::string_view organization;  // empty: none
  Server server = Server::kControlPlane;
};

// InitSpecs are the files of `init`, JoinSpecs those of `join --control-plane`, in order.
std::span<const KubeconfigSpec> InitSpecs();
std::span<const KubeconfigSpec> JoinSpecs();

// Returns the row of a phase. Throws base::Error(kNotFound).
const KubeconfigSpec& FindSpec(std::string_view phase);

// Returns the common name, and the name of the user in the file.
std::string UserOf(const KubeconfigSpec& spec, const config::Init& config);

// Returns "https://host:port".
std::string ServerUrl(Server server, const config::Init& config);

}  // namespace kubeconfigs
