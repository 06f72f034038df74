// SPDX-License-Identifier: Apache-2.0
// The kubeconfig files of a control plane node, one row each (reference: pki.md §5).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/types.h"

namespace kubeconfigs {

// Server is the address that a file points to.
enum class Server {
  kControlPlane,  // the control plane endpoint, or this node when there is none
  kLocal          // the API server of this node
};

// KubeconfigSpec is one row of the table of files; its texts are literals.
struct KubeconfigSpec {
  std::string_view file;          // in the kubeconfig directory: "admin.conf"
  std::string_view phase;         // "admin"
  std::string_view user;          // common name; ends with ":" when the node's name follows
  std::string_view organization;  // empty: none
  Server server = Server::kControlPlane;
};

// InitSpecs is what `init` makes, JoinSpecs what `join --control-plane` makes, in order.
std::span<const KubeconfigSpec> InitSpecs();
std::span<const KubeconfigSpec> JoinSpecs();

// FindSpec is the row of a phase. Throws base::Error(kNotFound).
const KubeconfigSpec& FindSpec(std::string_view phase);

// UserOf is the common name, and the name of the user in the file.
std::string UserOf(const KubeconfigSpec& spec, const config::Init& config);

// ServerUrl is "https://host:port".
std::string ServerUrl(Server server, const config::Init& config);

}  // namespace kubeconfigs
