// Phase `remove-etcd-member`: out of the cluster while it can do without, then the data.
#include "reset/etcd.h"

#include <fmt/core.h>

#include "base/error.h"
#include "config/defaults.h"
#include "etcd/membership.h"
#include "etcd_endpoints/etcd_endpoints.h"
#include "kubeadm/reset/phases.h"
#include "reset/places.h"

namespace kubeadm {
namespace {

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

// Endpoints of the whole cluster: as its Pods tell, or, without an API server, as this node's own
// member remembers.
std::vector<std::string> Endpoints(const reset::LocalEtcd& local, const etcd::Connection& pair,
                                   ResetData& data, workflow::Context& context) {
  if (data.Cluster(context) != nullptr) {
    try {
      if (auto endpoints = etcd_endpoints::EtcdEndpoints(*data.Client()); !endpoints.empty()) {
        return endpoints;
      }
    } catch (const base::Error& error) {
      context.Warn(error.message() + "; asking this node's etcd member instead");
    }
  }
  etcd::Connection own = pair;
  own.endpoints = {local.client_url};
  return reset::MemberEndpoints(etcd::Connect(own)->Members(etcd::Reach::kMember));
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

void Leave(const reset::LocalEtcd& local, ResetData& data, workflow::Context& context) {
  const fs::path folder = local.certificates_dir.empty()
                              ? fs::path(data.config.certificates_dir) / "etcd"
                              : local.certificates_dir;
  etcd::Connection connection = reset::ReadClientPair(data.host.files, folder);
  connection.stop = context.Stop();
  connection.endpoints =
      reset::OwnLast(Endpoints(local, connection, data, context), local.client_url);
  const auto client = etcd::Connect(connection);
  context.Print(Describe(etcd::RemoveMember(
      *client, local.peer_url, WaitingFor(data, context.Stop()),
      [&](const std::string& why) { context.Print("[reset] Waiting: " + why); })));
}

// LeaveIfPossible ends the run only where going on would cost the cluster its quorum.
void LeaveIfPossible(const reset::LocalEtcd& local, ResetData& data, workflow::Context& context) {
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

void RemoveData(const reset::DataFolder& folder, ResetData& data, workflow::Context& context) {
  if (const std::string why = reset::WhyKept(*folder.path); !why.empty()) {
    context.Warn(fmt::format("not emptying {}: {}", folder.path->string(), why));
    return;
  }
  if (data.config.dry_run) {
    context.Print(fmt::format("[dryrun] Would delete the contents of etcd's data folder {}",
                              folder.path->string()));
    return;
  }
  if (!folder.guessed || !reset::IsEmpty(data.host.files, *folder.path)) {
    context.Print(fmt::format("[reset] Deleting the contents of etcd's data folder {}",
                              folder.path->string()));
  }
  EmptyFolder(*folder.path, data, context);
  data.etcd_data = folder.path;
}

}  // namespace

void RemoveEtcdMember(ResetData& data, workflow::Context& context) {
  const reset::EtcdState etcd = reset::FindEtcd(data.host.files);
  const reset::DataFolder folder = reset::DataFolderOf(etcd, data.Cluster(context));
  if (!etcd.broken.empty()) {
    context.Warn("the manifest of etcd cannot be read: " + etcd.broken);
  }
  if (etcd.local && !etcd.local->peer_url.empty()) {
    if (data.config.dry_run) {
      context.Print(fmt::format("[dryrun] Would remove the etcd member {} from its cluster",
                                etcd.local->peer_url));
    } else {
      LeaveIfPossible(*etcd.local, data, context);
    }
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
