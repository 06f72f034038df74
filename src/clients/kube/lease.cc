// SPDX-License-Identifier: Apache-2.0
#include "kube/lease.h"

#include <fmt/core.h>

#include "json/rfc3339.h"

namespace kube {

std::string MicroTime(const host::Clock& clock) {
  const auto now = std::chrono::floor<std::chrono::microseconds>(clock.Now());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  std::string text = json::FormatRfc3339(seconds);
  text.pop_back();
  return fmt::format("{}.{:06}Z", text, (now - seconds).count());
}

Probe RenewalProbe(Client& client, LeaseName lease, std::string since) {
  return [&client, lease = std::move(lease),
          since = std::move(since)](const std::stop_token&) -> std::optional<NotYet> {
    const json::Value object = client.Get({resources::kLease, lease.name_space, lease.name});
    const std::string renewed = json::TextAt(object, {"spec", "renewTime"});
    if (renewed > since) {
      return std::nullopt;
    }
    return NotYet{fmt::format("lease {}/{} has not been renewed since {}", lease.name_space,
                              lease.name, renewed)};
  };
}

json::Value Released(json::Value lease) {
  lease["spec"]["holderIdentity"] = "";
  lease["spec"]["leaseDurationSeconds"] = 1;
  return lease;
}

}  // namespace kube
