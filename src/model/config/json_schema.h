// SPDX-License-Identifier: Apache-2.0
// JSON Schema of configuration files, for editors and checks in pipelines.
#pragma once

#include "json/fwd.h"

namespace config {

// Describes one document of a file: an object of any kind in the current version (JSON Schema
// 2020-12, json-schema.org). Unknown fields are refused.
json::Ordered JsonSchema();

}  // namespace config
