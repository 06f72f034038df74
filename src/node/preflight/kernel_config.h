// SPDX-License-Identifier: Apache-2.0
// The build configuration of the running kernel (reference: preflight.md §7).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace preflight {

// The options that are built in ('y') or modules ('m'), without "CONFIG_".
using KernelOptions = std::map<std::string, char, std::less<>>;

// Parses "CONFIG_X=y" lines; skips all others.
KernelOptions ParseKernelConfig(std::string_view text);

// The possible paths of a kernel's configuration, in the order of search.
std::vector<std::string> KernelConfigPaths(std::string_view release);

// Uncompresses gzip data (RFC 1952). Throws base::Error(kInvalid).
std::string Gunzip(std::string_view compressed);

// Reads the first of these files; without any it loads the kernel's module "configs" temporarily,
// which may provide /proc/config.gz. Returns std::nullopt if that fails, too.
std::optional<std::string> FindKernelConfig(host::Host& host);

}  // namespace preflight
