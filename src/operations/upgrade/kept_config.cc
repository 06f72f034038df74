// SPDX-License-Identifier: Apache-2.0
#include "upgrade/kept_config.h"

#include "base/error.h"
#include "engine/backup_directory.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "node_input/patches.h"

namespace upgrade {

using base::Error;
using host::fs::path;

std::string KeepProxyPatches(host::Host& host, const path& from) {
  std::vector<std::string> names =
      from.empty() ? std::vector<std::string>() : host.files.List(from);
  std::erase_if(names, [&](const std::string& name) {
    const auto info = host.files.Stat(from / name);
    return !name.starts_with(node_input::kKubeProxyDaemonSetTarget) || !info ||
           info->kind == host::FileInfo::Kind::kDirectory;
  });
  if (names.empty()) {
    return "";
  }
  const path directory = engine::MakeBackupDirectory(host, kPatchesBackup);
  for (const std::string& name : names) {
    engine::CopyToBackup(host.files, from / name, directory);
  }
  return directory.string();
}

void KeepKubeletConfig(host::Files& files, const path& directory,
                       control_plane::UpgradeRecord& record) {
  if (!files.Exists(path(kubelet::kConfigFile))) {
    return;
  }
  for (const path& file : {path(kubelet::kConfigFile), path(kubelet::kFlagsFile)}) {
    if (files.Exists(file)) {
      engine::CopyToBackup(files, file, directory);
    }
  }
  if (record.kubelet_config.empty()) {
    record.kubelet_config = directory.string();
  }
  record.writes_kubelet = true;
  SaveRecord(files, record);
}

void PutBackKubeletConfig(const control_plane::UpgradeRecord& record, host::Files& files) {
  const auto kept = [&](const path& file) { return path(record.kubelet_config) / file.filename(); };
  const path flags(kubelet::kFlagsFile);
  if (const std::optional<std::string> text = files.Find(kept(flags))) {
    files.Write(flags, *text, {.mode = 0644});
  }
  const path file(kubelet::kConfigFile);
  files.Write(file, files.Read(kept(file)), {.mode = 0644});
}

}  // namespace upgrade
