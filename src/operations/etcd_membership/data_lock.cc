// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/data_lock.h"

#include <fmt/core.h>

#include <chrono>

#include "base/error.h"

namespace etcd_membership {
namespace {

// The time for etcd to end after a stop request.
constexpr std::chrono::milliseconds kEndOfEtcd{60'000};

}  // namespace

std::optional<host::FileLock> LockData(host::Host& host, const std::filesystem::path& data_dir,
                                       const std::string& what, const std::stop_token& stop) {
  const std::filesystem::path database = data_dir / "member/snap/db";
  if (!host.files.Exists(database)) {
    return std::nullopt;
  }
  auto lock =
      host::FileLock::Await([&] { return host::FileLock::TryExisting(host.files, database); },
                            {.clock = host.clock, .timeout = kEndOfEtcd, .stop = stop});
  if (!lock) {
    throw base::Error(
        base::Error::Kind::kConflict,
        fmt::format("could not {}: another process uses {}. Find it by 'fuser -v {}' and "
                    "'crictl ps --name etcd', and end it",
                    what, data_dir.string(), database.string()));
  }
  return lock;
}

}  // namespace etcd_membership
