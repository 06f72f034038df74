// Phase `cleanup-node`: what runs first, then what it used.
#include "reset/node.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "accounts/accounts.h"
#include "base/error.h"
#include "config/paths.h"
#include "cri/runtime.h"
#include "kubeadm/reset/phases.h"
#include "kubelet/service.h"
#include "reset/places.h"
#include "static_pods/rootless.h"

namespace kubeadm {
namespace {

constexpr std::chrono::seconds kRuntimeTimeout{60};

std::string Listed(const std::vector<fs::path>& paths) {
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    texts.push_back(path.string());
  }
  return fmt::format("[{}]", fmt::join(texts, " "));
}

void StopKubelet(ResetData& data, workflow::Context& context) {
  using Outcome = kubelet::ServiceResult::Outcome;
  context.Print("[reset] Stopping the kubelet");
  const kubelet::ServiceResult result = kubelet::StopKubelet(data.host);
  if (result.outcome == Outcome::kNoInitSystem) {
    context.Warn("no init system that kubeadm knows: make sure that the kubelet does not run");
  } else if (result.outcome == Outcome::kFailed) {
    context.Warn(fmt::format("could not stop the kubelet: {}; make sure that it does not run",
                             result.problem));
  }
}

void Unmount(ResetData& data, workflow::Context& context) {
  const fs::path folder(config::kKubeletDir);
  context.Print(fmt::format("[reset] Unmounting what is mounted below {}", folder.string()));
  try {
    for (const fs::path& target :
         reset::UnmountBelow(data.mounts, folder, data.config.unmount_flags)) {
      context.Warn(fmt::format("{} is no mount point, passed over", target.string()));
    }
  } catch (base::Error& error) {
    throw base::Error(error.message() +
                      ": end what uses it, or set unmountFlags in a ResetConfiguration (see "
                      "umount(2)), and run the reset again");
  }
}

void RemovePods(ResetData& data, workflow::Context& context) {
  const auto runtime = cri::Connect(data.config.cri_socket, kRuntimeTimeout);
  const reset::RemovedSandboxes removed =
      reset::RemoveSandboxes(*runtime, {.clock = data.host.clock, .stop = context.Stop()});
  if (removed.count > 0) {
    context.Print(fmt::format("[reset] Removed {} Pods", removed.count));
  }
  for (const std::string& problem : removed.problems) {
    context.Warn(problem);
  }
}

void WarnOfWhatStays(const reset::Places& places, const ResetData& data,
                     workflow::Context& context) {
  for (const std::string& kept : places.kept) {
    context.Warn("not emptying " + kept);
  }
  if (data.config.certificates_dir != config::kDefaultCertificatesDir &&
      reset::WhyKept(data.config.certificates_dir).empty()) {
    context.Warn(
        fmt::format("the directory of the certificates is {}, not the usual {}: only what "
                    "kubeadm puts there is deleted",
                    data.config.certificates_dir, config::kDefaultCertificatesDir));
  }
}

void RemoveFolders(const reset::Places& places, ResetData& data, workflow::Context& context) {
  context.Print(
      fmt::format("[reset] Deleting contents of directories: {}", Listed(places.contents)));
  for (const fs::path& folder : places.contents) {
    EmptyFolder(folder, data, context);
  }
  // An etcd that still ran may have written there since.
  if (data.etcd_data && !reset::IsEmpty(data.host.files, *data.etcd_data)) {
    EmptyFolder(*data.etcd_data, data, context);
  }
}

void RemoveFiles(const reset::Places& places, ResetData& data, workflow::Context& context) {
  context.Print(fmt::format("[reset] Deleting files: {}", Listed(places.files)));
  std::vector<fs::path> paths = places.files;
  std::ranges::copy(reset::JournalFiles(), std::back_inserter(paths));
  for (const std::string& problem : reset::Remove(data.host.files, paths)) {
    context.Warn(problem);
  }
  if (reset::IsEmpty(data.host.files, reset::kJournalFolder)) {
    for (const std::string& problem : reset::Remove(data.host.files, {reset::kJournalFolder})) {
      context.Warn(problem);  // a mount point, for instance: empty as it is, it harms nobody
    }
  }
}

void RemoveAccounts(ResetData& data, workflow::Context& context) {
  try {
    accounts::RemoveRootlessAccounts(data.host);
  } catch (const base::Error& error) {
    context.Warn(error.message());
  }
}

}  // namespace

void CleanNode(ResetData& data, workflow::Context& context) {
  // Asked while it may still answer.
  const config::ClusterConfiguration* cluster = data.Cluster(context);
  const reset::Places places = reset::PlacesOf(data.config);
  const auto step = [&](std::string would, const std::function<void()>& act) {
    data.world.Do({.act = act, .show = Would(context, {std::move(would)})});
  };
  step("[dryrun] Would stop the kubelet", [&] { StopKubelet(data, context); });
  step(fmt::format("[dryrun] Would unmount what is mounted below {}", config::kKubeletDir),
       [&] { Unmount(data, context); });
  step(fmt::format("[dryrun] Would stop and remove all Pods of the container runtime {}",
                   data.config.cri_socket),
       [&] { RemovePods(data, context); });
  WarnOfWhatStays(places, data, context);
  step(fmt::format("[dryrun] Would delete contents of directories: {}", Listed(places.contents)),
       [&] { RemoveFolders(places, data, context); });
  step(fmt::format("[dryrun] Would delete files: {}", Listed(places.files)),
       [&] { RemoveFiles(places, data, context); });
  if (cluster != nullptr && static_pods::IsRootless(*cluster)) {
    step("[dryrun] Would remove the users and groups of the control plane",
         [&] { RemoveAccounts(data, context); });
  }
}

}  // namespace kubeadm
