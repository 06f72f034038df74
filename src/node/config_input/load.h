// SPDX-License-Identifier: Apache-2.0
// A configuration from a file, or without one by default.
#pragma once

#include <string>

#include "config/flags.h"
#include "host/host.h"

namespace config_input {

// kAnyAddress stands in for this machine's address where nothing depends on it, which saves looking
// for one: an example of RFC 5737.
inline constexpr const char* kAnyAddress = "192.0.2.1";

// LoadInit reads the file `path`. Where that is empty, it completes what `flags` say; a version
// that they do not name is this program's own, so that none is looked up. Throws base::Error like
// ReadSource and config::LoadInit.
config::Init LoadInit(host::Host& host, const std::string& path, config::InitFlags flags = {},
                      config::CriSocketChoice socket = config::CriSocketChoice::kAssume);

}  // namespace config_input
