// SPDX-License-Identifier: Apache-2.0
#include "kubelet/version.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"

namespace kubelet {

ProgramVersion ParseVersion(std::string_view output) {
  constexpr std::string_view kPrefix = "Kubernetes v";
  std::string_view text = base::Trim(output);
  if (text.starts_with(kPrefix)) {
    text.remove_prefix(kPrefix.size());
    if (const auto version = base::Version::Parse(text)) {
      return *version;
    }
  }
  return std::unexpected(
      fmt::format("the output of `kubelet --version` is not a version: {}", base::Quoted(output)));
}

ProgramVersion CollectVersion(host::Host& host, const host::fs::path& program) {
  try {
    const host::RunResult result =
        host.processes.Run({program.string(), "--version"}, {.effect = host::Effect::kAsks});
    return result.Succeeded()
               ? ParseVersion(result.out)
               : std::unexpected(fmt::format("`{} --version` failed with {}: {}", program.string(),
                                             result.exit_code, base::Trim(result.Combined())));
  } catch (const base::Error& error) {
    return std::unexpected(error.kind() == base::Error::Kind::kNotFound &&
                                   !program.has_parent_path()
                               ? "the kubelet is not installed: there is no \"kubelet\" in PATH"
                               : error.message());
  }
}

}  // namespace kubelet
