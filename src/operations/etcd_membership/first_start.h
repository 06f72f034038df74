// SPDX-License-Identifier: Apache-2.0
// The data of a member whose process was ended during its first start.
#pragma once

#include <filesystem>

#include "host/files.h"

namespace etcd_membership {

// Returns whether the write-ahead log of this data directory exists and has no entry. Such data
// contain no key. The first entry adds the member itself, so an etcd whose log lacks this entry
// never serves. A starting etcd writes the entry within a second, so the result is final only while
// etcd does not run. Throws the errors of host::Files::Read if the log cannot be read. Format:
// https://pkg.go.dev/go.etcd.io/etcd/server/v3/storage/wal
bool HasEmptyLog(const host::Files& files, const std::filesystem::path& data_dir);

}  // namespace etcd_membership
