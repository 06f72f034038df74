// Phases `etcd local` and `control-plane …`.
#include <fmt/core.h>

#include "base/strings.h"
#include "config/paths.h"
#include "kubeadm/init_phases.h"
#include "kubeadm/texts_init.h"
#include "kubeadm/written_files.h"
#include "manifests/rootless.h"
#include "manifests/static_pod.h"

namespace kubeadm {
namespace {

using manifests::Component;
using Names = std::vector<std::string>;

std::string Folder(const InitData& data) {
  return base::Quoted(data.host.files.Location(config::kManifestsDir).string());
}

// The Pod with the user's patches.
data::Json Patched(Component component, data::Json pod, InitData& data,
                   workflow::Context& context) {
  const manifests::PatchSet* patches = data.Patches(context);
  if (patches == nullptr) {
    return pod;
  }
  manifests::Patched patched = manifests::ApplyPatches(*patches, manifests::Name(component),
                                                       std::move(pod), data::PatchSchema::kPod);
  for (const manifests::AppliedPatch& applied : patched.applied) {
    context.Print(AppliedPatchLine(applied));
  }
  return std::move(patched.value);
}

// Feature gate RootlessControlPlane: users for the component, its files theirs, and the Pod theirs.
void RunWithoutRoot(Component component, data::Json& pod, InitData& data,
                    workflow::Context& context) {
  if (!manifests::IsRootless(data.config.cluster)) {
    return;
  }
  const std::string name = base::Quoted(manifests::Name(component));
  if (data.options.dry_run) {
    context.Print(fmt::format("[control-plane] Would create users and groups for {}", name));
    context.Print(fmt::format("[control-plane] Would let the static Pod of {} run as them", name));
    return;
  }
  const manifests::RootlessIds ids = manifests::EnsureRootlessAccounts(data.host);
  const manifests::HostFacts facts = manifests::GatherFacts(data.machine, data.config.cluster);
  manifests::ApplyOwnership(data.host.files,
                            manifests::OwnershipFor(component, data.config.cluster, ids, facts));
  manifests::RunAs(pod, component, ids);
}

void WritePod(Component component, InitData& data, workflow::Context& context) {
  WrittenFiles files(data.host.files, context);
  const manifests::HostFacts facts = manifests::GatherFacts(data.machine, data.config.cluster);
  data::Json pod = manifests::StaticPod(component, data.config, facts);
  RunWithoutRoot(component, pod, data, context);
  manifests::WriteManifest(files, component, Patched(component, std::move(pod), data, context));
}

void MakeEtcd(InitData& data, workflow::Context& context) {
  const std::string& data_dir = data.config.cluster.etcd.local->data_dir;
  if (data.options.dry_run) {
    context.Print(fmt::format("[etcd] Would make the folder {}", base::Quoted(data_dir)));
  } else {
    data.host.files.MakeDirectories(data_dir, 0700);
  }
  context.Print(
      fmt::format("[etcd] Writing the static Pod manifest of a local etcd to {}", Folder(data)));
  WritePod(Component::kEtcd, data, context);
  if (data.options.dry_run) {
    context.Print(WouldWrite(manifests::ManifestPath(Component::kEtcd).string(),
                             data.host.files.Read(manifests::ManifestPath(Component::kEtcd))));
  }
}

InitPhase ControlPlanePhase(Component component, Names flags, Names needs) {
  const std::string name(manifests::Name(component));
  const std::string phase = name.substr(std::string_view("kube-").size());
  return {.name = phase,
          .summary = fmt::format("Make the {} static Pod manifest", name),
          .flags = std::move(flags),
          .needs = std::move(needs),
          .makes = {"manifests"},
          .run = [component, name](InitData& data, workflow::Context& context) {
            context.Print(fmt::format("[control-plane] Writing the static Pod manifest of {}",
                                      base::Quoted(name)));
            WritePod(component, data, context);
          }};
}

}  // namespace

void SayManifestFolder(InitData& data, workflow::Context& context) {
  context.Print(fmt::format("[control-plane] Manifests are in folder {}", Folder(data)));
}

std::vector<InitPhase> EtcdPhases() {
  return {{.name = "local",
           .summary = "Make the static Pod manifest of a local, single-member etcd",
           .flags = {"cert-dir", "config", "dry-run", "image-repository", "patches"},
           .needs = {"etcd-ca", "etcd-server", "etcd-peer"},
           .makes = {"manifests"},
           .when = [](const InitData& data) { return data.config.cluster.etcd.local.has_value(); },
           .run = MakeEtcd}};
}

std::vector<InitPhase> ControlPlanePhases() {
  return {
      ControlPlanePhase(
          Component::kApiServer,
          {"apiserver-advertise-address", "apiserver-bind-port", "apiserver-extra-args", "cert-dir",
           "config", "control-plane-endpoint", "dry-run", "feature-gates", "image-repository",
           "kubernetes-version", "patches", "service-cidr"},
          {"ca", "apiserver", "apiserver-kubelet-client", "front-proxy-ca", "front-proxy-client",
           "apiserver-etcd-client", "sa"}),
      ControlPlanePhase(Component::kControllerManager,
                        {"cert-dir", "config", "controller-manager-extra-args", "dry-run",
                         "image-repository", "kubernetes-version", "patches", "pod-network-cidr"},
                        {"ca", "front-proxy-ca", "sa", "controller-manager.conf"}),
      ControlPlanePhase(Component::kScheduler,
                        {"cert-dir", "config", "dry-run", "image-repository", "kubernetes-version",
                         "patches", "scheduler-extra-args"},
                        {"scheduler.conf"}),
  };
}

}  // namespace kubeadm
