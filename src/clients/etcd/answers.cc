// SPDX-License-Identifier: Apache-2.0
#include "etcd/answers.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/number.h"
#include "http/rpc/status.h"
#include "net/url.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;
using rpc::Code;

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
    {"required revision has been compacted", Refusal::kCompacted},
};

// Messages of an endpoint that mean: another endpoint may be able to answer.
constexpr std::string_view kAskAnother[] = {"no leader",        "not supported for learner",
                                            "server stopped",   "request timed out",
                                            "leader changed",   "not leader",
                                            "too many requests"};

template <typename Parts>
bool HasAny(std::string_view text, const Parts& parts) {
  return std::ranges::any_of(parts,
                             [&](auto part) { return text.find(part) != std::string_view::npos; });
}

base::Error Unavailable(std::string_view endpoint, std::string_view message) {
  return {Kind::kUnavailable,
          fmt::format("etcd at {} is not available: {}", endpoint, rpc::LastCause(message))};
}

}  // namespace

Refusal RefusalIn(std::string_view message) {
  const auto row = std::ranges::find_if(kRefusals, [&](const RefusalText& each) {
    return message.find(each.part) != std::string_view::npos;
  });
  return row == std::end(kRefusals) ? Refusal::kNone : row->refusal;
}

base::Error NoAnswer(std::string_view endpoint, const base::Error& error) {
  switch (error.kind()) {
    case Kind::kTimeout:
      return CallError(endpoint, static_cast<int>(Code::kDeadlineExceeded), "");
    case Kind::kUnauthorized:
      return {Kind::kUnauthorized,
              fmt::format("etcd at {} and this client do not accept each other's certificates: {}: "
                          "compare the etcd CA on both machines",
                          endpoint, rpc::LastCause(error.message()))};
    case Kind::kUnavailable:
      return Unavailable(endpoint, error.message());
    default:
      return {Kind::kUnavailable,
              fmt::format("etcd at {} cannot be queried: {}", endpoint, error.message())};
  }
}

base::Error CallError(std::string_view endpoint, int code, std::string_view message) {
  if (HasAny(message, kAskAnother)) {
    return Unavailable(endpoint, message);
  }
  switch (static_cast<Code>(code)) {
    case Code::kUnavailable:
      return Unavailable(endpoint, message);
    case Code::kDeadlineExceeded:
      return {Kind::kTimeout, fmt::format("etcd at {} does not answer in time", endpoint)};
    case Code::kPermissionDenied:
      return {Kind::kForbidden, fmt::format("etcd at {} does not allow it: {}", endpoint, message)};
    case Code::kUnauthenticated:
      return {Kind::kUnauthorized,
              fmt::format("etcd at {} does not recognize this client: {}", endpoint, message)};
    default:
      return base::Error(fmt::format("etcd at {} answers: {}", endpoint, message));
  }
}

bool NothingListens(std::string_view message) { return message.contains("connection refused"); }

std::string Origin(std::string_view url) {
  const auto read = net::Url::Parse(url);
  if (!read || read->scheme != "https" || read->user || read->host.empty() ||
      !base::ParsePort(read->port) || (!read->target.empty() && read->target != "/")) {
    throw base::Error(
        Kind::kInvalid,
        fmt::format("\"{}\" is not an etcd endpoint: expected https://HOST:PORT", url));
  }
  url.remove_suffix(read->target.size());
  return std::string(url);
}

std::string HexId(std::uint64_t id) { return fmt::format("{:x}", id); }

}  // namespace etcd
