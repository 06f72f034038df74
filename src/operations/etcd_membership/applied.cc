// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/applied.h"

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "base/number.h"
#include "base/strings.h"
#include "http/client.h"
#include "static_pods/endpoints.h"
#include "static_pods/static_pod.h"

namespace etcd_membership {
namespace {

constexpr std::string_view kMetric = "etcd_server_proposals_applied_total ";
constexpr double kMost = 1e18;  // more than any real value, and within the type's range
// The timeout of one query; a member that does not answer is queried again.
constexpr std::chrono::milliseconds kPatience{2'000};

std::string MetricsHere(const host::Files& files) {
  const auto pod = static_pods::ReadManifest(files, components::Component::kEtcd);
  return http::Client({.skip_verify = true})
      .Do({.url = static_pods::EtcdMetricsUrl(pod.value_or(json::Value::object())),
           .timeout = kPatience,
           .proxy = ""})
      .body;
}

}  // namespace

std::optional<std::uint64_t> AppliedHere(const host::Files& files) {
  try {
    for (const std::string& line : base::Lines(MetricsHere(files))) {
      if (line.starts_with(kMetric)) {
        const auto applied =
            base::ParseNumber<double>(std::string_view(line).substr(kMetric.size()));
        return applied && *applied >= 0 && *applied < kMost
                   ? std::optional(static_cast<std::uint64_t>(*applied))
                   : std::nullopt;
      }
    }
  } catch (const base::Error& error) {
    base::LogInfo(1, "the metrics of this node's etcd cannot be read: {}", error.message());
  }
  return std::nullopt;
}

}  // namespace etcd_membership
