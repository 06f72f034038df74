// SPDX-License-Identifier: Apache-2.0
// The inputs of a configuration besides flags: facts of the machine, and a file.
#pragma once

#include <string>

#include "config/documents.h"
#include "config/facts.h"
#include "host/host.h"

namespace node_input {

// Returns facts that are read only when the configuration needs them.
config::Facts CollectFacts(host::Host& host);

// Returns a configuration file together with the name that messages use for it. Throws base::Error
// naming the path, with the system error's kind.
config::Source ReadSource(const host::Host& host, const std::string& path);

}  // namespace node_input
