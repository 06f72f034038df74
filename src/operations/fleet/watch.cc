// SPDX-License-Identifier: Apache-2.0
#include "fleet/watch.h"

#include <fmt/core.h>

#include "base/error.h"
#include "fleet/cluster_operation.h"
#include "fleet/status.h"
#include "json/value.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::chrono::seconds kPause{1};

}  // namespace

std::vector<std::vector<std::string>> RowsOf(const json::Value& object) {
  std::vector<std::vector<std::string>> rows = {{"NODE", "STEP", "STATE", "MESSAGE"}};
  for (const json::Value& node : json::At(object, {"status", "nodes"})) {
    rows.push_back({json::TextAt(node, {"name"}), json::TextAt(node, {"step"}),
                    json::TextAt(node, {"stage"}), json::TextAt(node, {"message"})});
  }
  return rows;
}

std::string SummaryOf(const json::Value& object) {
  const auto text = [&](const char* field) { return json::TextAt(object, {"status", field}); };
  const std::string phase = text("phase");
  if (phase.empty()) {
    return fmt::format("{}: Pending", json::TextAt(object, {"metadata", "name"}));
  }
  const std::string message = text("message");
  return fmt::format("{}: {}, {} done{}{}", json::TextAt(object, {"metadata", "name"}), phase,
                     text("progress"), message.empty() ? "" : ": ", message);
}

void WatchOperation(const WatchDeps& deps, const std::stop_token& stop) {
  const kube::ObjectKey key{kClusterOperation, "", deps.name};
  json::Value last;
  while (true) {
    json::Value object;
    deps.client.Retry("", [&] { object = deps.client.Get(key); });
    const json::Value status = json::At(object, {"status"});
    if (status != last || last.is_null()) {
      deps.show(object);
      last = status;
    }
    if (IsFinished(object)) {
      if (json::TextAt(status, {"phase"}) == ToString(Phase::kFailed)) {
        throw Error(fmt::format("operation {} has failed: {}", deps.name,
                                json::TextAt(status, {"message"})));
      }
      return;
    }
    if (!deps.clock.Sleep(kPause, stop)) {
      throw base::Interrupted(fmt::format("interrupted: operation {} continues", deps.name));
    }
  }
}

}  // namespace fleet
