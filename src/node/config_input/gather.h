// SPDX-License-Identifier: Apache-2.0
// What a configuration is made of besides flags: facts of the machine, and a file.
#pragma once

#include <string>

#include "config/documents.h"
#include "config/facts.h"
#include "host/host.h"

namespace config_input {

// GatherFacts looks at nothing yet: each fact is read when the configuration asks for it.
config::Facts GatherFacts(host::Host& host);

// ReadSource is a configuration file and its name for messages. Throws base::Error naming the path.
config::Source ReadSource(const host::Host& host, const std::string& path);

}  // namespace config_input
