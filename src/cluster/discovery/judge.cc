// SPDX-License-Identifier: Apache-2.0
#include "discovery/judge.h"

#include <fmt/core.h>

#include <utility>

#include "kube/call.h"

namespace discovery {
namespace {

using Kind = base::Error::Kind;
using What = Decision::What;
using std::chrono::minutes;
using std::chrono::seconds;

// The longest time for which an expected object may be missing without evidence that it will
// appear.
constexpr base::Duration kGrace = seconds(3);
// The time in which a controller manager should sign a new token. A leader signs within seconds. A
// controller manager that takes over from a lost node, on a busy machine or a slow network, needs a
// minute or more.
constexpr base::Duration kSigningGrace = seconds(60);
// The time in which the signer begins with a new cluster-info. It takes 6 to 11 seconds once its
// controller manager is the leader.
constexpr base::Duration kSignerStart = seconds(60);
// The maximum time since notBefore of a certificate that counts as new: ten minutes after its
// issue. notBefore is five minutes before the issue (reference: pki.md §2).
constexpr base::Duration kFreshCertificate = minutes(5) + minutes(10);

Decision Wait(std::string why) { return {.what = What::kWait, .why = std::move(why)}; }
Decision Refuse(Kind kind, std::string why) {
  return {.what = What::kRefuse, .why = std::move(why), .kind = kind};
}

bool IsPassing(Kind kind) {
  return kind == Kind::kUnavailable || kind == Kind::kTimeout || kind == Kind::kOther;
}

// Returns the time since `from` by the server's own clock, because this node's clock may be wrong.
std::optional<base::Duration> Age(const std::optional<std::chrono::sys_seconds>& from,
                                  const Answer& answer) {
  if (!from || !answer.date) {
    return std::nullopt;
  }
  return *answer.date - *from;
}

bool YoungerThan(base::Duration limit, const std::optional<base::Duration>& age) {
  return age && *age < limit;
}

json::Value BodyOf(const Answer& answer) { return json::TryParse(answer.body); }

Decision NoKubernetes(const Facts& facts) {
  return Refuse(Kind::kInvalid,
                fmt::format("the server at {} is not a Kubernetes API server (status {}); check "
                            "address and port",
                            facts.server, facts.answer.status));
}

Decision JudgeFailure(const base::Error& failure) {
  return IsPassing(failure.kind()) ? Wait(failure.message())
                                   : Refuse(failure.kind(), failure.message());
}

// Handles the cases common to discovery by token and by file: no answer, a busy server, and a
// server that is not a Kubernetes API server.
std::optional<Decision> JudgeAnswering(const Facts& facts) {
  if (facts.failure) {
    return JudgeFailure(*facts.failure);
  }
  const int status = facts.answer.status;
  const base::Error error = kube::StatusError(status, facts.answer.body, facts.server);
  if (status == 200) {
    return ClusterInfo::Read(BodyOf(facts.answer)) ? std::optional<Decision>()
                                                   : NoKubernetes(facts);
  }
  if (IsPassing(error.kind()) && error.kind() != Kind::kOther) {
    return Wait(error.message());
  }
  // A 401 of any form counts, because it may come from a proxy in front of the API.
  if (status != 401 && json::TextAt(BodyOf(facts.answer), {"kind"}) != "Status") {
    return NoKubernetes(facts);
  }
  return std::nullopt;
}

// Returns whether the control plane has a new certificate: then `init` may still be running.
bool IsNew(const Facts& facts) {
  return YoungerThan(kFreshCertificate, Age(facts.answer.certificate_from, facts.answer));
}

Decision JudgeForbidden(const Facts& facts) {
  if (IsNew(facts)) {
    return Wait(
        fmt::format("the control plane at {} is new, and reading cluster-info is still forbidden",
                    facts.server));
  }
  if (facts.answering < kRulesGrace) {
    return Wait(fmt::format("reading cluster-info is forbidden at {}", facts.server));
  }
  std::string why = fmt::format(
      "{} does not let anonymous callers read ConfigMap cluster-info of namespace "
      "kube-public, which discovery by token needs; run \"kubeadm init phase "
      "bootstrap-token\" on a control-plane node, or join with --discovery-file",
      facts.server);
  return facts.has_read_rules ? Refuse(Kind::kForbidden, std::move(why)) : Wait(std::move(why));
}

Decision JudgeMissing(const Facts& facts) {
  if (facts.answering < kGrace || IsNew(facts)) {
    return Wait(fmt::format("ConfigMap cluster-info was not found at {}", facts.server));
  }
  return Refuse(
      Kind::kNotFound,
      fmt::format("the cluster at {} has no ConfigMap cluster-info in namespace "
                  "kube-public; make it again with \"kubeadm init phase bootstrap-token\" "
                  "on a control-plane node, or join with --discovery-file",
                  facts.server));
}

Decision JudgeUnsigned(const Facts& facts, const ClusterInfo& info) {
  const std::string& id = facts.token_id;
  const bool is_new =
      !info.signer_seen && YoungerThan(kSignerStart, Age(info.created, facts.answer));
  const bool at_once = facts.pin == Pin::kNow || (facts.pin == Pin::kSoon && is_new);
  const base::Duration grace = at_once                   ? base::Duration::zero()
                               : facts.pin == Pin::kSoon ? kGrace
                                                         : kSigningGrace;
  if (facts.pin != Pin::kNone && facts.answering >= grace) {
    return {.what = What::kUse, .info = info};
  }
  if (is_new) {
    return Wait(
        fmt::format("the cluster at {} is new and has not signed cluster-info for token "
                    "ID \"{}\" yet",
                    facts.server, id));
  }
  if (facts.answering < kSigningGrace) {
    return Wait(fmt::format("cluster-info at {} has no JWS signature for token ID \"{}\"",
                            facts.server, id));
  }
  const std::string cause =
      info.signer_seen ? "the token is unknown to the cluster, has expired, or may not sign, or "
                         "the controller manager, which signs, does not run"
                       : "nothing signs there: all tokens have expired, or the controller manager "
                         "does not run its controller \"bootstrapsigner\"";
  return Wait(fmt::format("cluster-info at {} has no JWS signature for token ID \"{}\": {}; {}",
                          facts.server, id, cause, kAdvice));
}

}  // namespace

Decision JudgeForToken(const Facts& facts) {
  if (auto decision = JudgeAnswering(facts)) {
    return *std::move(decision);
  }
  switch (facts.answer.status) {
    case 200: {
      auto info = ClusterInfo::Read(BodyOf(facts.answer));
      // A dry run's own cluster-info is accepted here, because the caller checks its signatures.
      if (!info->signatures.contains(facts.token_id) && !facts.answer.canned) {
        return JudgeUnsigned(facts, *info);
      }
      return {.what = What::kUse, .info = std::move(info)};
    }
    case 401:
      return Refuse(Kind::kUnauthorized,
                    fmt::format("{} rejects anonymous requests, which discovery by token needs (is "
                                "--anonymous-auth=false set for its API "
                                "server?); join with --discovery-file",
                                facts.server));
    case 403:
      return JudgeForbidden(facts);
    case 404:
      return JudgeMissing(facts);
    default:
      return Refuse(
          Kind::kInvalid,
          kube::StatusError(facts.answer.status, facts.answer.body, facts.server).message());
  }
}

Decision JudgeForFile(const Facts& facts) {
  if (auto decision = JudgeAnswering(facts)) {
    return *std::move(decision);
  }
  if (facts.answer.status == 200) {
    return {.what = What::kUse, .info = ClusterInfo::Read(BodyOf(facts.answer))};
  }
  const base::Error error = kube::StatusError(facts.answer.status, facts.answer.body, facts.server);
  return {.what = What::kUse, .why = error.message()};
}

Decision JudgeDocument(const Facts& facts) {
  if (facts.failure) {  // unlike an API server, a file server is not expected to be starting
    return Refuse(facts.failure->kind(), facts.failure->message());
  }
  const int status = facts.answer.status;
  if (status == 200) {
    return {.what = What::kUse};
  }
  return Refuse(kube::StatusKind("", status),
                fmt::format("the server answered with status {}", status));
}

}  // namespace discovery
