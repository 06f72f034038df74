// SPDX-License-Identifier: Apache-2.0
// The receiver of inventories' machines.
#pragma once

#include <optional>
#include <string>

#include "judgement/machines.h"

namespace inventories {

// Receives trusted machines from sources, concurrently from several threads. The sink must outlive
// its sources.
class Sink {
 public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // Adds the machine, and replaces an earlier machine of the same key.
  virtual void Put(const judgement::MachineKey& key, judgement::Machine machine) = 0;
  virtual void Remove(const judgement::MachineKey& key) = 0;
  // Sets the problem `key` of the sources with that rank; std::nullopt clears it. No request is
  // approved while a problem is set.
  virtual void SetProblem(int rank, const std::string& key,
                          const std::optional<std::string>& problem) = 0;
};

}  // namespace inventories
