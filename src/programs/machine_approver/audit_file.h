// SPDX-License-Identifier: Apache-2.0
// The file of --audit-log.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace machine_approver {

// Returns a function that appends a line to the file, or to standard output for "-". Returns an
// empty function for "". The file is created with mode 0600 if it is missing. The function opens
// the file for each line, so that the file may be renamed or removed at any time. AuditSink also
// opens it once. Both throw base::Error with the system's kind if that fails. Thread-safe.
std::function<void(std::string_view line)> AuditSink(const std::string& path);

}  // namespace machine_approver
