// SPDX-License-Identifier: Apache-2.0
// The configuration file (reference: approver.md §11), read strictly.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace controller {

// Config is the file of --config.
struct Config {
  bool client_disabled = false;
};

// ReadConfig reads the file's text, YAML or JSON: `nodeClientCert: {disabled: BOOL}`. An empty text
// is the default. Throws base::Error(kInvalid) for text that cannot be read, keys that are unknown
// or given twice, and values of a wrong type, each with its line: who means to switch approvals off
// must not leave them on by a typing error.
Config ReadConfig(std::string_view text);

}  // namespace controller
