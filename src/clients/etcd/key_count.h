// SPDX-License-Identifier: Apache-2.0
// Counts the keys of an etcd that listens at a Unix socket, without TLS: a throw-away member.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace etcd {

// The number of keys at the present revision, and this revision.
struct KeyCount {
  std::int64_t keys = 0;
  std::int64_t revision = 0;
};

// Counts the keys. Throws base::Error: kUnavailable or kTimeout if etcd does not answer in time,
// kOther with etcd's message. Throws base::Interrupted on a stop request.
KeyCount CountKeys(const std::string& socket, std::chrono::milliseconds timeout,
                   const std::stop_token& stop);

}  // namespace etcd
