// SPDX-License-Identifier: Apache-2.0
// Going on where a previous run was cut off: the journal of a host, and whose files lie there.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "host/host.h"
#include "workflow/journal.h"

namespace workflow {

// OpenJournal reads what the last run of the command ("init") on this machine left, and says so
// when that run is resumed. The journal is written to the machine's files, for root alone; the
// machine must outlive it.
std::unique_ptr<Journal> OpenJournal(host::Host& machine, const std::string& command,
                                     const Origin& origin);

// FileHash is the hash under which a journal knows a file's content: SHA-256 in hexadecimal.
std::string FileHash(std::string_view content);

// IsOwnLeftover tells whether a file is one that the resumed run wrote, with the content that it
// has now. Nothing is for `journal` null. Throws base::Error when the file cannot be read.
bool IsOwnLeftover(const Journal* journal, const host::Files& files, const host::fs::path& path);

}  // namespace workflow
