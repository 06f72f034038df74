#include "kubeadm/command_line.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kubeadm {

namespace {

// What may differ between two tries of the same thing: how much is said, what is overlooked, and
// secrets, which expire and have no place in a record.
constexpr std::array<std::string_view, 10> kNoOrigin = {
    "v",     "timeline",   "output",          "ignore-preflight-errors", "yes",
    "token", "token-file", "discovery-token", "tls-bootstrap-token",     "certificate-key"};

}  // namespace

std::string OriginOf(const cli::Parsed& flags) {
  std::string origin;
  for (const std::string& name : flags.ChangedNames()) {
    if (std::ranges::find(kNoOrigin, name) == kNoOrigin.end()) {
      origin += name + "=" + flags.Raw(name) + "\n";
    }
  }
  return origin;
}

config::CriSocketChoice SocketChoice(const cli::Parsed& flags) {
  return flags.Offers("cri-socket") ? config::CriSocketChoice::kDetect
                                    : config::CriSocketChoice::kAssume;
}

}  // namespace kubeadm
