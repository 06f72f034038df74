// `kubeadm config explain`, `config schema` and `config diff`: about the fields of configuration
// files.
#pragma once

#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

cli::Command ExplainCommand(host::Host& host);
cli::Command SchemaCommand(host::Host& host);
cli::Command DiffCommand(host::Host& host);

}  // namespace kubeadm
