// SPDX-License-Identifier: Apache-2.0
#include "host/new_file.h"

#include <fmt/core.h>

#include <cerrno>

#include "base/error.h"
#include "host/descriptor.h"

namespace host {

NewFile::NewFile(const Files& files, const fs::path& path)
    : place_(RequirePlace(files, path, {})), file_(place_) {
  file_.SetMode(0600);
  RemoveLeftovers(place_);  // a killed run may have left gigabytes
}

void NewFile::Append(std::string_view bytes) { file_.Append(bytes); }

void NewFile::Finish() {
  file_.Sync();
  if (!file_.Replace()) {
    throw base::Error(fmt::format("cannot write {}: it is a mount point", place_.path.string()));
  }
  if (!SyncEntries(place_.directory.get())) {
    throw SystemError(fmt::format("cannot sync {}", place_.path.parent_path().string()), errno);
  }
}

}  // namespace host
