// SPDX-License-Identifier: Apache-2.0
// The controller's third job: judges requests, and acts on the verdicts.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "controller/agenda.h"
#include "controller/approvals.h"
#include "controller/live.h"
#include "controller/settings.h"
#include "controller/thread_group.h"
#include "evidence/kubelet_dials.h"
#include "evidence/node_bindings.h"
#include "host/clock.h"

namespace controller {

// Judges the requests that the agenda queues, in its own threads. All references must outlive the
// object.
class Judging {
 public:
  struct Deps {
    const Clusters& clusters;
    const host::Clock& clock;
    Agenda& agenda;
    Reports reports;
    LiveReader::Confirm confirm;
  };
  Judging(const Settings& settings, Deps deps);

  Judging(const Judging&) = delete;
  Judging& operator=(const Judging&) = delete;

  // Adds the threads of the workers.
  void Start(ThreadGroup& group);
  // Returns the verdict on a pending request from the facts that the watches have reported, also on
  // a replica that does not lead. Changes nothing. Returns std::nullopt if the request is unknown,
  // decided, or needs further facts.
  std::optional<judgement::Verdict> Preview(const std::string& name) const;

 private:
  // The queue that a worker handles: Agenda::quick or Agenda::slow.
  enum class Pace { kQuick, kSlow };

  void Work(Pace pace, const std::stop_token& stop);
  // Judges one request and acts on the verdict.
  void JudgeOne(const std::string& name, Pace pace, const std::stop_token& stop);
  // With the inventory `dns`, looks up the node. Returns whether this worker judges the request
  // now: a quick worker leaves the lookup to a slow worker.
  bool LookUpHost(requests::Gathered& gathered, Pace pace, const std::stop_token& stop);
  void Act(requests::Gathered& gathered, Pace pace, const std::stop_token& stop);
  // Approves the request. In the shadow mode, records the verdict instead.
  void Approve(const requests::Gathered& gathered, const judgement::Verdict& verdict,
               const std::stop_token& stop);
  std::optional<requests::Gathered> ReadAgain(const std::string& name, const std::stop_token& stop);
  bool HoldsBack(const judgement::Csr& csr);
  judgement::Verdict Decide(requests::Gathered& gathered, Pace pace, const std::stop_token& stop);
  judgement::Verdict LookUpAndDecide(requests::Gathered& gathered, const std::stop_token& stop);
  judgement::Dialled Dial(const requests::Gathered& gathered, const std::string& node,
                          const std::stop_token& stop);
  // Returns whether an approving verdict is still valid in the present state of the API servers. If
  // it is not, queues the request for a later judgement.
  bool Stands(requests::Gathered& gathered, const judgement::Verdict& verdict,
              const std::stop_token& stop);
  // Reports why a request could not be judged or approved, and queues it again.
  void Failed(const std::string& name, const std::string& why);
  void LeavePending(const judgement::Csr& csr, const judgement::Verdict& verdict);
  // Reports a verdict that leaves a request pending.
  void Tell(const judgement::Csr& csr, const judgement::Verdict& verdict);

  const Settings& settings_;
  const Clusters& clusters_;
  const host::Clock& clock_;
  Agenda& agenda_;
  Reports reports_;
  judgement::Policy policy_;
  LiveReader live_;
  evidence::KubeletDials dials_;
  evidence::NodeBindings bindings_;
  Approvals approvals_;
};

}  // namespace controller
