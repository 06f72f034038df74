// SPDX-License-Identifier: Apache-2.0
// The state of one object of the operator, for a terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/clock.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace fleet {

// Returns a row for each node of the operation, below a header.
std::vector<std::vector<std::string>> RowsOf(const json::Value& object);

// Returns "to-v1-37: Running, 2/6 nodes", followed by the message if there is one.
std::string SummaryOf(const json::Value& object);

// The dependencies of a watch, which must outlive it. The client must retry for as long as an
// outage of the API server may last.
struct WatchDeps {
  kube::Client& client;
  const std::string& name;  // of the operation
  host::Clock& clock;
  std::function<void(const json::Value& object)> show;  // receives each new state
};

// Shows an operation until it ends. Throws base::Error: kOther with the cause if the operation has
// failed; kNotFound if the object does not exist or is deleted; and the errors of kube::Client.
// Throws base::Interrupted on a stop request; the operation itself continues.
void WatchOperation(const WatchDeps& deps, const std::stop_token& stop);

}  // namespace fleet
