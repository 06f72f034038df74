// SPDX-License-Identifier: Apache-2.0
// The metrics of the operator (deploy/fleet/monitoring).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace fleet {

// Counts for Prometheus. All methods are thread-safe.
class OperatorMetrics {
 public:
  // Sets whether this replica holds the Lease.
  void SetLeads(bool leads);
  // Counts a pass that could not list the objects.
  void CountFailedPass();
  // Replaces the counts of the previous pass by the counts of these objects.
  void CountObjects(std::span<const json::Value> objects);
  // Returns the metrics in Prometheus' text format. Counts of objects are absent before the first
  // pass, so that only the leader reports them.
  std::string Text() const;

 private:
  // Nodes of one operation, by stage.
  struct NodeCounts {
    std::string operation;
    std::map<std::string, std::size_t> stages;
  };
  static NodeCounts NodesOf(const json::Value& object);

  mutable std::mutex mutex_;  // guards the rest
  bool leads_ = false;
  std::uint64_t failed_passes_ = 0;
  std::map<std::string, std::size_t> phases_;  // objects by phase; empty before the first pass
  std::size_t stalled_ = 0;                    // objects whose status has condition Stalled
  std::vector<NodeCounts> nodes_;              // for each operation that has begun and not ended
};

}  // namespace fleet
