// SPDX-License-Identifier: Apache-2.0
// The file of --audit-log.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace machine_approver {

// AuditSink returns a function that appends a line to the file, or to standard output for "-". It
// returns an empty function for "". The function opens the file for each line, so that the file may
// be renamed or removed at any time. A missing file is created with mode 0600. AuditSink itself
// opens the file once, to test it. Both throw the system's error if the file cannot be opened.
// Thread-safe.
std::function<void(std::string_view line)> AuditSink(const std::string& path);

}  // namespace machine_approver
