// Phases `addon …`.
#include "addons/coredns.h"
#include "addons/kube_proxy.h"
#include "kubeadm/init_approver.h"
#include "kubeadm/init_phases.h"
#include "kubeadm/texts_init.h"
#include "manifests/static_pod.h"

namespace kubeadm {
namespace {

void SayCorefile(const addons::CoreDnsOutcome& outcome, workflow::Context& context) {
  if (outcome.corefile == addons::CoreDnsOutcome::Corefile::kFailed) {
    context.Warn("the Corefile could not be migrated, CoreDNS stays as it is: " + outcome.problem);
  }
  for (const manifests::AppliedPatch& applied : outcome.patches) {
    context.Print(AppliedPatchLine(applied));
  }
}

void CoreDns(InitData& data, workflow::Context& context) {
  if (data.init_options.print_manifest) {
    context.Print(addons::ManifestText(addons::CoreDnsManifests(data.config.cluster)));
    return;
  }
  const addons::CoreDnsOutcome outcome = addons::ApplyCoreDns(
      data.Client(context), data.config.cluster,
      {.patches = data.Patches(context),
       .on_migrating = [&] { context.Print("[addons] Migrating CoreDNS Corefile"); }});
  SayCorefile(outcome, context);
  context.Print("[addons] Applied addon: CoreDNS");
}

void KubeProxy(InitData& data, workflow::Context& context) {
  if (data.init_options.print_manifest) {
    context.Print(addons::ManifestText(addons::KubeProxyManifests(data.config)));
    return;
  }
  addons::ApplyKubeProxy(data.Client(context), data.config,
                         manifests::ProxyEnvironment(data.machine.environment.All()));
  context.Print("[addons] Applied addon: kube-proxy");
}

}  // namespace

std::vector<InitPhase> AddonPhases() {
  return {{.name = "coredns",
           .summary = "Install CoreDNS, which answers the names of Services",
           .flags = {"config", "dry-run", "feature-gates", "image-repository", "kubeconfig",
                     "kubernetes-version", "print-manifest", "service-cidr", "service-dns-domain"},
           .run = CoreDns},
          {.name = "kube-proxy",
           .summary = "Install kube-proxy, which brings traffic to Services",
           .flags = {"apiserver-advertise-address", "apiserver-bind-port", "config",
                     "control-plane-endpoint", "dry-run", "image-repository", "kubeconfig",
                     "kubernetes-version", "pod-network-cidr", "print-manifest"},
           .run = KubeProxy},
          ApproverPhase()};
}

}  // namespace kubeadm
