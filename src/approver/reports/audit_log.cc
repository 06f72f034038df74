// SPDX-License-Identifier: Apache-2.0
#include "reports/audit_log.h"

#include <exception>

#include "base/log.h"
#include "base/utf8.h"
#include "json/rfc3339.h"
#include "json/value.h"

namespace reports {

using judgement::Csr;
using judgement::Verdict;

std::string_view NameOf(Effect effect) {
  switch (effect) {
    case Effect::kApproved:
      return "approved";
    case Effect::kLeftPending:
      return "left-pending";
    case Effect::kWouldApprove:
      return "would-approve";
    case Effect::kWouldLeavePending:
      break;
  }
  return "would-leave-pending";
}

std::string AuditLine(const Csr& csr, const Verdict& verdict, Effect effect,
                      std::chrono::sys_seconds now) {
  json::Ordered line = {{"time", json::FormatRfc3339(now)},
                        {"request", base::Visible(csr.name)},
                        {"uid", base::Visible(csr.uid)},
                        {"user", base::Visible(csr.username)}};
  if (!csr.signer.empty()) {  // a terminal request keeps only its identity
    line["signer"] = base::Visible(csr.signer);
  }
  line["effect"] = NameOf(effect);
  line["decision"] = DecisionText(verdict.decision);
  line["reason"] = NameOf(verdict.reason);
  line["message"] = base::Visible(verdict.message);
  return json::Compact(line);
}

void AuditLog::Record(const Csr& csr, const Verdict& verdict, Effect effect,
                      std::chrono::sys_seconds now) {
  const std::pair result{effect, verdict.reason};
  const std::lock_guard lock(mutex_);
  const auto known = last_.find(csr.uid);
  if (known != last_.end() && known->second == result) {
    return;
  }
  if (known == last_.end() && last_.size() >= kMostRequests) {
    last_.clear();
  }
  last_[csr.uid] = result;
  try {
    sink_(AuditLine(csr, verdict, effect, now));
    metrics_.CountRequest("audit", true);
  } catch (const std::exception& error) {
    metrics_.CountRequest("audit", false);
    base::LogError("cannot write the audit log: {}", base::Visible(error.what()));
  }
}

}  // namespace reports
