// SPDX-License-Identifier: Apache-2.0
#include "certs/external.h"

#include <fmt/core.h>

#include "base/error.h"
#include "certs/disk.h"
#include "certs/tree.h"

namespace certs {
namespace {

// Returns why the leaf is unusable: its certificate or key is missing, `ca` did not sign the
// certificate, or a certificate is not valid at `now`. Returns std::nullopt if it is usable.
std::optional<std::string> LeafProblem(const host::Files& files, const host::fs::path& dir,
                                       const CertSpec& spec, const pki::Certificate& ca,
                                       std::chrono::sys_seconds now) {
  try {
    LoadKey(files, KeyPath(dir, spec.base_name));
    const auto chain = LoadChain(files, CertPath(dir, spec.base_name));
    return pki::ChainProblem(chain.front(), {ca},
                             {.intermediates = {chain.begin() + 1, chain.end()}, .now = now});
  } catch (const base::Error& error) {
    return error.message();
  }
}

}  // namespace

ExternalCa DetectExternalCa(const host::Files& files, const host::fs::path& dir,
                            std::string_view ca_name, std::chrono::sys_seconds now) {
  using enum ExternalCa::State;
  const CertSpec& ca_spec = FindSpec(ca_name);
  std::optional<pki::Certificate> ca;
  try {
    ca = LoadCaCertificate(files, dir, ca_spec.base_name);
    CheckIsCa(*ca, CertPath(dir, ca_spec.base_name));
  } catch (const base::Error& error) {
    return {.state = kNoCertificate, .reason = error.message()};
  }
  if (IsThere(files, KeyPath(dir, ca_spec.base_name))) {
    return {.state = kLocal};
  }
  for (const CertSpec& spec : Tree()) {
    if (spec.ca != ca_name) {
      continue;
    }
    if (const auto problem = LeafProblem(files, dir, spec, *ca, now)) {
      return {.state = kIncomplete, .reason = fmt::format("{}: {}", spec.base_name, *problem)};
    }
  }
  return {.state = kExternal};
}

bool IsExternalCa(const host::Files& files, const host::fs::path& dir, std::string_view ca_name,
                  std::chrono::sys_seconds now) {
  const ExternalCa found = DetectExternalCa(files, dir, ca_name, now);
  if (found.state == ExternalCa::State::kIncomplete) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("invalid or incomplete external {}: {}",
                                  ca_name == kCa ? "CA" : "front-proxy CA", found.reason));
  }
  return found.external();
}

}  // namespace certs
