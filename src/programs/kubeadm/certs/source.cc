// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/certs/source.h"

#include <fmt/core.h>

#include "kubeadm/command_line.h"
#include "kubeadm/printed.h"
#include "stored_config/or_default.h"

namespace kubeadm {
namespace {

stored_config::Places PlacesBy(const cli::Parsed& flags) {
  return {.file = flags.Text("config"),
          .kubeconfig = flags.Text("kubeconfig"),
          .cert_dir = flags.Text("cert-dir")};
}

}  // namespace

std::vector<cli::Flag> CertsSourceFlags() {
  return CommonFlags({"cert-dir", "config", "kubeconfig"});
}

config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host) {
  return stored_config::LoadOrDefault(PlacesBy(flags), host, [](const std::string&) {});
}

config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, std::string_view prefix,
                             const Output& output) {
  return stored_config::LoadOrDefault(PlacesBy(flags), host, [&](const std::string& line) {
    output.Line(line.empty() ? line : fmt::format("{} {}", prefix, line));
  });
}

}  // namespace kubeadm
