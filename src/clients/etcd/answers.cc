#include "etcd/answers.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;

// The codes of google.rpc.Code that mean something to us.
enum Code {
  kCancelled = 1,
  kDeadlineExceeded = 4,
  kPermissionDenied = 7,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

struct RefusalText {
  std::string_view part;  // of etcd's message
  Refusal refusal;
};

constexpr RefusalText kRefusals[] = {
    {"Peer URLs already exists", Refusal::kPeerUrlExists},
    {"member ID already exist", Refusal::kPeerUrlExists},
    {"too many learner members", Refusal::kTooManyLearners},
    {"not enough started members", Refusal::kNotEnoughStarted},
    {"unhealthy cluster", Refusal::kUnhealthy},
    {"in sync with leader", Refusal::kNotInSync},
    {"can only promote a learner member", Refusal::kNotLearner},
    {"member not found", Refusal::kMemberNotFound},
};

// What an endpoint says when another one may be able to answer.
constexpr std::string_view kAskAnother[] = {"no leader",      "not supported for learner",
                                            "server stopped", "request timed out",
                                            "leader changed", "not leader"};

// Words of gRPC's and OpenSSL's errors when the two sides do not accept each other. A "handshaker
// shutdown" is none of them: there the time was over.
constexpr std::string_view kNoTrust[] = {"CERTIFICATE_VERIFY_FAILED", "peer certificate",
                                         "andshake failed"};

template <typename Parts>
bool HasAny(std::string_view text, const Parts& parts) {
  return std::ranges::any_of(parts,
                             [&](auto part) { return text.find(part) != std::string_view::npos; });
}

// LastCause is the end of gRPC's chain of causes: "…: ipv4:10.0.0.1:2379: Connection refused".
std::string_view LastCause(std::string_view message) {
  const auto colon = message.rfind(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

base::Error Unavailable(std::string_view endpoint, std::string_view message) {
  if (HasAny(message, kNoTrust)) {
    return {Kind::kUnauthorized,
            fmt::format("etcd at {} and this client do not accept each other's certificates: {}: "
                        "compare the etcd CA on both machines",
                        endpoint, LastCause(message))};
  }
  return {Kind::kUnavailable,
          fmt::format("etcd at {} is not available: {}", endpoint, LastCause(message))};
}

bool IsIpv4(std::string_view host) {
  return host.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::ranges::count(host, '.') == 3;
}

}  // namespace

Refusal RefusalIn(std::string_view message) {
  const auto row = std::ranges::find_if(kRefusals, [&](const RefusalText& each) {
    return message.find(each.part) != std::string_view::npos;
  });
  return row == std::end(kRefusals) ? Refusal::kNone : row->refusal;
}

base::Error CallError(std::string_view endpoint, int code, std::string_view message) {
  if (HasAny(message, kAskAnother)) {
    return Unavailable(endpoint, message);
  }
  switch (code) {
    case kUnavailable:
      return Unavailable(endpoint, message);
    case kDeadlineExceeded:
      return {Kind::kTimeout, fmt::format("etcd at {} does not answer in time", endpoint)};
    case kCancelled:
      return {Kind::kCancelled, fmt::format("stopped while waiting for etcd at {}", endpoint)};
    case kPermissionDenied:
      return {Kind::kForbidden, fmt::format("etcd at {} does not allow it: {}", endpoint, message)};
    case kUnauthenticated:
      return {Kind::kUnauthorized,
              fmt::format("etcd at {} does not know who asks: {}", endpoint, message)};
    default:
      return base::Error(fmt::format("etcd at {} answers: {}", endpoint, message));
  }
}

std::string Target(std::string_view url) {
  constexpr std::string_view kScheme = "https://";
  const auto refuse = [&] {
    return base::Error(Kind::kInvalid,
                       fmt::format("\"{}\" is no etcd endpoint: expected https://HOST:PORT", url));
  };
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) {
    throw refuse();
  }
  rest.remove_prefix(kScheme.size());
  if (rest.ends_with('/')) {
    rest.remove_suffix(1);
  }
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || !base::ParsePort(rest.substr(colon + 1))) {
    throw refuse();
  }
  const std::string_view host = rest.substr(0, colon);
  const std::string_view port = rest.substr(colon + 1);
  if (host.front() == '[' && host.back() == ']') {
    return fmt::format("ipv6:%5B{}%5D:{}", host.substr(1, host.size() - 2), port);
  }
  if (host.find_first_of(":/[]@") != std::string_view::npos) {
    throw refuse();
  }
  return fmt::format("{}{}:{}", IsIpv4(host) ? "ipv4:" : "dns:///", host, port);
}

std::string HexId(std::uint64_t id) { return fmt::format("{:x}", id); }

}  // namespace etcd
