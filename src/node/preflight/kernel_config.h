// SPDX-License-Identifier: Apache-2.0
// The configuration that the running kernel was built with (reference: preflight.md §7).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"

namespace preflight {

// KernelOptions are those that are built in ('y') or modules ('m'), without "CONFIG_".
using KernelOptions = std::map<std::string, char, std::less<>>;

// ParseKernelConfig reads "CONFIG_X=y" lines; all others are skipped.
KernelOptions ParseKernelConfig(std::string_view text);

// KernelConfigPaths are the places where a kernel's configuration may be, in the order of search.
std::vector<std::string> KernelConfigPaths(std::string_view release);

// Gunzip uncompresses gzip data (RFC 1952). Throws base::Error(kInvalid).
std::string Gunzip(std::string_view compressed);

// FindKernelConfig reads the first of these files; when there is none it loads the kernel's module
// "configs" for a moment, which may offer /proc/config.gz. Nothing when that does not help either.
std::optional<std::string> FindKernelConfig(host::Host& host);

}  // namespace preflight
