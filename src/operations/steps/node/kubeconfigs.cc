// SPDX-License-Identifier: Apache-2.0
// Steps about kubeconfig files.
#include <fmt/core.h>

#include "base/strings.h"
#include "kubeconfigs/create.h"
#include "steps/node/steps.h"
#include "steps/resume.h"
#include "workflow/written_files.h"

namespace node_steps {
namespace {

// Uses the user's kubeconfig file. An external CA signs no certificates on this node, and the
// user's files were checked at the start of the run.
void UseOwnFile(const kubeconfigs::KubeconfigSpec& spec, NodeData& data,
                workflow::Context& context) {
  data.world.Bring(data.KubeconfigPath(spec.file), {.mode = 0600});
  context.Print(fmt::format("[kubeconfig] External CA: using the existing {} kubeconfig file",
                            base::Quoted(spec.file)));
}

}  // namespace

void SayKubeconfigDirectory(NodeData& data, workflow::Context& context) {
  context.Print(
      fmt::format("[kubeconfig] Kubeconfig files are in directory {}",
                  base::Quoted(data.host.files.Location(data.options.kubeconfig_dir).string())));
}

void MakeKubeconfig(const kubeconfigs::KubeconfigSpec& spec, NodeData& data,
                    workflow::Context& context) {
  if (data.external_ca) {
    UseOwnFile(spec, data, context);
    return;
  }
  steps::DropStaleKubeconfig(data.Resumed(), spec);
  workflow::WrittenFiles files(data.host.files, context);
  const certs::Context certificates = data.Certificates(files);
  const kubeconfigs::Outcome outcome = kubeconfigs::EnsureKubeconfig(
      spec, {.files = files,
             .config = data.config,
             // A dry run creates its own files, even if the machine has such files.
             .dir = files.Location(data.options.kubeconfig_dir),
             .ca_dir = files.Location(data.config.cluster.certificates_dir),
             .start = data.StartSecond(),
             .new_key = certificates.new_key,
             .periods = certificates.periods});
  const std::string name = base::Quoted(spec.file);
  context.Print(outcome.action == kubeconfigs::Action::kCreated
                    ? fmt::format("[kubeconfig] Wrote the kubeconfig file {}", name)
                    : fmt::format("[kubeconfig] Keeping the existing kubeconfig file {}", name));
}

}  // namespace node_steps
