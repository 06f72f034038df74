// SPDX-License-Identifier: Apache-2.0
#include "engine/backup_directory.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>

#include "config/paths.h"
#include "host/temporary_file.h"

namespace engine {
namespace {

using host::fs::path;

// Removes the partial files in earlier backup directories. If a run is killed during a write, a
// partial file remains. Usually the next write to the same directory removes it, but no run writes
// to an earlier backup again.
void RemovePartialFiles(host::Files& files, const path& directory) {
  for (const std::string& name : files.List(directory)) {
    const auto info = files.Stat(directory / name);
    if (info && info->kind == host::FileInfo::Kind::kDirectory) {
      RemovePartialFiles(files, directory / name);
    } else if (host::IsLeftoverName(name)) {
      files.Remove(directory / name);
    }
  }
}

void RemovePartialBackups(host::Files& files) {
  if (!files.Exists(config::kTmpDir)) {
    return;
  }
  for (const std::string& name : files.List(config::kTmpDir)) {
    const path backup = path(config::kTmpDir) / name;
    const auto info = files.Stat(backup);
    if (info && info->kind == host::FileInfo::Kind::kDirectory) {
      RemovePartialFiles(files, backup);
    }
  }
}

}  // namespace

path MakeBackupDirectory(host::Host& host, std::string_view kind) {
  RemovePartialBackups(host.files);
  for (;;) {
    const std::time_t now = std::chrono::system_clock::to_time_t(host.clock.Now());
    const path directory =
        path(config::kTmpDir) / fmt::format("{}-{:%Y-%m-%d-%H-%M-%S}", kind, fmt::localtime(now));
    if (!host.files.Exists(directory)) {
      host.files.MakeDirectories(directory, 0700);
      return directory;
    }
    host.clock.Sleep(std::chrono::milliseconds(200));
  }
}

void CopyToBackup(host::Files& files, const path& file, const path& directory) {
  files.Write(directory / file.filename(), files.Read(file), {.mode = 0600});
}

}  // namespace engine
