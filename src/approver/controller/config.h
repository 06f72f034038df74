// SPDX-License-Identifier: Apache-2.0
// The configuration file (reference: approver.md §11), read strictly.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace controller {

// The settings in the file of --config.
struct Config {
  bool client_disabled = false;
};

// Parses the file, YAML or JSON: `nodeClientCert: {disabled: BOOL}`. An empty file means the
// default. Throws base::Error(kInvalid), with the line, for malformed input, unknown or duplicate
// keys, and values of a wrong type. A typing error must not leave approvals switched on.
Config ReadConfig(std::string_view text);

}  // namespace controller
