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

base::ShowLine Teller(const Telling& telling) {
  return [&telling](const std::string& line) {
    telling.output.Line(line.empty() ? line : fmt::format("{} {}", telling.prefix, line));
  };
}

}  // namespace

std::vector<cli::Flag> CertsSourceFlags() {
  return CommonFlags({"cert-dir", "config", "kubeconfig"});
}

config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, const Telling& telling) {
  return stored_config::LoadOrDefault(PlacesBy(flags), host, {Teller(telling), Teller(telling)});
}

config::Init LoadCertsConfigPatiently(const cli::Parsed& flags, host::Host& host,
                                      std::chrono::milliseconds patience, const Telling& telling) {
  stored_config::Places places = PlacesBy(flags);
  places.patience = patience;
  return stored_config::LoadOrDefault(places, host, {.found = {}, .trouble = Teller(telling)});
}

config::Init RequireCertsConfig(const cli::Parsed& flags, host::Host& host,
                                std::chrono::milliseconds patience, const Telling& telling) {
  stored_config::Places places = PlacesBy(flags);
  places.patience = patience;
  places.otherwise = stored_config::Places::Otherwise::kNothing;
  return stored_config::LoadOrDefault(places, host, {.found = {}, .trouble = Teller(telling)});
}

}  // namespace kubeadm
