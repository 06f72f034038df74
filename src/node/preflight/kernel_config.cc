// SPDX-License-Identifier: Apache-2.0
// The configuration that the running kernel was built with (reference: preflight.md §7).
#include <fmt/core.h>
#include <zlib.h>

#include <array>

#include "base/error.h"
#include "base/strings.h"
#include "preflight/system_verification.h"

namespace preflight {
namespace {

struct InflateEnd {
  z_stream& stream;
  ~InflateEnd() { ::inflateEnd(&stream); }
};

std::optional<std::string> SearchConfig(host::Host& host, const std::string& release) {
  for (const std::string& path : KernelConfigPaths(release)) {
    if (std::optional<std::string> content = host.files.Find(path)) {
      return path.ends_with(".gz") ? Gunzip(*content) : *std::move(content);
    }
  }
  return std::nullopt;
}

}  // namespace

KernelOptions ParseKernelConfig(std::string_view text) {
  constexpr std::string_view kPrefix = "CONFIG_";
  KernelOptions options;
  for (const std::string& line : base::Lines(text)) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string::npos) {
      continue;
    }
    const std::string_view value = std::string_view(line).substr(equals + 1);
    if (value == "y" || value == "m") {
      options[line.substr(kPrefix.size(), equals - kPrefix.size())] = value.front();
    }
  }
  return options;
}

std::vector<std::string> KernelConfigPaths(std::string_view release) {
  return {"/proc/config.gz",
          fmt::format("/boot/config-{}", release),
          fmt::format("/usr/src/linux-{}/.config", release),
          "/usr/src/linux/.config",
          fmt::format("/usr/lib/modules/{}/config", release),
          fmt::format("/usr/lib/ostree-boot/config-{}", release),
          fmt::format("/usr/lib/kernel/config-{}", release),
          fmt::format("/usr/src/linux-headers-{}/.config", release),
          fmt::format("/lib/modules/{}/build/.config", release)};
}

std::string Gunzip(std::string_view compressed) {
  constexpr int kGzip = 16;  // zlib.h: added to the window bits, expects a gzip header
  z_stream stream{};
  if (::inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) {
    throw base::Error("zlib cannot be used");
  }
  const InflateEnd end{stream};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string text;
  std::array<char, std::size_t{64} * 1024> buffer{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  if (result != Z_STREAM_END) {
    throw base::Error(base::Error::Kind::kInvalid, "the text is not a complete gzip file");
  }
  return text;
}

std::optional<std::string> FindKernelConfig(host::Host& host) {
  const std::string release = host.machine.KernelRelease();
  if (std::optional<std::string> found = SearchConfig(host, release)) {
    return found;
  }
  if (!host.processes.FindExecutable("modprobe") ||
      !host.processes.Run({"modprobe", "configs"}).Succeeded()) {
    return std::nullopt;
  }
  std::optional<std::string> found = SearchConfig(host, release);
  host.processes.Run({"modprobe", "-r", "configs"});
  return found;
}

}  // namespace preflight
