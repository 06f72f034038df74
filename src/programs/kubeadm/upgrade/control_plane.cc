// Phase `control-plane` of upgrade, and the way back.
#include "upgrade/control_plane.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/error.h"
#include "base/strings.h"
#include "certs/create.h"
#include "certs/renewal.h"
#include "config/images.h"
#include "config/paths.h"
#include "etcd/health.h"
#include "kube/wait.h"
#include "kubeadm/init/texts.h"
#include "kubeadm/node_steps.h"
#include "kubeadm/upgrade/phases.h"
#include "kubelet/wait.h"
#include "static_pods/restart.h"
#include "static_pods/rootless.h"
#include "static_pods/static_pod.h"
#include "upgrade/backup.h"

namespace kubeadm {
namespace {

using base::Error;
using static_pods::Component;
using std::chrono::milliseconds;

constexpr std::string_view kPrefix = "[upgrade/staticpods]";

// An image that cannot be had shows within that time, mostly.
constexpr milliseconds kPullLimit{20'000};
// How long a kubelet that runs may take to say so.
constexpr milliseconds kKubeletLimit{5'000};

std::string Tag(const std::string& image) {
  const std::size_t colon = image.rfind(':');
  return colon == std::string::npos ? "" : image.substr(colon + 1);
}

// The version in an image's tag: registries allow no plus sign.
std::optional<base::Version> VersionOf(const std::string& image) {
  std::string tag = Tag(image);
  std::ranges::replace(tag, '_', '+');
  return base::Version::Parse(tag);
}

json::Value CurrentEtcd(const UpgradeData& data) {
  const auto pod = static_pods::ReadManifest(data.machine.files, Component::kEtcd);
  if (!pod) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("{} is missing, but the cluster's configuration has etcd on this node",
                            static_pods::ManifestPath(Component::kEtcd).string()));
  }
  return *pod;
}

// The members that a manifest names count only when a member starts for the first time. Those of a
// node that has joined stay, so that etcd is not restarted for them.
json::Value NewEtcd(const UpgradeData& data, const json::Value& current) {
  if (static_pods::CommandArg(current, "initial-cluster-state") == "existing") {
    return static_pods::JoiningEtcdPod(
        data.config, static_pods::CommandArg(current, "initial-cluster").value_or(""));
  }
  return static_pods::StaticPod(Component::kEtcd, data.config, {});
}

// Whether etcd is this tool's to upgrade, and the wanted version is none from before.
bool UpgradesEtcd(UpgradeData& data, const json::Value& current, workflow::Context& context) {
  const std::string here = static_pods::FirstImage(current);
  const std::string wanted = config::EtcdImage(data.config.cluster);
  const auto from = VersionOf(here);
  const auto to = VersionOf(wanted);
  if (!to) {
    throw Error(Error::Kind::kInvalid, fmt::format("the image of etcd, {}, has no version that can "
                                                   "be compared",
                                                   base::Quoted(wanted)));
  }
  if (from && *to < *from) {
    context.Print(fmt::format("[upgrade/etcd] etcd stays as it is: {} is older than {}",
                              Tag(wanted), Tag(here)));
    return false;
  }
  return true;
}

// The Pods of the new version, finished.
std::vector<static_pods::Replacement> WantedPods(UpgradeData& data, workflow::Context& context) {
  std::vector<static_pods::Replacement> pods;
  if (data.config.cluster.etcd.local && data.upgrade_options.etcd && !data.options.dry_run) {
    const json::Value current = CurrentEtcd(data);
    if (UpgradesEtcd(data, current, context)) {
      pods.push_back({.component = Component::kEtcd,
                      .pod = FinishPod(Component::kEtcd, NewEtcd(data, current), data, context)});
    }
  }
  const static_pods::HostFacts facts = static_pods::GatherFacts(data.machine, data.config.cluster);
  for (const Component component : static_pods::kControlPlane) {
    pods.push_back(
        {.component = component,
         .pod = FinishPod(component, static_pods::StaticPod(component, data.config, facts), data,
                          context)});
  }
  return pods;
}

// Pulls for a while; images were to be pulled by phase preflight, only patched ones were not.
void PullBriefly(const std::string& image, cri::Runtime& runtime, UpgradeData& data,
                 workflow::Context& context) {
  if (data.config.init.node_registration.image_pull_policy == "Never") {
    throw Error(Error::Kind::kNotFound, "it is not here, and imagePullPolicy is Never");
  }
  context.Progress("pulling " + image);
  std::stop_source stop;
  const std::stop_callback interrupted(context.Stop(), [&] { stop.request_stop(); });
  std::jthread limit([&](const std::stop_token& done) {
    if (kube::Pause(kPullLimit, done)) {
      stop.request_stop();
    }
  });
  try {
    runtime.PullImage(image, stop.get_token());
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kCancelled && !context.Stop().stop_requested()) {
      throw Error(
          Error::Kind::kTimeout,
          fmt::format("pulling it takes longer than {} s; pull it on this node beforehand, "
                      "or mend its name",
                      std::chrono::duration_cast<std::chrono::seconds>(kPullLimit).count()));
    }
    throw;
  }
  context.Progress("");
}

// Nothing is stopped whose successor cannot be had.
void EnsureImages(const std::vector<upgrade::PodChange>& changes, cri::Runtime& runtime,
                  UpgradeData& data, workflow::Context& context) {
  for (const upgrade::PodChange& change : changes) {
    for (const json::Value& container : json::At(change.pod, {"spec", "containers"})) {
      const std::string image = json::TextAt(container, {"image"});
      if (change.what == upgrade::PodChange::What::kReplace && !runtime.HasImage(image)) {
        base::WithContext(fmt::format("nothing has been changed: the image {} of {} cannot be had",
                                      image, static_pods::Name(change.component)),
                          [&] { PullBriefly(image, runtime, data, context); });
      }
    }
  }
}

// The kubelet is who carries out everything: it must run before anything is touched.
void CheckKubelet(UpgradeData& data, workflow::Context& context) {
  const std::string url = kubelet::HealthzUrl(data.config.cluster.kubelet.value);
  if (url.empty()) {
    return;
  }
  base::WithContext(
      fmt::format("nothing has been changed: the kubelet of this node does not answer at {}", url),
      [&] {
        return kube::WaitUntil(kube::UrlProbe(url),
                               {.limit = kKubeletLimit, .stop = context.Stop(), .culprit = {}});
      });
}

bool Replaces(const std::vector<upgrade::PodChange>& changes, Component component) {
  return std::ranges::any_of(changes, [&](const upgrade::PodChange& change) {
    return change.component == component && change.what == upgrade::PodChange::What::kReplace;
  });
}

// A run on this node: what every step of it needs.
class Run {
 public:
  Run(UpgradeData& data, workflow::Context& context)
      : data_(data),
        context_(context),
        runtime_(data.Runtime()),
        restart_{.host = data.host,
                 .runtime = *runtime_,
                 .probe_of = static_pods::ServingProbes(data.host, data.config.cluster,
                                                    data.config.init.local_api_endpoint),
                 .limit = std::chrono::duration_cast<milliseconds>(
                     data.Timeout(&config::Timeouts::upgrade_manifests)),
                 .stop = context.Stop()},
        certificates_{.files = data.host.files,
                      .cluster = data.config.cluster,
                      .kubeconfig_dir = fs::path(config::kKubernetesDir),
                      .start = data.StartSecond(),
                      .new_key = [this] {
                        return pki::PrivateKey::Generate(certs::AlgorithmFor(data_.config.cluster));
                      }} {}

  void Apply(const std::vector<upgrade::PodChange>& changes) {
    if (Replaces(changes, Component::kEtcd)) {
      KeepEtcd();
    }
    upgrade::ApplyChanges(changes, Parts());
  }
  void Undo(upgrade::Etcd etcd) { upgrade::PutBack(etcd, Parts()); }
  cri::Runtime& runtime() { return *runtime_; }

  void Renew(std::string_view name) {
    const auto rows = certs::Renewables();
    const auto row = std::ranges::find(rows, name, &certs::Renewable::name);
    const auto outcome = base::WithContext(fmt::format("cannot renew {}", name),
                                           [&] { return certs::Renew(*row, certificates_); });
    if (outcome == certs::RenewalOutcome::kRenewed) {
      context_.Print(fmt::format("{} Renewed {}", kPrefix, row->long_name));
    } else if (outcome == certs::RenewalOutcome::kExternalCa) {
      context_.Print(fmt::format("{} {} is not renewed: the key of its CA is not here", kPrefix,
                                 row->long_name));
    }
  }

 private:
  upgrade::PodUpgrade Parts() {
    upgrade::PodUpgrade parts{.host = data_.host,
                              .restart = restart_,
                              .record = data_.Record(),
                              .backup_folder = [this] { return BackupFolder(); },
                              .say =
                                  [this](const std::string& line) {
                                    context_.Print(fmt::format("{} {}", kPrefix, line));
                                  }};
    if (data_.upgrade_options.renew_certificates) {
      parts.renew = [this](Component component) { RenewFor(component); };
    }
    if (only_member_ && !data_.Record().etcd_data.empty()) {
      parts.restore_etcd_data = [this] {
        upgrade::RestoreEtcdData(data_.host, data_.Record().etcd_data,
                                 data_.config.cluster.etcd.local->data_dir);
      };
    }
    return parts;
  }

  fs::path BackupFolder() {
    if (backup_folder_.empty()) {
      backup_folder_ = upgrade::MakeBackupFolder(data_.host, upgrade::kManifestsBackup);
      context_.Print(
          fmt::format("{} The old manifests are kept in {}", kPrefix, backup_folder_.string()));
    }
    return backup_folder_;
  }

  void RenewFor(Component component) {
    for (const std::string_view name : static_pods::CertificatesOf(component)) {
      Renew(name);
    }
    if (component == Component::kEtcd) {
      Renew("etcd-healthcheck-client");
    }
  }

  // etcd must keep its majority; its data is copied before it is touched.
  void KeepEtcd() {
    const auto client = ConnectEtcd(data_, context_);
    const etcd::Health health = etcd::ClusterHealth(*client);
    const std::string& node = data_.config.init.node_registration.name;
    if (const std::string problem = etcd::CheckRestart(health, node); !problem.empty()) {
      throw Error(Error::Kind::kUnavailable, "nothing has been changed: " + problem);
    }
    only_member_ = health.members.size() == 1;
    upgrade::Record& record = data_.Record();
    const bool under_way = record.manifests.contains("etcd") && !record.serving.contains("etcd");
    if (under_way && !record.etcd_data.empty()) {
      return;  // of the run that is continued: what etcd has now may be the new one's
    }
    const fs::path folder = upgrade::MakeBackupFolder(data_.host, upgrade::kEtcdBackup);
    context_.Print(fmt::format("[upgrade/etcd] Copying etcd's data to {}", folder.string()));
    upgrade::CopyEtcdData(data_.host, data_.config.cluster.etcd.local->data_dir, folder);
    record.etcd_data = folder.string();
    upgrade::SaveRecord(data_.host.files, record);
  }

  UpgradeData& data_;
  workflow::Context& context_;
  std::unique_ptr<cri::Runtime> runtime_;
  static_pods::RestartContext restart_;
  certs::RenewalContext certificates_;
  bool only_member_ = false;
  fs::path backup_folder_;
};

void SayUnchanged(const std::vector<upgrade::PodChange>& changes, workflow::Context& context) {
  for (const upgrade::PodChange& change : changes) {
    if (change.what == upgrade::PodChange::What::kNothing) {
      context.Print(fmt::format("{} The manifest of {} is up to date already", kPrefix,
                                base::Quoted(static_pods::Name(change.component))));
    }
  }
}

void ShowPods(UpgradeData& data, workflow::Context& context) {
  std::string text = fmt::format("[dryrun] Would bring the static Pods to version {}: ",
                                 base::Quoted(data.config.cluster.kubernetes_version));
  // With patches, and with users of their own, more is told before the first manifest.
  if (!data.options.patches_directory.empty() || static_pods::IsRootless(data.config.cluster)) {
    context.Print(text);
    text.clear();
  }
  for (const static_pods::Replacement& pod : WantedPods(data, context)) {
    text +=
        WouldWrite(static_pods::ManifestPath(pod.component).string(), static_pods::Text(pod.pod));
    if (!text.ends_with('\n')) {
      text += '\n';
    }
  }
  context.Print(text);
}

bool Changes(const std::vector<upgrade::PodChange>& changes) {
  return std::ranges::any_of(changes, [](const upgrade::PodChange& change) {
    return change.what != upgrade::PodChange::What::kNothing;
  });
}

}  // namespace

void UpgradeControlPlane(UpgradeData& data, workflow::Context& context) {
  if (!data.ControlPlane()) {
    context.Print("[upgrade/control-plane] Skipping phase: this node has no control plane");
    return;
  }
  data.LoadCluster(context);
  if (data.options.dry_run) {
    ShowPods(data, context);
    return;
  }
  Run run(data, context);
  const std::vector<upgrade::PodChange> changes = upgrade::PlanChanges(
      data.host.files, WantedPods(data, context), data.Record(),
      data.upgrade_options.renew_certificates ? upgrade::Renews::kYes : upgrade::Renews::kNo);
  SayUnchanged(changes, context);
  if (Changes(changes)) {
    CheckKubelet(data, context);
    EnsureImages(changes, run.runtime(), data, context);
    run.Apply(changes);
  }
  // Administrators have no daemon that would keep their certificates fresh.
  if (data.upgrade_options.renew_certificates &&
      (Changes(changes) || data.command == UpgradeData::Command::kApply)) {
    run.Renew("admin.conf");
    run.Renew("super-admin.conf");
  }
}

void UndoUpgrade(UpgradeData& data, workflow::Context& context) {
  CheckKubelet(data, context);
  Run(data, context).Undo(upgrade::Etcd::kPutBack);
}

}  // namespace kubeadm
