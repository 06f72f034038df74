// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/certs/source.h"

#include <fmt/core.h>

#include "kubeadm/command_line.h"
#include "kubeadm/printed.h"
#include "node_input/load_config.h"
#include "stored_config/or_default.h"

namespace kubeadm {
namespace {

stored_config::Places PlacesBy(const cli::Parsed& flags) {
  return {.file = flags.Text("config"),
          .kubeconfig = flags.Text("kubeconfig"),
          .cert_dir = flags.Text("cert-dir")};
}

base::ShowLine Teller(const Announcer& announcer) {
  return [&announcer](const std::string& line) {
    announcer.output.Line(line.empty() ? line : fmt::format("{} {}", announcer.prefix, line));
  };
}

}  // namespace

std::vector<cli::Flag> CertsSourceFlags() {
  return CommonFlags({"cert-dir", "config", "kubeconfig"});
}

config::Init LoadCertsConfig(const cli::Parsed& flags, host::Host& host, const Announcer& announcer,
                             std::chrono::milliseconds patience) {
  stored_config::Places places = PlacesBy(flags);
  places.patience = patience;
  return stored_config::LoadOrDefault(places, host,
                                      {.found = Teller(announcer),
                                       .trouble = Teller(announcer),
                                       .defaults = announcer.on_defaults});
}

config::Init LoadCertsConfigPatiently(const cli::Parsed& flags, host::Host& host,
                                      std::chrono::milliseconds patience,
                                      const Announcer& announcer) {
  stored_config::Places places = PlacesBy(flags);
  places.patience = patience;
  return stored_config::LoadOrDefault(
      places, host, {.found = {}, .trouble = Teller(announcer), .defaults = announcer.on_defaults});
}

config::Init RequireCertsConfig(const cli::Parsed& flags, host::Host& host,
                                std::chrono::milliseconds patience, const Announcer& announcer) {
  stored_config::Places places = PlacesBy(flags);
  places.patience = patience;
  places.otherwise = stored_config::Places::Otherwise::kNothing;
  return stored_config::LoadOrDefault(places, host, {.found = {}, .trouble = Teller(announcer)});
}

bool IsNodeGiven(const cli::Parsed& flags, const config::Init& config) {
  return !flags.Text("config").empty() &&
         config.init.local_api_endpoint.advertise_address != node_input::kAnyAddress;
}

}  // namespace kubeadm
