// SPDX-License-Identifier: Apache-2.0
// CoreDNS' configuration as fields. For the inside of this room.
#pragma once

#include <string>

#include "config_change/fields.h"

namespace config_change {

// CorefileFields are the plugins of each server block: ".:53 cache" has "30", with options in
// braces after it; a plugin that is there twice has the list of both. A text that CoreDNS would not
// take is one field, "Corefile".
Fields CorefileFields(const std::string& text);

}  // namespace config_change
