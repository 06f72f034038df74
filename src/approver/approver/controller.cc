#include "approver/controller.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "approver/cluster_facts.h"
#include "approver/inventory.h"
#include "approver/names.h"
#include "approver/node_rules.h"
#include "approver/objects.h"
#include "approver/operator_keeper.h"
#include "approver/settle.h"
#include "approver/used_entries.h"
#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "kube/wait.h"

namespace approver {
namespace {

using base::Error;

constexpr std::size_t kSlowWorkers = 16;
constexpr std::chrono::milliseconds kUntilSynced{20};

// AtEnd acts when its scope is left, in whatever way.
template <typename Action>
class AtEnd {
 public:
  explicit AtEnd(Action action) : action_(std::move(action)) {}
  ~AtEnd() { action_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Action action_;
};

}  // namespace

Controller::Controller(Settings settings, Clusters clusters, host::Host& host)
    : settings_(std::move(settings)),
      clusters_(std::move(clusters)),
      host_(host),
      events_(*clusters_.workload,
              {.name_space = settings_.leader.name_space, .reporter = settings_.leader.identity},
              metrics_),
      live_(*clusters_.management, *clusters_.workload),
      dials_([this] { return host_.clock.Steady(); }),
      bindings_(*clusters_.workload, settings_.leader.name_space),
      quick_({.requester_of = [this](const auto& name) { return store_.RequesterOf(name); }}),
      slow_({.requester_of = [this](const auto& name) { return store_.RequesterOf(name); },
             .at_once = 1}) {
  settings_.policy.order = Policy::Order::kCheapest;
  if (settings_.inventories.nodes) {
    store_.SetNodesVouch();
  }
  live_.SetConfigMap(settings_.inventories.config_map_namespace,
                     settings_.inventories.config_map_name);
  watches_ = Watches();
  for (const Watched& watched : watches_) {
    synced_.push_back(std::make_unique<std::atomic<bool>>(!watched.needed));
  }
  int rank = 0;
  for (const GroupVersion& group : settings_.inventories.machines) {
    sources_.push_back(std::make_unique<MachineSource>(
        *clusters_.management, store_,
        MachineSource::Options{.group = group,
                               .name_space = settings_.inventories.machine_namespace,
                               .cluster = settings_.inventories.machine_cluster,
                               .rank = rank++,
                               .watch_idle = settings_.watch_idle},
        [this](const Store::Names& names) { Requeue(names); }));
  }
}

std::chrono::sys_seconds Controller::Now() const {
  return std::chrono::floor<std::chrono::seconds>(host_.clock.Now());
}

void Controller::Requeue(const Store::Names& names) {
  Store::Names all = names;
  if (!store_.LimitsAt(Now().time_since_epoch().count()).Exceeded()) {
    const std::lock_guard lock(mutex_);
    all.merge(held_);
    held_.clear();
  }
  for (const std::string& name : all) {
    quick_.Add(name);
  }
}

bool Controller::Synced() const {
  return std::ranges::all_of(synced_, [](const auto& flag) { return flag->load(); }) &&
         std::ranges::all_of(sources_, [](const auto& source) { return source->Settled(); });
}

std::string Controller::MetricsText() {
  const Limits limits = store_.LimitsAt(Now().time_since_epoch().count());
  metrics_.SetPending(limits.pending, limits.most);
  metrics_.SetQueued(quick_.size() + slow_.size());
  return metrics_.Text();
}

void Controller::Run(const std::stop_token& stop) {
  Crew crew(stop);
  StartWatches(crew);
  if (!settings_.leader.elect) {
    Lead(stop);
    return;
  }
  const LeaderSettings& lease = settings_.leader;
  kube::LeaderElector elector(*clusters_.workload, {.name_space = lease.name_space,
                                                    .name = lease.name,
                                                    .identity = lease.identity,
                                                    .lease_duration = lease.lease_duration,
                                                    .renew_deadline = lease.renew_deadline,
                                                    .retry_period = lease.retry_period});
  metrics_.SetLeader(lease.name, false);
  if (!elector.Acquire(stop)) {
    return;
  }
  base::LogInfo(0, "{} leads", lease.identity);
  metrics_.SetLeader(lease.name, true);
  events_.Say(LeaderEventCall(
      lease.name, {.name_space = lease.name_space, .reporter = lease.identity}, host_.clock.Now()));
  if (!LeadWhileHeld(elector, stop)) {
    throw Error(fmt::format("the lease {}/{} is lost", lease.name_space, lease.name));
  }
}

bool Controller::LeadWhileHeld(kube::LeaderElector& elector, const std::stop_token& stop) {
  std::stop_source ends;  // also when leading fails: nobody shall hold a lease and do nothing
  const std::stop_callback passes_on(stop, [&] { ends.request_stop(); });
  std::exception_ptr failure;
  const auto lead = [&](const std::stop_token& lost) {
    try {
      Lead(lost);
    } catch (...) {
      failure = std::current_exception();
      ends.request_stop();
    }
  };
  bool held = true;
  try {
    const std::jthread leading(lead);
    held = elector.Keep(ends.get_token());
  } catch (...) {
    failure = std::current_exception();
  }
  if (held) {
    elector.Release();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return held;
}

void Controller::Lead(const std::stop_token& stop) {
  while (!Synced() && kube::Pause(kUntilSynced, stop)) {
  }
  Crew crew(stop);
  for (std::size_t i = 0; i < std::max<std::size_t>(1, settings_.workers); ++i) {
    crew.Add("judging", [this](const std::stop_token& ends) { Work(quick_, false, ends); });
  }
  for (std::size_t i = 0; i < kSlowWorkers; ++i) {
    crew.Add("judging slowly", [this](const std::stop_token& ends) { Work(slow_, true, ends); });
  }
  if (settings_.keep_status) {
    crew.Add("ClusterOperator", [this](const std::stop_token& ends) {
      OperatorKeeper(*clusters_.workload, host_.clock, metrics_,
                     {.release_version = settings_.release_version})
          .Run(ends);
    });
  }
  crew.Wait();
}

void Controller::Work(WorkQueue& queue, bool may_look_up, const std::stop_token& stop) {
  while (const auto name = queue.Take(stop)) {
    const AtEnd done([&] { queue.Done(*name); });  // else its requester would wait for ever
    try {
      JudgeOne(*name, may_look_up, stop);
    } catch (const std::exception& error) {  // whatever one request does to us, others go on
      if (!stop.stop_requested()) {
        base::LogWarning("request {}: {}", *name, base::Visible(error.what()));
        quick_.AddLater(*name);
      }
    }
  }
}

bool Controller::HoldsBack(const Csr& csr) {
  const Limits limits = store_.LimitsAt(Now().time_since_epoch().count());
  metrics_.SetPending(limits.pending, limits.most);
  if (!limits.Exceeded()) {
    return false;
  }
  const Verdict held = limits.Held();
  metrics_.CountDecision(DecisionText(held.decision), held.reason);
  events_.Tell(csr, held, Now());
  const std::lock_guard lock(mutex_);
  if (held_.empty()) {
    base::LogWarning("{}", held.message);
  }
  held_.insert(csr.name);
  return true;
}

void Controller::JudgeOne(const std::string& name, bool may_look_up, const std::stop_token& stop) {
  auto gathered = store_.Gather(name);
  if (!gathered) {
    quick_.Drop(name);
    return;
  }
  if (const auto& hopeless = gathered->pending->hopeless) {
    LeavePending(gathered->pending->csr, *hopeless);
    return;
  }
  if (HoldsBack(gathered->pending->csr)) {
    quick_.AddLater(name);  // requests also stop counting by growing old
    return;
  }
  if (gathered->pending->thin && !(gathered = ReadAgain(name, stop))) {
    RemoveCsr(name);
    return;
  }
  if (const Pending& pending = *gathered->pending; pending.request) {
    gathered->facts.in_flight = in_flight_.Others({pending.csr, pending.request, pending.node},
                                                  Now().time_since_epoch().count());
  }
  const auto begin = host_.clock.Steady();
  Verdict verdict = may_look_up ? Decide(*gathered, stop)
                                : Judge(gathered->facts, settings_.policy, Detail::kDecision);
  metrics_.ObserveJudgement(host_.clock.Steady() - begin);
  if (verdict.want != Want::kNothing) {
    slow_.Add(name);
    return;
  }
  if (verdict.decision == Decision::kApprove) {
    if (Stands(*gathered, verdict, stop)) {
      ApproveAlone(*gathered, verdict, stop);
    }
  } else if (!stop.stop_requested()) {
    LeavePending(gathered->pending->csr, verdict);
    // What the watches know changes by events; what was looked up must be looked up again, and what
    // is in flight is so for an hour.
    if (verdict.decision == Decision::kRetry &&
        (may_look_up || !gathered->facts.in_flight.empty())) {
      quick_.AddLater(name);
    }
  }
}

std::optional<Gathered> Controller::ReadAgain(const std::string& name,
                                              const std::stop_token& stop) {
  try {
    const json::Value csr =
        clusters_.workload->Do({.resource = kube::resources::kCsr, .name = name}, stop);
    auto pending = ReadPending(csr, settings_.policy.bootstrap_tokens);
    if (pending && !pending->hopeless) {
      return store_.GatherFor(std::make_shared<const Pending>(*std::move(pending)));
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNotFound) {
      throw;
    }
  }
  return {};
}

Verdict Controller::Decide(Gathered& gathered, const std::stop_token& stop) {
  kube::Transport& workload = *clusters_.workload;
  const auto dial = [&](const std::string& node) {
    if (!gathered.node) {
      return Dialled{.certificate = {}, .problem = "there is no node " + node};
    }
    return dials_.Dial(node, [&] {
      return KubeletDialer{.bundle = store_.Bundle(),
                           .now = Now(),
                           .timeout = settings_.dial_timeout,
                           .stop = stop,
                           .rules = ReadDialRules(workload, clusters_.servers, stop)}
          .Dial(*gathered.node);
    });
  };
  return Settle(
      gathered.facts, settings_.policy, Detail::kDecision,
      {.dial = dial,
       .network = [&] { return ReadNetwork(workload, stop); },
       .host_subnet = [&](const std::string& node) { return ReadHostSubnet(workload, node, stop); },
       .egress_ips = [&](const std::string& node) { return ReadEgressIps(workload, node, stop); },
       .reserved = [&] { return ReadReserved(workload, stop); },
       .binding = [&](const std::string& node,
                      const auto& ips) { return bindings_.Read(node, ips, stop); }});
}

bool Controller::Stands(Gathered& gathered, const Verdict& verdict, const std::stop_token& stop) {
  const Csr& csr = gathered.pending->csr;
  switch (live_.Check(gathered, verdict, stop)) {
    case Live::kSame:
      return true;
    case Live::kNodeExists:
      gathered.facts.node = NodeLookup::kPresent;
      LeavePending(csr, Judge(gathered.facts, settings_.policy, Detail::kDecision));
      break;
    case Live::kChanged:
      break;
  }
  quick_.AddLater(csr.name);  // judged again, by when the watch has told us, too
  return false;
}

void Controller::ApproveAlone(const Gathered& gathered, const Verdict& verdict,
                              const std::stop_token& stop) {
  const Pending& pending = *gathered.pending;
  const std::string& name = pending.csr.name;
  if (!in_flight_.Claim({pending.csr, pending.request, pending.node}, gathered.facts.in_flight,
                        Now().time_since_epoch().count())) {
    quick_.Add(name);  // judged again, with what was approved meanwhile
    return;
  }
  const auto give_up = [&] { Requeue(store_.PendingOf(in_flight_.Remove(name))); };
  try {
    if (!Approve(gathered, verdict, stop)) {
      give_up();
    }
  } catch (const std::exception&) {
    give_up();
    throw;
  }
}

bool Controller::Approve(const Gathered& gathered, const Verdict& verdict,
                         const std::stop_token& stop) {
  const Csr& csr = gathered.pending->csr;
  if (stop.stop_requested()) {
    return false;  // who leads now will do it
  }
  if (verdict.machine != nullptr && verdict.machine->is_node && !BindAddresses(gathered, stop)) {
    quick_.AddLater(csr.name);
    return false;
  }
  metrics_.CountDecision(DecisionText(verdict.decision), verdict.reason);
  if (const Machine* entry = verdict.machine;
      verdict.reason == "client-ok" && entry != nullptr && entry->one_time) {
    const std::string used_by =
        RecordUse(*clusters_.workload, settings_.leader.name_space, *entry, csr.uid, stop);
    store_.MarkUsed({kEntryRank, entry->source, entry->name}, used_by);
    if (used_by != csr.uid) {
      quick_.Add(csr.name);  // judged again, with what we know now
      return false;
    }
  }
  try {
    clusters_.workload->Do(ApprovalCall(csr, Now()), stop);
  } catch (const Error& error) {
    metrics_.CountRequest("approval", false);
    if (error.kind() == Error::Kind::kNotFound) {
      store_.RemoveCsr(csr.name);
      return false;
    }
    throw;
  }
  metrics_.CountRequest("approval", true);
  metrics_.ObserveApproval(host_.clock.Now() -
                           std::chrono::sys_seconds(std::chrono::seconds(csr.created)));
  base::LogInfo(0, "approved {} for {}: {}", csr.name, gathered.pending->node, verdict.reason);
  events_.Forget(csr.uid);
  quick_.Forget(csr.name);
  store_.RemoveCsr(csr.name);
  Requeue({});
  return true;
}

bool Controller::BindAddresses(const Gathered& gathered, const std::stop_token& stop) {
  const pki::Request& request = *gathered.pending->request;
  const NodeBinding& judged = *gathered.facts.binding;
  return UnboundOf(request, judged).empty() ||
         bindings_.Bind(NodeOf(gathered.pending->csr, request), request.names.ips, judged, stop);
}

void Controller::LeavePending(const Csr& csr, const Verdict& verdict) {
  metrics_.CountDecision(DecisionText(verdict.decision), verdict.reason);
  base::LogInfo(2, "left {} pending: {}: {}", csr.name, verdict.reason, verdict.message);
  events_.Tell(csr, verdict, Now());
}

}  // namespace approver
