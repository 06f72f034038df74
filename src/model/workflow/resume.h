// SPDX-License-Identifier: Apache-2.0
// Resumption of an interrupted run: the journal of a host, and recognition of the run's own files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "host/host.h"
#include "workflow/journal.h"

namespace workflow {

// Opens the journal of the last run of `command` ("init") on this machine. If the new run resumes
// that run, reports this to the user. The journal is a file of the machine that only root can read;
// the machine must outlive the journal.
std::unique_ptr<Journal> OpenJournal(host::Host& machine, const std::string& command,
                                     const Origin& origin);

// Returns the hash of a file's content in the journal: SHA-256 in hexadecimal.
std::string FileHash(std::string_view content);

// Returns whether the resumed run wrote the file and the file's content is unchanged since. Returns
// false if `journal` is null. Throws base::Error with the kind of the file's error if the file
// cannot be read.
bool IsOwnLeftover(const Journal* journal, const host::Files& files, const host::fs::path& path);

}  // namespace workflow
