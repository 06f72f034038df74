// SPDX-License-Identifier: Apache-2.0
#include "workflow/written_files.h"

#include "workflow/resume.h"

namespace workflow {

std::optional<std::string> WrittenFiles::Find(const host::fs::path& path) const {
  return files_.Find(path);
}

std::optional<host::FileInfo> WrittenFiles::Stat(const host::fs::path& path) const {
  return files_.Stat(path);
}

std::vector<std::string> WrittenFiles::List(const host::fs::path& path) const {
  return files_.List(path);
}

void WrittenFiles::Write(const host::fs::path& path, std::string_view content,
                         host::WriteOptions options) {
  context_.FileWritten(files_.Location(path).string(), FileHash(content));
  files_.Write(path, content, options);
}

void WrittenFiles::MakeDirectories(const host::fs::path& path, unsigned mode) {
  files_.MakeDirectories(path, mode);
}

void WrittenFiles::SetMode(const host::fs::path& path, unsigned mode) {
  files_.SetMode(path, mode);
}

void WrittenFiles::SetOwner(const host::fs::path& path, unsigned uid, unsigned gid) {
  files_.SetOwner(path, uid, gid);
}

bool WrittenFiles::Remove(const host::fs::path& path) { return files_.Remove(path); }

void WrittenFiles::RemoveTree(const host::fs::path& path) { files_.RemoveTree(path); }

host::fs::path WrittenFiles::Location(const host::fs::path& path) const {
  return files_.Location(path);
}

host::LinkRule WrittenFiles::LinksOf(const host::fs::path& path) const {
  return files_.LinksOf(path);
}

}  // namespace workflow
