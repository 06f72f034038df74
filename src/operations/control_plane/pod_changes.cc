// SPDX-License-Identifier: Apache-2.0
#include "control_plane/pod_changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <ranges>

#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "components/strays.h"
#include "control_plane/running.h"
#include "engine/backup_directory.h"
#include "kube/wait.h"
#include "static_pods/replace.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace control_plane {
namespace {

using base::Error;
using components::Component;
using host::fs::path;
using What = PodChange::What;

std::string NameOf(Component component) { return std::string(components::Name(component)); }

path FileName(Component component) { return components::ManifestPath(component).filename(); }

void Save(const PodUpgrade& upgrade) { SaveRecord(upgrade.host.files, upgrade.record); }

json::Value CurrentPod(const host::Files& files, Component component) {
  const std::optional<json::Value> pod = static_pods::ReadManifest(files, component);
  if (!pod) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format("{} is missing: this node's control plane is not complete; 'kubeadm doctor' "
                    "says how to complete it",
                    components::ManifestPath(component).string()));
  }
  return *pod;
}

// Returns whether a readable manifest exists.
bool IsThere(Component component, const host::Files& files) {
  try {
    return static_pods::ReadManifest(files, component).has_value();
  } catch (const Error&) {
    return false;
  }
}

What Compare(const host::Files& files, const static_pods::Replacement& wanted,
             const UpgradeRecord& record) {
  const std::string name = NameOf(wanted.component);
  if (static_pods::Normalized(CurrentPod(files, wanted.component)) !=
      static_pods::Normalized(wanted.pod)) {
    return What::kReplace;
  }
  return record.under_way.contains(name) && !record.serving.contains(name) ? What::kAwait
                                                                           : What::kNothing;
}

// Returns whether the two components are replaced together. etcd and the API server are replaced
// together, because the API server does not serve without its etcd. The controller manager and the
// scheduler are independent, so they are replaced in parallel.
bool GoesWith(const PodChange& previous, const PodChange& change) {
  const bool pair =
      (previous.component == Component::kEtcd && change.component == Component::kApiServer) ||
      (previous.component == Component::kControllerManager &&
       change.component == Component::kScheduler);
  return pair && previous.what == What::kReplace && change.what == What::kReplace;
}

std::string Names(const std::vector<PodChange>& group) {
  std::vector<std::string> names;
  for (const PodChange& change : group) {
    names.push_back(base::Quoted(NameOf(change.component)));
  }
  return base::Join(names, " and ");
}

// Copies the old manifest before any change. Only the first copy is made, because the present
// manifest may already be from an interrupted run.
void KeepOld(const PodChange& change, const PodUpgrade& upgrade) {
  const std::string name = NameOf(change.component);
  if (!upgrade.record.under_way.contains(name)) {
    const path directory = upgrade.backup_directory();
    engine::CopyToBackup(upgrade.host.files, components::ManifestPath(change.component), directory);
    upgrade.record.under_way[name] = directory.string();
    upgrade.record.manifests.try_emplace(name, directory.string());
  }
  upgrade.record.serving.erase(name);
  Save(upgrade);
}

void Act(const std::vector<PodChange>& group, const static_pods::RestartContext& restart) {
  switch (group.front().what) {
    case What::kReplace:
      static_pods::ReplacePods(ReplacementsOf(group), restart);
      return;
    case What::kRestart:
      static_pods::Restart(std::array{group.front().component}, restart);
      return;
    case What::kAwait: {
      const static_pods::RunningPod none{.component = group.front().component};
      static_pods::WaitForSuccessors(std::span(&none, 1), static_pods::Successor::kContainer,
                                     restart);
      return;
    }
    case What::kNothing:
      return;
  }
}

// Returns a restart context that records each component as soon as it serves. A rollback reads
// these records if another component of the group fails.
static_pods::RestartContext Noting(const PodUpgrade& upgrade) {
  static_pods::RestartContext restart = upgrade.restart;
  restart.on_serving = [&upgrade](const std::string& component) {
    if (upgrade.record.under_way.contains(component)) {
      upgrade.record.serving[component] = true;
      Save(upgrade);
    }
  };
  return restart;
}

void ApplyGroup(const std::vector<PodChange>& group, const PodUpgrade& upgrade) {
  const bool replaces = group.front().what == What::kReplace;
  // static_pods::Restart logs its progress itself
  const bool restarts = group.front().what == What::kRestart;
  for (const PodChange& change : group) {
    if (replaces) {
      KeepOld(change, upgrade);
    }
    if (upgrade.renew) {
      upgrade.renew(change.component);
    }
  }
  if (restarts) {
    upgrade.record.restarting = NameOf(group.front().component);
    Save(upgrade);
  } else {
    upgrade.say(fmt::format("{} {}", replaces ? "Replacing the static Pod of" : "Waiting for",
                            Names(group)));
  }
  Act(group, Noting(upgrade));
  upgrade.record.restarting.clear();
  for (const PodChange& change : group) {
    if (!restarts) {
      upgrade.say(fmt::format("Component {} serves", base::Quoted(NameOf(change.component))));
    }
  }
  Save(upgrade);
}

// Returns the components that this run, or a run that it resumes, has replaced. Each has its old
// manifest.
std::vector<static_pods::Replacement> OldPods(std::initializer_list<Component> components,
                                              const PodUpgrade& upgrade) {
  std::vector<static_pods::Replacement> pods;
  for (const Component component : components) {
    const auto kept = upgrade.record.under_way.find(NameOf(component));
    if (kept != upgrade.record.under_way.end()) {
      const std::string text = upgrade.host.files.Read(path(kept->second) / FileName(component));
      pods.push_back({.component = component, .pod = yaml::Parse(text).value});
    }
  }
  return pods;
}

bool IsOfOneMinor(const json::Value& one, const json::Value& other) {
  const auto a = base::Version::Parse(ImageTag(static_pods::FirstImage(one).value_or("")));
  const auto b = base::Version::Parse(ImageTag(static_pods::FirstImage(other).value_or("")));
  return a && b && a->major == b->major && a->minor == b->minor;
}

bool EtcdServes(const PodUpgrade& upgrade) {
  try {
    return !upgrade.restart.probe_of(Component::kEtcd)(upgrade.restart.stop);
  } catch (const Error&) {
    return false;
  }
}

// Returns whether etcd must be rolled back first. An etcd that has served and has other members is
// not rolled back, even if the API server of its group failed. The old etcd may refuse the data
// format that the members have agreed on, and no copy of the data exists.
bool EtcdFailed(const std::vector<PodChange>& failed, const PodUpgrade& upgrade) {
  const bool replaced = std::ranges::any_of(failed, [](const PodChange& change) {
    return change.component == Component::kEtcd && change.what != What::kRestart;
  });
  return replaced &&
         (upgrade.restore_etcd_data || !upgrade.record.serving.contains(NameOf(Component::kEtcd)));
}

// Returns the message that tells the user why the new etcd stays.
std::string WhyEtcdStays(const PodUpgrade& upgrade) {
  const std::string image =
      static_pods::FirstImage(CurrentPod(upgrade.host.files, Component::kEtcd)).value_or("");
  const std::string tag = ImageTag(image);
  return fmt::format(
      "etcd stays at {}: an older minor version would refuse its data, and the old API server "
      "works with this one; if you run the same upgrade again, it does not change etcd",
      tag.empty() ? image : tag);
}

// Removes the component's rollback state of this run from the record. If the upgrade was repeated,
// the rollback state from before this version stays.
void Forget(Component component, const PodUpgrade& upgrade) {
  UpgradeRecord& record = upgrade.record;
  const std::string name = NameOf(component);
  if (record.manifests[name] == record.under_way[name]) {
    record.manifests.erase(name);
    record.serving.erase(name);
  }
  record.under_way.erase(name);
  Save(upgrade);
}

// Keeps an etcd that has served, and removes its rollback state of this run.
void LeaveEtcd(const PodUpgrade& upgrade) {
  if (upgrade.record.under_way.contains(NameOf(Component::kEtcd))) {
    upgrade.say(WhyEtcdStays(upgrade));
    Forget(Component::kEtcd, upgrade);
  }
}

void Restore(std::span<const static_pods::Replacement> pods, const PodUpgrade& upgrade) {
  if (pods.empty()) {
    return;
  }
  for (const static_pods::Replacement& pod : pods) {
    upgrade.say(
        fmt::format("Putting back the old static Pod of {}", base::Quoted(NameOf(pod.component))));
  }
  static_pods::ReplacePods(pods, upgrade.restart);
  for (const static_pods::Replacement& pod : pods) {
    Forget(pod.component, upgrade);
  }
}

// Restores the new etcd, with which the old API server works. The old etcd would refuse the data
// format that the members have agreed on, and no copy of the data exists.
void KeepNewEtcd(const json::Value& etcd, const PodUpgrade& upgrade) {
  upgrade.say("The old etcd does not serve any more: putting back the new one");
  const static_pods::Replacement replacement{.component = Component::kEtcd, .pod = etcd};
  static_pods::ReplacePods(std::span(&replacement, 1), upgrade.restart);
  const static_pods::RunningPod none{.component = Component::kApiServer};
  static_pods::WaitForSuccessors(std::span(&none, 1), static_pods::Successor::kContainer,
                                 upgrade.restart);
  LeaveEtcd(upgrade);
  if (upgrade.record.under_way.contains(NameOf(Component::kApiServer))) {
    Forget(Component::kApiServer, upgrade);
  }
}

// Restores etcd's data from the copy, and then the old Pods. Called if the old etcd does not serve
// with the new etcd's data.
void RestoreWithData(std::span<const static_pods::Replacement> pods, const PodUpgrade& upgrade) {
  upgrade.say("Putting back etcd's data");
  upgrade.record.restoring_data = true;
  Save(upgrade);
  base::WithContext("etcd's data are not restored, because another etcd would use them",
                    [&] { components::RequireNoStrays(upgrade.host.files); });
  cri::Runtime& runtime = upgrade.restart.runtime;
  upgrade.host.files.Remove(components::ManifestPath(Component::kEtcd));
  kube::WaitUntil(
      [&](const std::stop_token&) {
        return static_pods::FindRunning(Component::kEtcd, runtime).containers.empty()
                   ? std::nullopt
                   : std::optional(kube::NotYet{"etcd still runs"});
      },
      {.clock = upgrade.host.clock, .limit = upgrade.restart.limit, .stop = upgrade.restart.stop});
  upgrade.restore_etcd_data();
  // Saved before etcd accepts writes, which another restore would lose.
  upgrade.record.restoring_data = false;
  upgrade.record.data_restored = true;
  Save(upgrade);
  Restore(pods, upgrade);
}

void RestoreStorage(std::span<const static_pods::Replacement> pods, const PodUpgrade& upgrade) {
  if (upgrade.record.restoring_data) {  // an interrupted run has begun the restore
    RestoreWithData(pods, upgrade);
    return;
  }
  const auto old = std::ranges::find(pods, Component::kEtcd, &static_pods::Replacement::component);
  const std::optional<json::Value> now =
      IsThere(Component::kEtcd, upgrade.host.files)
          ? std::optional(CurrentPod(upgrade.host.files, Component::kEtcd))
          : std::nullopt;
  try {
    Restore(pods, upgrade);
  } catch (const Error&) {
    if (old == pods.end()) {
      throw;
    }
    if (upgrade.restore_etcd_data) {
      RestoreWithData(pods, upgrade);
    } else if (now && !IsOfOneMinor(old->pod, *now)) {
      KeepNewEtcd(*now, upgrade);
    } else {
      throw;
    }
  }
}

// Returns the directories of the old manifests, from this run and from earlier interrupted runs.
std::string Kept(const UpgradeRecord& record) {
  std::vector<std::string> directories;
  for (const auto& [component, directory] : record.under_way) {
    if (!std::ranges::contains(directories, directory)) {
      directories.push_back(directory);
    }
  }
  return base::Join(directories, ", ");
}

std::string GoBack(const std::vector<PodChange>& failed, const PodUpgrade& upgrade) {
  if (upgrade.record.under_way.empty()) {
    return "No static Pod had been replaced; certificates that were renewed stay renewed";
  }
  const std::string kept = Kept(upgrade.record);
  try {
    const Etcd etcd =
        EtcdFailed(failed, upgrade) ? Etcd::kPutBackWithData : BackOfServingEtcd(upgrade);
    const std::vector<static_pods::Replacement> old = OldPods({Component::kEtcd}, upgrade);
    PutBack(etcd, upgrade);
    const bool stays =
        !old.empty() && static_pods::Normalized(CurrentPod(upgrade.host.files, Component::kEtcd)) !=
                            static_pods::Normalized(old.front().pod);
    return "The old manifests are back, and the control plane serves as before" +
           (stays ? ". " + WhyEtcdStays(upgrade) : "");
  } catch (base::Interrupted& interrupted) {
    interrupted.Prepend("the old manifests are in " + kept);
    throw;
  } catch (const std::exception& error) {
    return fmt::format(
        "The old control plane could not be restored either: {}\nThe old manifests are in {}",
        error.what(), kept);
  }
}

}  // namespace

std::vector<PodChange> PlanChanges(const host::Files& files,
                                   std::span<const static_pods::Replacement> wanted,
                                   const UpgradeRecord& record, Renews renews) {
  std::vector<PodChange> changes;
  for (const Component component : components::kComponents) {
    const auto found = std::ranges::find(wanted, component, &static_pods::Replacement::component);
    if (found != wanted.end()) {
      changes.push_back(
          {.component = component, .pod = found->pod, .what = Compare(files, *found, record)});
    }
  }
  const auto of = [&](Component component) {
    return std::ranges::find(changes, component, &PodChange::component);
  };
  const auto etcd = of(Component::kEtcd);
  const auto api_server = of(Component::kApiServer);
  if (renews == Renews::kYes && etcd != changes.end() && api_server != changes.end() &&
      etcd->what == What::kNothing && api_server->what == What::kReplace) {
    etcd->what = What::kRestart;
  }
  return changes;
}

std::vector<std::vector<PodChange>> GroupsOf(std::span<const PodChange> changes) {
  std::vector<std::vector<PodChange>> groups;
  for (const PodChange& change : changes) {
    if (change.what == What::kNothing) {
      continue;
    }
    if (groups.empty() || !GoesWith(groups.back().back(), change)) {
      groups.emplace_back();
    }
    groups.back().push_back(change);
  }
  return groups;
}

// The API server is stopped first: it ends cleanly only while etcd runs.
std::vector<static_pods::Replacement> ReplacementsOf(const std::vector<PodChange>& group) {
  std::vector<static_pods::Replacement> replacements;
  for (const PodChange& change : group | std::views::reverse) {
    replacements.push_back({.component = change.component, .pod = change.pod});
  }
  return replacements;
}

Etcd BackOfServingEtcd(const PodUpgrade& upgrade) {
  const std::vector<static_pods::Replacement> old = OldPods({Component::kEtcd}, upgrade);
  if (old.empty()) {
    return Etcd::kLeave;
  }
  if (!IsThere(Component::kEtcd, upgrade.host.files) ||
      (!upgrade.record.serving.contains(NameOf(Component::kEtcd)) && !EtcdServes(upgrade))) {
    return Etcd::kPutBack;
  }
  const bool can = IsOfOneMinor(old.front().pod, CurrentPod(upgrade.host.files, Component::kEtcd));
  return can ? Etcd::kPutBack : Etcd::kLeave;
}

void PutBack(Etcd etcd, const PodUpgrade& upgrade) {
  using enum Component;
  switch (etcd) {
    case Etcd::kLeave:
      Restore(OldPods({kScheduler, kControllerManager, kApiServer}, upgrade), upgrade);
      LeaveEtcd(upgrade);
      return;
    case Etcd::kPutBack:
      Restore(OldPods({kScheduler, kControllerManager, kApiServer, kEtcd}, upgrade), upgrade);
      return;
    case Etcd::kPutBackWithData:  // only etcd and the API server use the data
      RestoreStorage(OldPods({kApiServer, kEtcd}, upgrade), upgrade);
      Restore(OldPods({kScheduler, kControllerManager}, upgrade), upgrade);
      return;
  }
}

void ApplyChanges(std::span<const PodChange> changes, const PodUpgrade& upgrade) {
  for (const std::vector<PodChange>& group : GroupsOf(changes)) {
    const auto go_back = [&](const Error& error) {
      upgrade.record.restarting.clear();
      const std::string problem =
          fmt::format("could not upgrade {}: {}", Names(group), error.message());
      const std::string result = base::WithContext(problem, [&] { return GoBack(group, upgrade); });
      throw Error(error.kind(), fmt::format("{}\n{}", problem, result));
    };
    try {
      ApplyGroup(group, upgrade);
    } catch (const Error& error) {
      go_back(error);
    } catch (const std::exception& error) {
      go_back(Error(error.what()));
    }
  }
}

}  // namespace control_plane
