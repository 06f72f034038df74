// SPDX-License-Identifier: Apache-2.0
// What this machine's processes were started with, by /proc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/files.h"

namespace host {

// CommandLines are those of all processes by the name of their program ("kubelet"); of several with
// one name any. Words are as they were given, the program first. Empty where there is no /proc.
std::map<std::string, std::vector<std::string>> CommandLines(const Files& files);

// CommandLineOf is that of one program; empty when it does not run.
std::vector<std::string> CommandLineOf(const Files& files, const std::string& program);

}  // namespace host
