// SPDX-License-Identifier: Apache-2.0
// Flags of the endpoint for machines that prove their identity.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "inventories/options.h"
#include "net/host_port.h"

namespace machine_approver {

// The settings of the endpoint.
struct IdentityOptions {
  std::string host;  // "" for all addresses
  int port = 0;
  std::string cert_dir;                 // with tls.crt and tls.key
  std::vector<std::string> documents;   // the program for documents and its arguments; empty: none
  bool tpm = false;                     // accepts TPMs whose endorsement key an inventory lists
  std::chrono::milliseconds timeout{};  // of the program
};

// Returns the flags.
std::vector<cli::Flag> IdentityFlags();

// Reads IdentityFlags. Returns std::nullopt if no flag turns the endpoint on. Throws
// base::Error(kUsage) for flags that need each other or exclude each other, and for malformed paths
// and addresses.
std::optional<IdentityOptions> IdentityOptionsOf(const cli::Parsed& flags,
                                                 const inventories::InventoryOptions& inventories);

}  // namespace machine_approver
