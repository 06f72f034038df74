// SPDX-License-Identifier: Apache-2.0
// Files of a host that report each write of a phase to the run.
#pragma once

#include "host/files.h"
#include "workflow/context.h"

namespace workflow {

// Forwards all calls to `files`. Before each write, records the file in the run's journal and
// events. A run that resumes this run then recognizes the file as its own.
class WrittenFiles : public host::Files {
 public:
  WrittenFiles(host::Files& files, Context& context) : files_(files), context_(context) {}

  std::optional<std::string> Find(const host::fs::path& path) const override;
  std::optional<host::FileInfo> Stat(const host::fs::path& path) const override;
  std::vector<std::string> List(const host::fs::path& path) const override;
  void Write(const host::fs::path& path, std::string_view content,
             host::WriteOptions options) override;
  void MakeDirectories(const host::fs::path& path, unsigned mode) override;
  void SetMode(const host::fs::path& path, unsigned mode) override;
  void SetOwner(const host::fs::path& path, unsigned uid, unsigned gid) override;
  bool Remove(const host::fs::path& path) override;
  void RemoveTree(const host::fs::path& path) override;
  host::fs::path Location(const host::fs::path& path) const override;
  host::LinkRule LinksOf(const host::fs::path& path) const override;

 private:
  host::Files& files_;
  Context& context_;
};

}  // namespace workflow
