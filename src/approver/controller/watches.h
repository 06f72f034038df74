// SPDX-License-Identifier: Apache-2.0
// The controller's first job: watches the requests, the Nodes, the CA of kubelets' certificates and
// the blanket rule.
#pragma once

#include <string_view>
#include <vector>

#include "controller/agenda.h"
#include "controller/object_watch.h"
#include "controller/readiness.h"
#include "controller/settings.h"
#include "controller/shadow.h"
#include "controller/thread_group.h"
#include "host/clock.h"
#include "kube/client.h"
#include "reports/metrics.h"

namespace controller {

// Watches objects in the cluster of the nodes, and reports them to the agenda.
class Watches {
 public:
  struct Sinks {
    Agenda& agenda;
    // If set, receives the requests, and passes them on to the agenda.
    Shadow* shadow = nullptr;
    // Receives whether the blanket rule exists. If null, the rule is not watched.
    reports::Metrics* metrics = nullptr;
  };
  // Approvals wait until requests and Nodes are listed. They do not wait for the CA. All references
  // must outlive the object.
  Watches(const Settings& settings, kube::Transport& workload, host::Clock& clock, Sinks sinks,
          Readiness& readiness);

  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

  // Adds a thread for each kind of object.
  void Start(ThreadGroup& group) const;

 private:
  void AddRequests(std::string_view signer);
  void AddNodes();
  // Watches for the blanket rule (node_identities/identities.h), with which bound tokens protect
  // nothing.
  void AddBlanketRule(reports::Metrics& metrics);
  void AddBundle(const inventories::ConfigMapRef& ca);
  void Add(kube::Call list, ObjectWatch::Events events);

  kube::Transport& workload_;
  host::Clock& clock_;
  Agenda& agenda_;
  Shadow* shadow_;
  Readiness& readiness_;
  std::chrono::milliseconds idle_;
  std::vector<ObjectWatch> watches_;
};

}  // namespace controller
