// SPDX-License-Identifier: Apache-2.0
// What one try to fetch cluster-info means: facts in, decision out.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/duration.h"
#include "base/error.h"
#include "discovery/ask.h"
#include "discovery/cluster_info.h"

namespace discovery {

// Facts of one try. There is an answer, or else a failure.
struct Facts {
  std::string server;  // "10.0.0.1:6443", for messages
  std::string token_id;
  bool pinned = false;  // pins will vouch for what comes
  std::optional<base::Error> failure;
  Answer answer;
  // Since the server first gave an answer (of any status but "busy").
  base::Duration answering = base::Duration::zero();
};

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
// seconds after the rest. Evidence that this is so lets discovery wait as long as it may; without
// it a short grace is all.
// - No signature: cluster-info was made less than a minute ago, and the signer was not seen yet.
//   Where pins vouch for what it says, it is used as it is.
// - 403, as before the rule that opens cluster-info exists: the server's certificate is fresh.
// - 404 comes only after that rule, so cluster-info was deleted: grace.
// - 401: anonymous callers are turned away by configuration: none.
Decision JudgeForToken(const Facts& facts);

// JudgeForFile uses cluster-info when it can be had; a kubeconfig that is trusted already does
// without, if the server answers at all. `info` is missing then and `why` says why.
Decision JudgeForFile(const Facts& facts);

// JudgeDocument uses any document that comes; its server need not be a cluster's.
Decision JudgeDocument(const Facts& facts);

}  // namespace discovery
