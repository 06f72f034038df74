// SPDX-License-Identifier: Apache-2.0
// The changeable fields of a cluster's configuration, and the required actions. Pure data.
#pragma once

#include <span>
#include <string_view>

namespace config_change {

// The effect of a new value.
enum class Impact {
  kLive,      // only the addon is restarted, or it applies from now on
  kRestart,   // the component is restarted, one node after the other
  kNewNodes,  // existing nodes and objects stay unchanged
  kNever
};

// A field, with all below it. Its texts are literals.
struct FieldRow {
  std::string_view kind;  // "ClusterConfiguration"
  std::string_view path;  // "apiServer.certSANs"; "" for the whole kind
  Impact impact;
  std::string_view why;          // of kNewNodes and kNever: the reason; otherwise the action
  std::string_view certificate;  // the one that is issued again ("apiserver"); "" for none
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
