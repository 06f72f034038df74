// SPDX-License-Identifier: Apache-2.0
// What one try to fetch cluster-info means: facts in, decision out.
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
// before it is asked whether it has.
inline constexpr base::Duration kRulesGrace = std::chrono::seconds(60);

// Pin is what pins can do for a cluster-info that the token has not signed. Over TLS which a pinned
// CA vouches for the cluster itself can be asked whether it knows the token: soon, and late, when
// it did not know it at first. Over such a connection it is taken as it is now.
enum class Pin { kNone, kNow, kSoon, kLate };

// Facts of one try. There is an answer, or else a failure.
struct Facts {
  std::string server;  // "10.0.0.1:6443", for messages
  std::string token_id;
  Pin pin = Pin::kNone;
  std::optional<base::Error> failure;
  Answer answer;
  // Since the server first gave an answer (of any status but "busy").
  base::Duration answering = base::Duration::zero();
  // After kRulesGrace of 403: the server lets anonymous callers read its version, as by the rules
  // that every cluster begins with. So it has read them.
  bool has_read_rules = false;
};

// What to do about a token that is none of the cluster's, the end of a sentence.
inline constexpr std::string_view kAdvice =
    "get a new one with \"kubeadm token create --print-join-command\" on a control-plane node";

// Decision is what to do about one try: use what came, try again, or give up.
struct Decision {
  enum class What { kUse, kWait, kRefuse } what = What::kWait;
  std::string why;                                     // kWait, kRefuse
  base::Error::Kind kind = base::Error::Kind::kOther;  // kRefuse
  std::optional<ClusterInfo> info;                     // kUse; by file it may be missing
};

// JudgeForToken uses cluster-info once it has a signature for the token's id.
//
// What is missing may be about to come: a control plane is made in steps, and signatures appear
// seconds after the rest. Without evidence that it will not, discovery waits as long as it may.
// - No signature: where pins vouch for what cluster-info says, it is used as it is, at once in a
//   new cluster, after some seconds in others, and once more after a minute (Pin): the caller asks
//   the cluster whether it knows the token.
// - 403, as before the rule that opens cluster-info exists: refused once the server has read its
//   rules, and its certificate is not fresh.
// - 404 comes only after that rule, so cluster-info was deleted: grace.
// - 401: anonymous callers are turned away by configuration: none.
Decision JudgeForToken(const Facts& facts);

// JudgeForFile uses cluster-info when it can be had; a kubeconfig that is trusted already does
// without, if the server answers at all. `info` is missing then and `why` says why.
Decision JudgeForFile(const Facts& facts);

// JudgeDocument uses any document that comes; its server need not be a cluster's.
Decision JudgeDocument(const Facts& facts);

}  // namespace discovery
