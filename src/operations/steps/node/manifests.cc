// SPDX-License-Identifier: Apache-2.0
// Steps about the manifests of static Pods.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "node_input/patch_lines.h"
#include "static_pods/create.h"
#include "static_pods/rootless.h"
#include "steps/node/steps.h"
#include "workflow/written_files.h"

namespace node_steps {
namespace {

using components::Component;

// Creates the component's user and group for feature gate RootlessControlPlane, and gives them the
// component's files.
static_pods::RootlessIds MakeRootless(Component component, NodeData& data) {
  const static_pods::RootlessIds ids = static_pods::EnsureRootlessAccounts(data.host);
  const static_pods::HostFacts facts = static_pods::CollectFacts(data.machine, data.config.cluster);
  static_pods::ApplyOwnership(
      data.host.files, static_pods::OwnershipFor(component, data.config.cluster, ids, facts));
  return ids;
}

std::optional<static_pods::RootlessIds> PrepareRootless(Component component, NodeData& data,
                                                        workflow::Context& context) {
  std::optional<static_pods::RootlessIds> ids;
  if (static_pods::IsRootless(data.config.cluster)) {
    const std::string name = base::Quoted(components::Name(component));
    data.world.Do(
        {.on_machine = [&] { ids = MakeRootless(component, data); },
         .in_dry_run = steps::Would(
             context,
             {fmt::format("[control-plane] Would create users and groups for {}", name),
              fmt::format("[control-plane] Would let the static Pod of {} run as them", name)})});
  }
  return ids;
}

}  // namespace

std::string ManifestDirectory(const NodeData& data) {
  return base::Quoted(data.host.files.Location(config::kManifestsDir).string());
}

void SayManifestDirectory(NodeData& data, workflow::Context& context) {
  context.Print(
      fmt::format("[control-plane] Manifests are in directory {}", ManifestDirectory(data)));
}

void SayPatches(const std::vector<node_input::AppliedPatch>& patches, workflow::Context& context) {
  for (const node_input::AppliedPatch& applied : patches) {
    context.Print(node_input::AppliedLine(applied));
  }
}

json::Value FinishPod(Component component, json::Value pod, NodeData& data,
                      workflow::Context& context) {
  const std::optional<static_pods::RootlessIds> ids = PrepareRootless(component, data, context);
  const node_input::PatchSet* patches = base::WithContext(static_pods::PatchingContext(component),
                                                          [&] { return data.Patches(context); });
  node_input::Patched patched = static_pods::FinishPod(
      component, std::move(pod), {.patches = patches, .rootless = ids ? &*ids : nullptr});
  SayPatches(patched.applied, context);
  return patched.value;
}

void WriteStaticPod(Component component, json::Value pod, NodeData& data,
                    workflow::Context& context) {
  pod = FinishPod(component, std::move(pod), data, context);
  workflow::WrittenFiles files(data.host.files, context);
  static_pods::WriteManifest(files, component, pod);
}

void MakeControlPlanePod(Component component, NodeData& data, workflow::Context& context) {
  context.Print(fmt::format("[control-plane] Writing the static Pod manifest of {}",
                            base::Quoted(components::Name(component))));
  const static_pods::HostFacts facts = static_pods::CollectFacts(data.machine, data.config.cluster);
  WriteStaticPod(component, static_pods::StaticPod(component, data.config, facts), data, context);
}

}  // namespace node_steps
