// The controller: watches, judges what changed, approves.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "approver/crew.h"
#include "approver/events.h"
#include "approver/in_flight.h"
#include "approver/kubelet_dials.h"
#include "approver/live.h"
#include "approver/machine_source.h"
#include "approver/metrics.h"
#include "approver/node_bindings.h"
#include "approver/settings.h"
#include "approver/store.h"
#include "approver/work_queue.h"
#include "host/host.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/leader_election.h"

namespace approver {

// Clusters are the two API servers; often one.
struct Clusters {
  std::shared_ptr<kube::Transport> management;  // Machines
  std::shared_ptr<kube::Transport> workload;    // everything else
  std::vector<std::string> servers = {};        // URLs at which they are reached: no kubelet's
};

class Controller {
 public:
  Controller(Settings settings, Clusters clusters, host::Host& host);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Run watches at once, approves while it holds the lease, and returns when asked to stop. Throws
  // base::Error when the lease is lost, and std::system_error when there are no threads left:
  // everything in flight has ended by then, and so have all threads.
  void Run(const std::stop_token& stop);

  // Synced: requests and nodes are listed, and machines are, or it is known why not.
  bool Synced() const;
  // MetricsText is the metrics of now.
  std::string MetricsText();

 private:
  struct Watched {
    kube::Call list;
    std::function<void(const json::Value&)> put;
    std::function<void(const std::string& name_space, const std::string& name)> gone;
    // Whether approvals wait for the first list.
    bool needed = false;
  };

  void StartWatches(Crew& crew);
  void Watch(const Watched& watched, std::atomic<bool>& synced, const std::stop_token& stop);
  std::vector<Watched> Watches();
  void WatchFile(const std::stop_token& stop);
  void TakeEntries(std::string_view text, const std::string& source);
  void ForgetEntries(const std::string& source);

  // LeadWhileHeld holds the lease and leads; true when it ended otherwise than by losing it.
  bool LeadWhileHeld(kube::LeaderElector& elector, const std::stop_token& stop);
  void Lead(const std::stop_token& stop);
  void Work(WorkQueue& queue, bool may_look_up, const std::stop_token& stop);

  // Judge judges one request and acts on the verdict.
  void JudgeOne(const std::string& name, bool may_look_up, const std::stop_token& stop);
  std::optional<Gathered> ReadAgain(const std::string& name, const std::stop_token& stop);
  bool HoldsBack(const Csr& csr);
  Verdict Decide(Gathered& gathered, const std::stop_token& stop);
  // Stands is whether the verdict that approves still holds by what the API servers have now;
  // else the request is left pending.
  bool Stands(Gathered& gathered, const Verdict& verdict, const std::stop_token& stop);
  // ApproveAlone approves unless another request of the node is approved at the same time.
  void ApproveAlone(const Gathered& gathered, const Verdict& verdict, const std::stop_token& stop);
  // Approve is whether it did.
  bool Approve(const Gathered& gathered, const Verdict& verdict, const std::stop_token& stop);
  // BindAddresses notes, before the approval, which addresses the Node has that vouched for itself.
  // False: what was judged is no longer so.
  bool BindAddresses(const Gathered& gathered, const std::stop_token& stop);
  void LeavePending(const Csr& csr, const Verdict& verdict);
  void PutCsr(const json::Value& csr);
  void RemoveCsr(const std::string& name);
  void Requeue(const Store::Names& names);
  std::chrono::sys_seconds Now() const;

  Settings settings_;
  Clusters clusters_;
  host::Host& host_;
  Store store_;
  InFlight in_flight_;
  Metrics metrics_;
  EventWriter events_;
  LiveReader live_;
  KubeletDials dials_;
  NodeBindings bindings_;
  WorkQueue quick_;  // judged from what the watches know
  WorkQueue slow_;   // waits for kubelets and single objects: one worker a requester
  std::vector<std::unique_ptr<MachineSource>> sources_;
  std::vector<Watched> watches_;                            // not changed after construction
  std::vector<std::unique_ptr<std::atomic<bool>>> synced_;  // one a watch
  std::mutex mutex_;
  std::set<std::string> held_;                            // guarded by mutex_: too many are pending
  std::map<std::string, std::set<std::string>> entries_;  // guarded by mutex_: source → hostnames
};

}  // namespace approver
