// SPDX-License-Identifier: Apache-2.0
// CoreDNS' configuration as fields. Internal to this library.
#pragma once

#include <string>

#include "config_change/fields.h"

namespace config_change {

// Returns the plugins of each server block: ".:53 cache" has "30", with options in braces after it;
// a repeated plugin has the list of both. A text that CoreDNS would refuse is one field,
// "Corefile".
Fields CorefileFields(const std::string& text);

}  // namespace config_change
