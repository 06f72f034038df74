// SPDX-License-Identifier: Apache-2.0
// Which fields of a cluster's configuration can be changed afterwards, and what that takes. Pure
// data.
#pragma once

#include <span>
#include <string_view>

namespace config_change {

// Impact is what a new value takes.
enum class Impact {
  kLive,      // nothing is restarted but the addon itself, or it counts from now on
  kRestart,   // the component is restarted, one node after the other
  kNewNodes,  // what is there stays as it is
  kNever
};

// FieldRow is a field, with all below it. Its texts are literals.
struct FieldRow {
  std::string_view kind;  // "ClusterConfiguration"
  std::string_view path;  // "apiServer.certSANs"; "" for the whole kind
  Impact impact;
  std::string_view why;          // of kNewNodes and kNever: the reason; else what happens
  std::string_view certificate;  // the one that is issued again ("apiserver"); "" for none
};

// FieldTable has a row for every field of a ClusterConfiguration, and one for each component's
// kind; a test holds it to that.
std::span<const FieldRow> FieldTable();

// RowFor is the row with the longest path that holds the field. Throws std::logic_error for a
// kind without rows.
const FieldRow& RowFor(std::string_view kind, std::string_view path);

// Name is "live", "restart", "new nodes", "never".
std::string_view Name(Impact impact);

}  // namespace config_change
