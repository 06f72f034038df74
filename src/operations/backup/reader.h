// SPDX-License-Identifier: Apache-2.0
// Reading the file of a backup, piece by piece.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "age/header.h"
#include "backup/manifest.h"
#include "backup/storage.h"
#include "backup/writer.h"
#include "base/take_bytes.h"
#include "host/files.h"

namespace backup {

// The encryption of a file. It is known from the file's beginning, without a key.
struct Seal {
  bool encrypted = false;
  age::Encryption by;      // if it is encrypted
  std::uint64_t size = 0;  // of the file, in bytes
  std::optional<std::chrono::sys_seconds> modified = {};
};

// Receives the content of a backup. Functions may be empty.
struct Visitor {
  // Returns whether to continue reading.
  std::function<bool(const Manifest& manifest)> on_manifest = {};
  std::function<void(const std::string& name)> on_file = {};
  base::TakeBytes on_bytes = {};  // of the file that the last call of on_file named
  std::function<void()> on_end = {};
};

// The parameters of reading a backup. References must outlive the call.
struct Reading {
  const host::Files& files;
  host::fs::path path;
  Buckets buckets = {};  // used only if `path` is in a bucket
  age::Keys keys = {};   // empty for an unencrypted file
  Progress progress = {};
  std::stop_token stop = {};
};

// Reads the encryption from the beginning of the file. Throws base::Error: kInvalid for a file that
// is not a backup, and the errors of OpenInput.
Seal ReadSeal(const Reading& reading);

// Reads the whole backup and checks that it is complete and unchanged: the manifest lists each
// file, with its size and checksum. The visitor receives a file's bytes before its checksum is
// verified, so it may receive damaged bytes. The completeness of the backup is known only at its
// end. Throws base::Error: kForbidden without the key, kInvalid for a damaged, truncated or hostile
// file. Throws the visitor's exceptions, and base::Interrupted after a stop request.
void ReadBackup(const Reading& reading, const Visitor& visitor);

// Reads the manifest only. Throws like ReadBackup.
Manifest ReadManifest(const Reading& reading);

}  // namespace backup
