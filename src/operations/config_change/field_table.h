// SPDX-License-Identifier: Apache-2.0
// The changeable fields of a cluster's configuration, and the required actions. Pure data.
#pragma once

#include <span>
#include <string_view>

namespace config_change {

// The effect of a new value.
enum class Impact {
  // The value applies immediately, or after a restart of the addon alone.
  kLive,
  // The component must be restarted, on one node after the other.
  kRestart,
  // The value applies only to new nodes and objects.
  kNewNodes,
  kNever
};

// A field, including all fields below it. The strings are literals.
struct FieldRow {
  std::string_view kind;  // "ClusterConfiguration"
  std::string_view path;  // "apiServer.certSANs"; "" for the whole kind
  Impact impact;
  // For kNewNodes and kNever, the reason. Otherwise, the action that applies the new value.
  std::string_view why;
  std::string_view certificate;  // the certificate to reissue ("apiserver"); "" for none
};

// Returns the table: a row for every field of a ClusterConfiguration, and a row for the kind of
// each component's configuration. A test checks that the table is complete.
std::span<const FieldRow> FieldTable();

// Returns the row with the longest path that contains the field. Throws std::logic_error for a kind
// without rows.
const FieldRow& RowFor(std::string_view kind, std::string_view path);

// Returns "live", "restart", "new nodes", "never".
std::string_view Name(Impact impact);

}  // namespace config_change
