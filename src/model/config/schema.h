// SPDX-License-Identifier: Apache-2.0
// Schema: field names and types of objects that are kept as raw JSON (KubeletConfiguration,
// KubeProxyConfiguration, patched Pods and Deployments). Type errors are found, and the written
// form agrees with Kubernetes' own marshaller.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/fields.h"
#include "json/value.h"

namespace config {

// SchemaRow is one field of a type of Kubernetes; its strings live as long as the program. The
// fields are in the files of schema/. `type` is "[mark]type".
//
// Marks:
//   none  omitted if it has the zero value.
//   *     omitted if not set or null; a zero value is kept.
//   !     always written.
//   !*    always written, null if not set.
//
// Types are bool, int32, int64, uint32, float, string, quantity, time, intorstring, any, []T,
// map[]T, another type of these files, and:
//   dur        Go duration; unless marked *, null is an error as in Kubernetes.
//   timeordur  nanoseconds or a Go duration.
struct SchemaRow {
  std::string_view name;
  std::string_view type;
};

// Returns `in` as an object of `type`. Drops unknown fields. Omits or adds zero values according to
// the rows. Adds a problem for each wrong value; the problem's path begins with `path`. `in` may be
// null.
json::Value Conform(const json::Value& in, std::string_view type, const std::string& path,
                    json::DecodeProblems& problems);

// Returns the names of all types.
std::vector<std::string_view> TypeNames();

// Returns the fields of one type; empty for an unknown type.
std::span<const SchemaRow> RowsOf(std::string_view type);

}  // namespace config
