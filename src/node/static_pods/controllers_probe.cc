// SPDX-License-Identifier: Apache-2.0
#include "static_pods/controllers_probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "http/client.h"

namespace static_pods {
namespace {

// After a restart, the controller manager can fail again only when its own old Lease (15 s) has
// expired.
constexpr std::chrono::minutes kWithoutControllers{1};

}  // namespace

bool ListsControllers(const std::string& answer) {
  return std::ranges::any_of(base::Lines(answer), [](const std::string& line) {
    return line.starts_with("[+]") && !line.starts_with("[+]leaderElection");
  });
}

kube::Probe ControllersProbe(const std::string& url, const host::Clock& clock) {
  using Since = std::optional<std::chrono::steady_clock::time_point>;
  auto client = std::make_shared<http::Client>(http::Tls{.skip_verify = true});
  auto since = std::make_shared<Since>();  // when it became healthy; reset when it is unhealthy
  return [client, since, url, &clock](std::stop_token stop) -> std::optional<kube::NotYet> {
    try {
      const http::Response answer = client->Do({.url = url + "?verbose", .stop = std::move(stop)});
      if (answer.status != 200) {
        since->reset();
        return kube::NotYet{fmt::format("{} answered with status {}", url, answer.status)};
      }
      *since = since->value_or(clock.Steady());
      if (ListsControllers(answer.body) || clock.Steady() - **since >= kWithoutControllers) {
        return std::nullopt;
      }
      return kube::NotYet{"it is healthy, but has not started its controllers"};
    } catch (const base::Error& error) {
      since->reset();
      return kube::NotYet{error.message()};
    }
  };
}

}  // namespace static_pods
