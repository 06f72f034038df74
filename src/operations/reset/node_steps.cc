// SPDX-License-Identifier: Apache-2.0
// The node itself: the running parts, then their files.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "config/paths.h"
#include "cri/runtime.h"
#include "engine/trial.h"
#include "etcd_membership/local_etcd.h"
#include "kubelet/service.h"
#include "reset/etcd.h"
#include "reset/node.h"
#include "reset/places.h"
#include "reset/steps.h"
#include "static_pods/accounts.h"
#include "static_pods/rootless.h"
#include "steps/trials.h"
#include "workflow/state_file.h"

namespace reset {
namespace {

constexpr std::chrono::seconds kRuntimeTimeout{60};

std::string Listed(const std::vector<fs::path>& paths) {
  std::vector<std::string> texts;
  std::ranges::transform(paths, std::back_inserter(texts),
                         [](const fs::path& path) { return path.string(); });
  return fmt::format("[{}]", fmt::join(texts, " "));
}

// Stops the timers of trials. A waiting timer would restore files of the old cluster on this node.
void AddTrialSteps(const host::Files& files, Steps& steps) {
  for (const engine::RollbackTimer* timer : steps::RollbackTimers()) {
    if (engine::HasTrial(*timer, files)) {
      steps.push_back(
          {.planned = fmt::format("[dryrun] Would forget the last change by 'kubeadm {}', which "
                                  "may be on trial",
                                  timer->command),
           .begins =
               fmt::format("[reset] Forgetting the last change by 'kubeadm {}'", timer->command),
           .run = [timer](Teardown& teardown, const Notes&) {
             engine::ForgetTrial(*timer, teardown.host);
           }});
    }
  }
}

void StopKubelet(Teardown& teardown, const Notes& notes) {
  using Outcome = kubelet::ServiceResult::Outcome;
  const kubelet::ServiceResult result = kubelet::StopKubelet(teardown.host);
  if (result.outcome == Outcome::kNoInitSystem) {
    notes.warn("no init system that kubeadm knows: make sure that the kubelet does not run");
  } else if (result.outcome == Outcome::kFailed) {
    notes.warn(fmt::format("could not stop the kubelet: {}; make sure that it does not run",
                           result.problem));
  }
}

void Unmount(Teardown& teardown, const Notes& notes) {
  try {
    for (const fs::path& target :
         UnmountBelow(teardown.host.mounts, config::kKubeletDir, teardown.config.unmount_flags)) {
      notes.warn(fmt::format("{} is not a mount point, skipped", target.string()));
    }
  } catch (base::Error& error) {
    throw base::Error(error.message() +
                      ": end the programs that use it, or set unmountFlags in a ResetConfiguration "
                      "(see umount(2)), and run the reset again");
  }
}

void RemovePods(Teardown& teardown, const Notes& notes) {
  const auto runtime = cri::Connect(teardown.config.cri_socket, kRuntimeTimeout);
  const RemovedSandboxes removed =
      RemoveSandboxes(*runtime, {.clock = teardown.host.clock, .stop = notes.stop});
  if (removed.count > 0) {
    notes.say(fmt::format("[reset] Removed {} Pods", removed.count));
  }
  std::ranges::for_each(removed.problems, notes.warn);
}

void EmptyDirectories(const std::vector<fs::path>& directories, Teardown& teardown,
                      const Notes& notes) {
  for (const fs::path& directory : directories) {
    teardown.EmptyDirectory(directory, notes);
  }
  // An etcd that was still running may have written to the directory after it was emptied.
  if (teardown.etcd_data && !IsEmpty(teardown.host.files, *teardown.etcd_data)) {
    teardown.EmptyDirectory(*teardown.etcd_data, notes);
  }
}

void RemoveFiles(std::vector<fs::path> paths, Teardown& teardown, const Notes& notes) {
  host::Files& files = teardown.host.files;
  std::ranges::copy(JournalFiles(files), std::back_inserter(paths));
  teardown.WillRemove(paths);
  std::ranges::copy(paths, std::back_inserter(teardown.removed));
  std::ranges::for_each(Remove(files, paths), notes.warn);
  if (IsEmpty(files, workflow::kDirectory)) {
    // A directory that is a mount point cannot be removed, but does no harm when it is empty.
    std::ranges::for_each(Remove(files, {workflow::kDirectory}), notes.warn);
  }
}

void RemoveAccounts(Teardown& teardown, const Notes& notes) {
  try {
    static_pods::RemoveRootlessAccounts(teardown.host);
  } catch (const base::Error& error) {
    notes.warn(error.message());
  }
}

ResetStep DirectoriesStep(const Places& places, const config::ResetConfiguration& config) {
  const std::string listed = Listed(places.contents);
  ResetStep step{.planned = "[dryrun] Would delete contents of directories: " + listed,
                 .begins = "[reset] Deleting contents of directories: " + listed,
                 .run = [directories = places.contents](Teardown& teardown, const Notes& notes) {
                   EmptyDirectories(directories, teardown, notes);
                 }};
  for (const std::string& kept : places.kept) {
    step.warnings.push_back("not emptying " + kept);
  }
  if (config.certificates_dir != config::kDefaultCertificatesDir &&
      !WhyKept(config.certificates_dir)) {
    step.warnings.push_back(
        fmt::format("the directory of the certificates is {}, not the usual {}: only files of "
                    "kubeadm in it are deleted",
                    config.certificates_dir, config::kDefaultCertificatesDir));
  }
  return step;
}

Steps CleaningSteps(const Places& places, const config::ResetConfiguration& config) {
  return {
      {.planned = "[dryrun] Would stop the kubelet",
       .begins = "[reset] Stopping the kubelet",
       .run = StopKubelet},
      {.planned =
           fmt::format("[dryrun] Would unmount what is mounted below {}", config::kKubeletDir),
       .begins = fmt::format("[reset] Unmounting what is mounted below {}", config::kKubeletDir),
       .run = Unmount},
      {.planned = fmt::format("[dryrun] Would stop and remove all Pods of the container runtime {}",
                              config.cri_socket),
       .run = RemovePods},
      DirectoriesStep(places, config),
      {.planned = "[dryrun] Would delete files: " + Listed(places.files),
       .begins = "[reset] Deleting files: " + Listed(places.files),
       .run = [files = places.files](Teardown& of, const Notes& heard) {
         RemoveFiles(files, of, heard);
       }}};
}

void AddCopiesStep(const host::Files& files, Steps& steps) {
  const std::vector<fs::path> copies = CredentialCopies(files);
  if (copies.empty()) {
    return;
  }
  steps.push_back(
      {.planned = "[dryrun] Would delete copies with keys and credentials: " + Listed(copies),
       .begins = "[reset] Deleting copies with keys and credentials: " + Listed(copies),
       .run = [copies](Teardown& teardown, const Notes& notes) {
         teardown.WillRemove(copies);
         std::ranges::copy(copies, std::back_inserter(teardown.removed));
         for (const fs::path& copy : copies) {
           try {
             teardown.host.files.RemoveTree(copy);
           } catch (const base::Error& error) {
             notes.warn(error.message());
           }
         }
       }});
}

}  // namespace

Steps NodeSteps(Teardown& teardown, const Notes& notes) {
  // Fetched now, while the cluster may still answer.
  const config::ClusterConfiguration* cluster = teardown.Cluster(notes);
  const Places places = PlacesOf(teardown.config);
  Steps steps;
  const bool left = teardown.etcd_data.has_value();  // the member has left in an earlier phase
  if (!left && etcd_membership::FindEtcd(teardown.host.files).local) {
    steps.push_back({.run = [](Teardown& of, const Notes& heard) {
      RequireDispensableMember(of, heard.stop);
    }});
  }
  AddTrialSteps(teardown.host.files, steps);
  for (ResetStep& step : CleaningSteps(places, teardown.config)) {
    steps.push_back(std::move(step));
  }
  AddCopiesStep(teardown.host.files, steps);
  if (cluster != nullptr && static_pods::IsRootless(*cluster)) {
    steps.push_back({.planned = "[dryrun] Would remove the users and groups of the control plane",
                     .run = RemoveAccounts});
  }
  return steps;
}

}  // namespace reset
