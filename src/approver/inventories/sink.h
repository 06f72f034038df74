// SPDX-License-Identifier: Apache-2.0
// Where inventories put what they find.
#pragma once

#include <optional>
#include <string>

#include "judgement/machines.h"

namespace inventories {

// Sink takes in what vouches as sources find it, from several threads at once. It outlives them.
class Sink {
 public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // Put replaces the one of that key.
  virtual void Put(const judgement::MachineKey& key, judgement::Machine machine) = 0;
  virtual void Remove(const judgement::MachineKey& key) = 0;
  // SetProblem notes why the source of that rank cannot be relied on, as to what `key` names;
  // nothing: it can. While there is a problem, nothing is approved.
  virtual void SetProblem(int rank, const std::string& key,
                          const std::optional<std::string>& problem) = 0;
};

}  // namespace inventories
