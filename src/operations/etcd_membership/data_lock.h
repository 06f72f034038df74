// SPDX-License-Identifier: Apache-2.0
// The lock by which a running etcd holds its data.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "host/file_lock.h"
#include "host/host.h"

namespace etcd_membership {

// Locks the database of a stopped etcd; waits up to a minute until this etcd has ended. While the
// lock is held, etcd cannot serve these data (bbolt locks its file with flock). Returns
// std::nullopt if the database does not exist. `what` is the action in messages: "copy etcd's
// data". If another process keeps the lock, throws base::Error(kConflict) with the commands that
// find the process. Throws base::Interrupted after a stop request.
std::optional<host::FileLock> LockData(host::Host& host, const std::filesystem::path& data_dir,
                                       const std::string& what, const std::stop_token& stop);

}  // namespace etcd_membership
