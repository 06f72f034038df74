// SPDX-License-Identifier: Apache-2.0
// What a configuration file says beside what a cluster keeps: of one node, or of one run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/documents.h"
#include "host/host.h"

namespace config_change {

// NodeField is a field of an InitConfiguration and where it is changed. Its texts are literals.
struct NodeField {
  std::string_view path;
  std::string_view where;
};

// NodeFields has a row for every field of an InitConfiguration; a test holds it to that.
std::span<const NodeField> NodeFields();

// NotTaken has a line for each field of the file's InitConfigurations that is not what this node
// has, as far as its files tell, and for each document of another kind of kubeadm's; each says
// where that is changed.
std::vector<std::string> NotTaken(const config::Source& file, const host::Host& host);

}  // namespace config_change
