// Phase `remove-etcd-member`: out of the cluster while it can do without, then the data.
#include <fmt/core.h>

#include "base/error.h"
#include "config/defaults.h"
#include "etcd_membership/leave.h"
#include "kubeadm/reset/phases.h"
#include "reset/places.h"

namespace kubeadm {
namespace {

using etcd_membership::LocalEtcd;
using Kind = base::Error::Kind;
using std::chrono::milliseconds;

// A member that has to be asked for longer will not be helped by waiting.
constexpr milliseconds kMostPatience{30'000};

etcd::Waiting WaitingFor(ResetData& data, const std::stop_token& stop) {
  const auto configured = data.config.timeouts && data.config.timeouts->etcd_api_call
                              ? *data.config.timeouts->etcd_api_call
                              : base::Duration(kMostPatience);
  return {.now = [&data] { return data.host.clock.Steady(); },
          .pause =
              [&data, stop](milliseconds duration) {
                data.host.clock.Sleep(duration, stop);
                return !stop.stop_requested();
              },
          .limit = std::min(kMostPatience, std::chrono::duration_cast<milliseconds>(configured))};
}

std::string Describe(etcd::Removal removal) {
  switch (removal) {
    case etcd::Removal::kRemoved:
      return "[reset] Removed this node's member from the etcd cluster";
    case etcd::Removal::kAbsent:
      return "[reset] This node's member is not in the etcd cluster any more";
    default:
      return "[reset] This node's member is the only one of the etcd cluster: not removed from it";
  }
}

void Leave(const LocalEtcd& local, ResetData& data, workflow::Context& context) {
  const bool known = data.Cluster(context) != nullptr;
  const etcd::Removal removal = etcd_membership::Leave(
      {.files = data.host.files,
       .local = local,
       .certificates_dir = fs::path(data.config.certificates_dir) / "etcd",
       .cluster = known ? data.Client() : nullptr,
       .waiting = WaitingFor(data, context.Stop()),
       .stop = context.Stop()},
      {.warn = [&](const std::string& text) { context.Warn(text); },
       .waiting = [&](const std::string& why) { context.Print("[reset] Waiting: " + why); }});
  context.Print(Describe(removal));
}

// LeaveIfPossible ends the run only where going on would cost the cluster its quorum.
void LeaveIfPossible(const LocalEtcd& local, ResetData& data, workflow::Context& context) {
  try {
    Leave(local, data, context);
  } catch (const base::Error& error) {
    if (error.kind() == Kind::kCancelled) {
      throw;
    }
    if (error.kind() == Kind::kConflict && !data.config.force) {
      throw base::Error(Kind::kConflict,
                        error.message() + "\nto reset this node all the same, give --force");
    }
    context.Warn(
        fmt::format("this node's etcd member was not removed from the cluster, going on: "
                    "{}; if other members are left, remove it there",
                    error.message()));
  }
}

void EmptyData(const etcd_membership::DataFolder& folder, ResetData& data,
               workflow::Context& context) {
  if (!folder.guessed || !reset::IsEmpty(data.host.files, *folder.path)) {
    context.Print(fmt::format("[reset] Deleting the contents of etcd's data folder {}",
                              folder.path->string()));
  }
  EmptyFolder(*folder.path, data, context);
  data.etcd_data = folder.path;
}

void RemoveData(const etcd_membership::DataFolder& folder, ResetData& data,
                workflow::Context& context) {
  if (const std::string why = reset::WhyKept(*folder.path); !why.empty()) {
    context.Warn(fmt::format("not emptying {}: {}", folder.path->string(), why));
    return;
  }
  data.world.Do(
      {.act = [&] { EmptyData(folder, data, context); },
       .show = Would(context,
                     {fmt::format("[dryrun] Would delete the contents of etcd's data folder {}",
                                  folder.path->string())})});
}

}  // namespace

void RemoveEtcdMember(ResetData& data, workflow::Context& context) {
  const etcd_membership::EtcdState etcd = etcd_membership::FindEtcd(data.host.files);
  const etcd_membership::DataFolder folder =
      etcd_membership::DataFolderOf(etcd, data.Cluster(context));
  if (!etcd.broken.empty()) {
    context.Warn("the manifest of etcd cannot be read: " + etcd.broken);
  }
  if (etcd.local && !etcd.local->peer_url.empty()) {
    data.world.Do(
        {.act = [&] { LeaveIfPossible(*etcd.local, data, context); },
         .show = Would(context, {fmt::format("[dryrun] Would remove the etcd member {} from its "
                                             "cluster",
                                             etcd.local->peer_url)})});
  }
  if (folder.path) {
    RemoveData(folder, data, context);
  } else {
    context.Print(
        "[reset] No data of an etcd of this cluster is known on this machine: taking it "
        "as external, please reset it yourself so that a new cluster does not find the "
        "old data");
  }
}

}  // namespace kubeadm
