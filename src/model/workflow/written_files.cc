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
  try {
    files_.Write(path, content, options);
  } catch (...) {
    context_.FileRemoved(files_.Location(path).string());
    throw;
  }
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

bool WrittenFiles::Remove(const host::fs::path& path) {
  const std::string location = files_.Location(path).string();  // a link is removed with its file
  const bool removed = files_.Remove(path);
  context_.FileRemoved(location);
  return removed;
}

void WrittenFiles::RemoveTree(const host::fs::path& path) {
  const std::string location = files_.Location(path).string();
  files_.RemoveTree(path);
  context_.FileRemoved(location);
}

host::fs::path WrittenFiles::Location(const host::fs::path& path) const {
  return files_.Location(path);
}

host::LinkRule WrittenFiles::LinksOf(const host::fs::path& path) const {
  return files_.LinksOf(path);
}

}  // namespace workflow
