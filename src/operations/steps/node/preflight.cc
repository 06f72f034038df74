// SPDX-License-Identifier: Apache-2.0
// Steps that check the machine and pull its images.
#include <set>

#include "checks/require.h"
#include "preflight/image_pull.h"
#include "steps/node/steps.h"
#include "steps/resume.h"

namespace node_steps {
namespace {

void Pull(NodeData& data, workflow::Context& context) {
  context.Print(
      "[preflight] Pulling the images that are not here yet; 'kubeadm config images pull' does it "
      "ahead of time");
  preflight::PullInput input =
      preflight::ImagePullInput(data.config.cluster, data.config.init.node_registration);
  input.on_event = [&](const preflight::PullEvent& event) {
    if (event.what == preflight::PullEvent::What::kStarted) {
      context.Progress("pulling " + event.image);
    }
  };
  checks::Require(preflight::ImagePullCheck(CheckSources(data).connect, input, data.host.clock),
                  data.ignored_preflight_errors, context);
  context.Progress({});
}

}  // namespace

preflight::Sources CheckSources(NodeData& data) {
  return {.host = data.machine,
          .connect = [](const std::string& endpoint) { return cri::Connect(endpoint); }};
}

void CheckRoot(NodeData& data, workflow::Context& context) {
  checks::Require(preflight::RootChecks(data.machine), data.ignored_preflight_errors, context);
}

void RunChecks(std::vector<checks::Check> checks, NodeData& data, workflow::Context& context) {
  const std::set<std::string> settled = steps::SettledChecks(data.Resumed());
  std::erase_if(checks, [&](const checks::Check& check) { return settled.contains(check.id); });
  checks::Require(checks, data.ignored_preflight_errors, context);
}

void PullImages(NodeData& data, workflow::Context& context) {
  data.world.Do(
      {.on_machine = [&] { Pull(data, context); },
       .in_dry_run = steps::Would(
           context,
           {"[preflight] Would pull the images that 'kubeadm config images list' names"})});
}

}  // namespace node_steps
