// SPDX-License-Identifier: Apache-2.0
// Steps about CoreDNS and kube-proxy.
#include "addons/coredns.h"
#include "addons/kube_proxy.h"
#include "static_pods/static_pod.h"
#include "steps/node/steps.h"

namespace node_steps {
namespace {

void SayCorefile(const addons::CoreDnsOutcome& outcome, workflow::Context& context) {
  if (outcome.corefile == addons::CoreDnsOutcome::Corefile::kFailed) {
    context.Warn("the Corefile could not be migrated, CoreDNS stays as it is: " + outcome.problem);
  }
  SayPatches(outcome.patches, context);
}

}  // namespace

void ApplyCoreDns(NodeData& data, workflow::Context& context) {
  const addons::CoreDnsOutcome outcome = addons::ApplyCoreDns(
      data.Client(context), data.config.cluster,
      {.patches = data.Patches(context),
       .on_migrating = [&] { context.Print("[addons] Migrating CoreDNS Corefile"); }});
  SayCorefile(outcome, context);
  context.Print("[addons] Applied addon: CoreDNS");
}

void ApplyKubeProxy(NodeData& data, workflow::Context& context) {
  SayPatches(addons::ApplyKubeProxy(
                 data.Client(context), data.config,
                 {.proxies = static_pods::ProxyEnvironment(data.machine.environment.All()),
                  .patches = data.Patches(context)}),
             context);
  context.Print("[addons] Applied addon: kube-proxy");
}

void PrintCoreDns(NodeData& data, workflow::Context& context) {
  const addons::CoreDnsManifestList list =
      addons::CoreDnsManifests(data.config.cluster, data.Patches(context));
  SayPatches(list.patches, context);
  context.Print(addons::ManifestText(list.objects));
}

void PrintKubeProxy(NodeData& data, workflow::Context& context) {
  const addons::KubeProxyManifestList list =
      addons::KubeProxyManifests(data.config, data.Patches(context));
  SayPatches(list.patches, context);
  context.Print(addons::ManifestText(list.objects));
}

}  // namespace node_steps
