// SPDX-License-Identifier: Apache-2.0
#include "host/command_lines.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/strings.h"

namespace host {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20;  // in bytes

// Returns whether the four user ids in /proc/PID/status (real, effective, saved, file access) are
// root's. The owner of the directory /proc/PID is not reliable: for a non-dumpable process it is
// always root.
bool IsOfRoot(const std::string& status) {
  constexpr std::size_t kIds = 4;
  for (const std::string& line : base::Lines(status)) {
    if (line.starts_with("Uid:")) {
      const std::vector<std::string> words = base::Fields(line);
      return words.size() == kIds + 1 && std::count(words.begin() + 1, words.end(), "0") == kIds;
    }
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::string>> FindCommandLine(const Files& files, int pid) {
  const fs::path process = fs::path("/proc") / std::to_string(pid);
  try {
    if (!IsOfRoot(files.Find(process / "status").value_or(""))) {
      return std::nullopt;
    }
    const std::string line = files.Find(process / "cmdline").value_or("");
    if (line.empty() || line.size() > kLongest) {
      return std::nullopt;
    }
    std::vector<std::string> words = base::Split(line, '\0');
    if (words.back().empty()) {
      words.pop_back();
    }
    return words;
  } catch (const base::Error&) {
    return std::nullopt;  // the process has ended since
  }
}

}  // namespace host
