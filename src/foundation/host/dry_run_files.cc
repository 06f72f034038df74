// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <set>

#include "host/files.h"

namespace host {
namespace {

// Returns `path` relative to `directory`, or std::nullopt if `path` is not below `directory`.
std::optional<fs::path> Below(const fs::path& path, const fs::path& directory) {
  const fs::path clean_path = path.lexically_normal();
  const fs::path clean = directory.lexically_normal();
  const fs::path base = clean.has_filename() ? clean : clean.parent_path();
  const auto [in_base, in_path] = std::ranges::mismatch(base, clean_path);
  if (in_base != base.end()) {
    return std::nullopt;
  }
  fs::path rest;
  for (auto it = in_path; it != clean_path.end(); ++it) {
    rest /= *it;
  }
  return rest;
}

}  // namespace

DryRunFiles::DryRunFiles(Files& real, std::vector<Redirect> redirects, fs::path fallback)
    : real_(real), redirects_(std::move(redirects)), fallback_(std::move(fallback)) {
  // The longest path comes first, so that the first match is the longest one.
  std::ranges::stable_sort(redirects_, [](const Redirect& a, const Redirect& b) {
    return a.from.native().size() > b.from.native().size();
  });
}

fs::path DryRunFiles::Location(const fs::path& path) const {
  const auto lies_in = [&](const fs::path& directory) {
    return Below(path, directory).has_value();
  };
  if (lies_in(fallback_) ||
      std::ranges::any_of(redirects_, [&](const Redirect& r) { return lies_in(r.to); })) {
    return path;
  }
  for (const Redirect& redirect : redirects_) {
    if (const std::optional<fs::path> rest = Below(path, redirect.from)) {
      return rest->empty() ? redirect.to : redirect.to / *rest;
    }
  }
  return fallback_ / path.relative_path();
}

LinkRule DryRunFiles::LinksOf(const fs::path& path) const { return real_.LinksOf(Location(path)); }

std::optional<std::string> DryRunFiles::Find(const fs::path& path) const {
  std::optional<std::string> content = real_.Find(Location(path));
  return content ? std::move(content) : real_.Find(path);
}

std::optional<FileInfo> DryRunFiles::Stat(const fs::path& path) const {
  const std::optional<FileInfo> info = real_.Stat(Location(path));
  return info ? info : real_.Stat(path);
}

std::vector<std::string> DryRunFiles::List(const fs::path& path) const {
  const fs::path location = Location(path);
  if (location == path || !real_.Exists(location)) {
    return real_.List(path);
  }
  const std::vector<std::string> written = real_.List(location);
  std::set<std::string> names(written.begin(), written.end());
  if (real_.Exists(path)) {
    const std::vector<std::string> beneath = real_.List(path);
    names.insert(beneath.begin(), beneath.end());
  }
  return {names.begin(), names.end()};
}

void DryRunFiles::Write(const fs::path& path, std::string_view content, WriteOptions options) {
  const fs::path location = Location(path);
  // An existing file decides the mode, as without a dry run.
  if (const auto info = real_.Stat(path);
      info && options.keep_mode && info->kind == FileInfo::Kind::kFile && !real_.Stat(location)) {
    options.mode =
        IsSecret(options) ? SecretMode(info->mode, info->uid == ::geteuid()) : info->mode;
  }
  real_.Write(location, content, options);
}

void DryRunFiles::MakeDirectories(const fs::path& path, unsigned mode) {
  real_.MakeDirectories(Location(path), mode);
}

void DryRunFiles::SetMode(const fs::path& path, unsigned mode) {
  if (real_.Exists(Location(path))) {
    real_.SetMode(Location(path), mode);
  }
}

void DryRunFiles::SetOwner(const fs::path& path, unsigned uid, unsigned gid) {
  if (real_.Exists(Location(path))) {
    real_.SetOwner(Location(path), uid, gid);
  }
}

bool DryRunFiles::Remove(const fs::path& path) {
  return real_.Remove(Location(path)) || real_.Exists(path);
}

void DryRunFiles::RemoveTree(const fs::path& path) { real_.RemoveTree(Location(path)); }

}  // namespace host
