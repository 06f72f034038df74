// SPDX-License-Identifier: Apache-2.0
// etcd's data directory: copies of it, and its replacement by restored data.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/host.h"

namespace control_plane {

// Copies the data directory of a stopped etcd into `directory`, as its subdirectory "etcd". An etcd
// can serve this copy. Throws base::Error before any write if the disk has too little space, and
// kConflict if another process uses the files. Removes a partial copy after an error.
void CopyEtcdData(host::Host& host, const host::fs::path& data_dir,
                  const host::fs::path& directory);

// The inputs of a restore of etcd's data. The etcd has a single member.
struct EtcdRestoration {
  host::fs::path data_dir;
  // Creates the new data directory, which must not exist yet, with the subdirectory "member".
  std::function<void(const host::fs::path& directory)> make;
};

// Replaces the content of the data directory by the restored data, and sets the owner of the old
// data. Keeps the old content in the data directory as "member.failed-upgrade", with a number if
// that name exists. Waits up to a minute until no etcd holds the lock on its database, in any Pod
// or process. If the process is killed, no data are lost, and the function may be called again.
// Throws base::Error(kConflict), without any change, if an etcd still runs on the data directory.
void RestoreEtcdData(host::Host& host, const EtcdRestoration& restoration,
                     const std::stop_token& stop = {});

}  // namespace control_plane
