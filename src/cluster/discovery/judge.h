// SPDX-License-Identifier: Apache-2.0
// Pure judgement of one attempt to fetch cluster-info: from its facts to the decision.
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

// Grace period for answers "forbidden", because a restarting API server has not loaded its RBAC
// rules yet. After the grace period, discovery checks whether the rules are loaded.
inline constexpr base::Duration kRulesGrace = std::chrono::seconds(60);

// The action if cluster-info lacks the token's signature. Over TLS verified with a pinned CA,
// discovery can ask the cluster whether it knows the token. kNone: waits for the signature. kSoon:
// asks after some seconds. kLate: asks again after a minute, if the cluster did not know the token
// before. kNow: the connection is verified, so cluster-info is accepted without a signature.
enum class Pin { kNone, kNow, kSoon, kLate };

// Facts of one attempt: either an answer or a failure.
struct Facts {
  std::string server;  // "10.0.0.1:6443", for messages
  std::string token_id;
  Pin pin = Pin::kNone;
  std::optional<base::Error> failure;
  Answer answer;
  // Time since the server's first answer with a status other than "busy".
  base::Duration answering = base::Duration::zero();
  // True if the server has loaded its RBAC rules: it then lets anonymous callers read its version.
  // Checked only after kRulesGrace of 403 answers.
  bool has_read_rules = false;
};

// Remedy for an unknown token, for the end of a sentence.
inline constexpr std::string_view kAdvice =
    "get a new one with \"kubeadm token create --print-join-command\" on a control-plane node";

// Decision about one attempt: use the answer, retry, or give up.
struct Decision {
  enum class What { kUse, kWait, kRefuse } what = What::kWait;
  std::string why;                                     // for kWait and kRefuse
  base::Error::Kind kind = base::Error::Kind::kOther;  // for kRefuse
  std::optional<ClusterInfo> info;                     // for kUse; optional for discovery by file
};

// Judges an attempt of discovery by token. Decides kUse once cluster-info has a signature for the
// token's id.
//
// Missing parts may still appear: a control plane is created in steps, and signatures appear
// seconds after the other parts. Without contrary evidence the decision is to wait.
//
// - No signature: if pins can verify cluster-info, the caller asks the cluster whether it knows the
//   token (Pin). The caller asks immediately in a new cluster, otherwise after some seconds, and
//   again after a minute.
// - 403: refuses if the server has loaded its RBAC rules and its certificate is not new. Otherwise
//   the rule that makes cluster-info public may still be created.
// - 404: refuses after a grace period if the server's certificate is not new. The rule that makes
//   cluster-info public exists, so cluster-info was deleted.
// - 401: refuses immediately. The API server's configuration refuses anonymous callers.
Decision JudgeForToken(const Facts& facts);

// Judges an attempt of discovery by file. Uses cluster-info if it is available. If the server
// answers but cluster-info is not available, uses the trusted kubeconfig. In this case `info` is
// not set and `why` has the reason.
Decision JudgeForFile(const Facts& facts);

// Judges the download of a discovery file. Accepts any document, because the server need not be an
// API server.
Decision JudgeDocument(const Facts& facts);

}  // namespace discovery
