// SPDX-License-Identifier: Apache-2.0
// Fields of a configuration file that the cluster does not store, because they concern one node or
// one run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/documents.h"
#include "host/host.h"

namespace config_change {

// A field of an InitConfiguration and the way to change it. Its texts are literals.
struct NodeField {
  std::string_view path;
  std::string_view where;
};

// Returns a row for every field of an InitConfiguration. A test checks that the table is complete.
std::span<const NodeField> NodeFields();

// Returns a line for each setting of the file that `config apply` does not apply. Such settings are
// fields of InitConfigurations that differ from this node's files, and documents of kubeadm's other
// kinds. Each line says how to change the setting.
std::vector<std::string> NotTaken(const config::Source& file, const host::Host& host);

}  // namespace config_change
