// The commands of `kubeadm config`. `host` outlives them.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command DiffCommand(host::Host& host);
cli::Command ExplainCommand(host::Host& host);
cli::Command ImagesCommand(host::Host& host);
cli::Command SchemaCommand(host::Host& host);

}  // namespace kubeadm
