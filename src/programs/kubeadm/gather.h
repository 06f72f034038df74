// Facts of the host for the configuration.
#pragma once

#include <string>

#include "config/documents.h"
#include "config/facts.h"
#include "host/host.h"

namespace kubeadm {

// GatherFacts looks at nothing yet: each fact is read when the configuration asks for it.
config::Facts GatherFacts(host::Host& host);

// ReadSource is a configuration file and its name for messages. Throws base::Error naming the path.
config::Source ReadSource(const host::Host& host, const std::string& path);

}  // namespace kubeadm
