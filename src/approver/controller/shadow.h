// SPDX-License-Identifier: Apache-2.0
// The shadow mode: judges requests that another approver decides, and writes nothing.
#pragma once

#include <chrono>
#include <string>

#include "controller/agenda.h"
#include "json/value.h"
#include "judgement/judge.h"
#include "reports/metrics.h"
#include "reports/shadow_book.h"
#include "requests/store.h"

namespace controller {

// Returns the request without its status, and so without its decision.
json::Value WithoutDecision(json::Value csr);

// Logs each new verdict, and compares the last verdict with the outcome of the request.
// Thread-safe; its references must outlive it.
class Shadow {
 public:
  // The maximum age of a decision if the request was decided before this process judged it. After
  // an older decision the request is not judged, because the evidence may have changed. For
  // example, the Node of an approved client exists by then.
  static constexpr std::chrono::seconds kLatest{10};

  // If `tokens` is set, client requests of bootstrap tokens and identities are compared, too.
  Shadow(Agenda& agenda, reports::Metrics& metrics, bool tokens)
      : agenda_(agenda), metrics_(metrics), tokens_(tokens) {}

  // Both functions pass a change of a request to the agenda. If the comparison needs another
  // verdict, PutCsr queues a decided request as if it were pending.
  void PutCsr(const json::Value& csr);
  void RemoveCsr(const std::string& name);

  // Records a verdict. Queues the request again if the comparison waits for more evidence.
  void Judged(const judgement::Csr& csr, const judgement::Verdict& verdict);

  // Removes a Node from the facts that is newer than the request: the other approver's decision may
  // have created it.
  static void HideNewNode(requests::Gathered& gathered);

 private:
  void Report(const std::string& name, const reports::Comparison& comparison);

  Agenda& agenda_;
  reports::Metrics& metrics_;
  const bool tokens_;
  reports::ShadowBook book_;
};

}  // namespace controller
