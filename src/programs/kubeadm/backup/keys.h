// SPDX-License-Identifier: Apache-2.0
// Flags for the keys of a backup. Arguments name files with secrets, and never contain secrets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "age/header.h"
#include "backup/writer.h"
#include "cli/command.h"
#include "host/host.h"

namespace kubeadm {

// Returns the flags that encrypt a new backup: --recipient, --recipients-file, --passphrase-file
// and --plaintext.
// --plaintext.
std::vector<cli::Flag> LockFlags();

// Returns the locks that the flags name; std::nullopt for --plaintext. Throws base::Error: kUsage
// if none of the flags is set, or if flags exclude each other; kInvalid for a malformed key, naming
// the file.
std::optional<age::Locks> LocksBy(const cli::Parsed& flags, const host::Files& files);

// Returns --identity and --passphrase-file, which decrypt a backup.
std::vector<cli::Flag> KeyFlags();

// Returns the keys in the files that the flags name; an empty result if no flag is set. Throws
// base::Error(kInvalid) for a malformed file.
age::Keys KeysBy(const cli::Parsed& flags, const host::Files& files);

// Returns the command's only argument, a path. Throws base::Error(kUsage) without one.
const std::string& RequireOneFile(const cli::Invocation& invocation);

// Returns a function that prints the progress in bytes to stderr, every few seconds, with the
// prefix "[TAG]". The invocation and the host must outlive the function.
backup::Progress ProgressOf(cli::Invocation& invocation, host::Host& host,
                            const char* tag = "backup");

}  // namespace kubeadm
