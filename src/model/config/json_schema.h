// SPDX-License-Identifier: Apache-2.0
// JSON Schema of configuration files, for editors and checks in pipelines.
#pragma once

#include "json/fwd.h"

namespace config {

// Returns the JSON Schema (2020-12, json-schema.org) of one document of a file: an object of any
// kind in the current version. The schema refuses unknown fields.
json::Ordered JsonSchema();

}  // namespace config
