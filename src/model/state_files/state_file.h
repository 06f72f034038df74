// SPDX-License-Identifier: Apache-2.0
// What commands note of their work on this node, a JSON file each: by it one that was cut off is
// gone on with or taken back.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>

#include "host/files.h"
#include "json/fwd.h"

namespace state_files {

// kDirectory holds all of them.
inline constexpr std::string_view kDirectory = "/var/lib/slipway";

// StateFile is one of them.
struct StateFile {
  std::string_view path;
  // What is said of one that holds something else: "{} is not …: {}; remove it if …", of the path
  // and the reason.
  std::string_view refusal;
};

// ReadStateFile calls `read` with what the file holds, and does not when there is no file. Throws
// base::Error(kInvalid), by the file's refusal, when `read` does not find in it what it looks for:
// it throws base::Error, or the JSON library does on its behalf.
void ReadStateFile(const host::Files& files, const StateFile& file,
                   const std::function<void(const json::Value&)>& read);

// LoadStateFile is what `read` makes of the file; nothing when there is none. Throws as above.
template <typename Read>
auto LoadStateFile(const host::Files& files, const StateFile& file, Read read) {
  std::optional<std::invoke_result_t<Read&, const json::Value&>> loaded;
  ReadStateFile(files, file, [&](const json::Value& json) { loaded = read(json); });
  return loaded;
}

// SaveStateFile writes it so that root alone reads it, and makes its directory so.
void SaveStateFile(host::Files& files, std::string_view path, const json::Value& json);

}  // namespace state_files
