// SPDX-License-Identifier: Apache-2.0
// CoreDNS' configuration as fields. Internal to this library.
#pragma once

#include <string>

#include "config_change/fields.h"

namespace config_change {

// Returns the plugins of each server block as fields: ".:53 cache" has the value "30", followed by
// the options in braces. A plugin that occurs several times has a list of values. If CoreDNS would
// refuse the text, returns the text as one field, "Corefile".
Fields CorefileFields(const std::string& text);

}  // namespace config_change
