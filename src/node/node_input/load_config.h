// SPDX-License-Identifier: Apache-2.0
// A configuration from a file, or the defaults.
#pragma once

#include <string>

#include "config/flags.h"
#include "host/host.h"

namespace node_input {

// An example address (RFC 5737). Commands for which the address is irrelevant use it, so that they
// do not search for this machine's address.
inline constexpr const char* kAnyAddress = "192.0.2.1";

// Reads the file `path`. If `path` is empty, completes the configuration from `flags`. The default
// version is the version of this kubeadm, so no version is queried online. Throws base::Error with
// the kinds of ReadSource and config::LoadInit.
config::Init LoadInit(host::Host& host, const std::string& path, config::InitFlags flags = {},
                      config::CriSocketChoice socket = config::CriSocketChoice::kAssume);

}  // namespace node_input
