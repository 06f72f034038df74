// SPDX-License-Identifier: Apache-2.0
// The judgement of one attempt to fetch cluster-info: facts in, decision out.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/duration.h"
#include "base/error.h"
#include "discovery/ask.h"
#include "discovery/cluster_info.h"

namespace discovery {

// How long an API server may answer "forbidden" because it restarts and has not read its rules yet,
// before that is checked.
inline constexpr base::Duration kRulesGrace = std::chrono::seconds(60);

// The power of pins over a cluster-info that the token has not signed. Over TLS verified with a
// pinned CA the cluster itself can be asked whether it knows the token. This is done soon, and
// late, if it did not know it at first. kNow accepts it over such a connection as it is.
enum class Pin { kNone, kNow, kSoon, kLate };

// Facts of one attempt: an answer, or else a failure.
struct Facts {
  std::string server;  // "10.0.0.1:6443", for messages
  std::string token_id;
  Pin pin = Pin::kNone;
  std::optional<base::Error> failure;
  Answer answer;
  // Since the server's first answer (of any status but "busy").
  base::Duration answering = base::Duration::zero();
  // After kRulesGrace of 403: the server lets anonymous callers read its version, as by the default
  // rules of every cluster. So it has read them.
  bool has_read_rules = false;
};

// The remedy for an unknown token, the end of a sentence.
inline constexpr std::string_view kAdvice =
    "get a new one with \"kubeadm token create --print-join-command\" on a control-plane node";

// The decision about one attempt: use the answer, retry, or give up.
struct Decision {
  enum class What { kUse, kWait, kRefuse } what = What::kWait;
  std::string why;                                     // kWait, kRefuse
  base::Error::Kind kind = base::Error::Kind::kOther;  // kRefuse
  std::optional<ClusterInfo> info;                     // kUse; by file it may be missing
};

// JudgeForToken uses cluster-info once it has a signature for the token's id.
//
// Missing parts may still appear: a control plane is created in steps, and signatures appear
// seconds after the rest. Without contrary evidence, discovery waits until its timeout.
// - No signature: if pins can verify cluster-info, the caller asks the cluster whether it knows the
//   token. That is done at once in a new cluster, after some seconds in others, and once more after
//   a minute (Pin).
// - 403, as before the rule that opens cluster-info exists: refused once the server has read its
//   rules, and its certificate is not fresh.
// - 404 comes only after that rule, so cluster-info was deleted: grace.
// - 401: the configuration refuses anonymous callers: no grace.
Decision JudgeForToken(const Facts& facts);

// Uses cluster-info if it is available; a kubeconfig that is trusted already works without, if the
// server answers at all. `info` is then missing and `why` has the reason.
Decision JudgeForFile(const Facts& facts);

// Accepts any document; its server need not be a cluster's.
Decision JudgeDocument(const Facts& facts);

}  // namespace discovery
