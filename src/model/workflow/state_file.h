// SPDX-License-Identifier: Apache-2.0
// The JSON files in which commands record their work on this node. Interrupted commands are resumed
// or rolled back from them.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>

#include "host/files.h"
#include "json/fwd.h"

namespace workflow {

// The directory of all state files.
inline constexpr std::string_view kDirectory = "/var/lib/slipway";

// Directories for a snapshot of etcd's data while it is restored or verified.
inline constexpr std::string_view kRestoring = "/var/lib/slipway/restore";
inline constexpr std::string_view kVerifying = "/var/lib/slipway/backup-verify";

// A state file.
struct StateFile {
  std::string_view path;
  // The error for malformed content: "{} is not …: {}; remove it if …". The placeholders are the
  // path and the reason.
  std::string_view refusal;
};

// Calls `read` with the file's content, if the file exists. If `read` or the JSON library throws
// because of the content, throws base::Error(kInvalid) with the file's `refusal`.
void ReadStateFile(const host::Files& files, const StateFile& file,
                   const std::function<void(const json::Value&)>& read);

// Returns the result of `read`; std::nullopt if the file does not exist. Throws like ReadStateFile.
template <typename Read>
auto LoadStateFile(const host::Files& files, const StateFile& file, Read read) {
  std::optional<std::invoke_result_t<Read&, const json::Value&>> loaded;
  ReadStateFile(files, file, [&](const json::Value& json) { loaded = read(json); });
  return loaded;
}

// Writes the file, and creates its directory, readable for root only.
void SaveStateFile(host::Files& files, std::string_view path, const json::Value& json);

}  // namespace workflow
