// SPDX-License-Identifier: Apache-2.0
#include "etcd/waiting.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/duration.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;

std::optional<std::string> ReasonAfter(const Try& attempt) {
  try {
    return attempt();
  } catch (const base::Error& error) {
    if (error.kind() != Kind::kUnavailable && error.kind() != Kind::kTimeout) {
      throw;
    }
    return error.message();
  }
}

}  // namespace

void WaitFor(const std::string& what, const Waiting& waiting, const Try& attempt,
             const base::ShowLine& on_wait) {
  const auto end = waiting.now() + waiting.limit;
  milliseconds next = waiting.first;
  std::string told;
  for (auto reason = ReasonAfter(attempt); reason; reason = ReasonAfter(attempt)) {
    if (waiting.culprit) {
      if (auto error = waiting.culprit()) {
        throw *std::move(error);
      }
    }
    const auto left = std::chrono::ceil<milliseconds>(end - waiting.now());
    if (left <= milliseconds::zero()) {
      throw base::Error(Kind::kTimeout, fmt::format("{} within {}: {}", what,
                                                    base::FormatDuration(waiting.limit), *reason));
    }
    if (on_wait && *reason != told) {
      on_wait(*reason);
    }
    told = *reason;
    if (!waiting.pause(std::min(next, left))) {
      throw base::Interrupted(fmt::format("{}: stopped: {}", what, *reason));
    }
    next = std::min(2 * next, waiting.most);
  }
}

}  // namespace etcd
