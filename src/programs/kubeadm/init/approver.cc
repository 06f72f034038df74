#include "kubeadm/init/approver.h"

#include <fmt/core.h>

#include "addons/kube_proxy.h"
#include "base/error.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr std::string_view kProgram = "cluster-machine-approver";

// Where the loader and the libraries are that the program needs.
constexpr const char* kLibraryFolders[] = {"/lib", "/lib64"};

std::string ProgramOf(const config::KubeletServingCerts& serving, const host::Host& host) {
  if (serving.program.empty()) {
    return host.processes.FindExecutable(kProgram).value_or("");
  }
  return host.files.Exists(serving.program) ? serving.program : "";
}

void Apply(InitData& data, workflow::Context& context) {
  const addons::ApproverProgram& program = *data.init_options.approver;
  if (data.init_options.print_manifest) {
    context.Print(addons::ManifestText(addons::ApproverManifests(data.config, program)));
    return;
  }
  addons::ApplyApprover(data.Client(context), data.config, program);
  context.Print("[addons] Applied addon: machine-approver");
}

}  // namespace

addons::ApproverProgram ChooseApprover(const config::KubeletServingCerts& serving,
                                       const host::Host& host) {
  if (!serving.image.empty()) {
    return {.image = serving.image, .allowed_cidrs = serving.allowed_cidrs};
  }
  addons::ApproverProgram program{.path = ProgramOf(serving, host),
                                  .allowed_cidrs = serving.allowed_cidrs};
  if (program.path.empty()) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("serving certificates of kubelets need an approver, but {} is not "
                    "there: install {} on every control-plane node, or name its image in "
                    "kubeletServingCerts.image of an {}",
                    serving.program.empty() ? fmt::format("{} in PATH", kProgram) : serving.program,
                    kProgram, config::kExtensionKind));
  }
  for (const char* folder : kLibraryFolders) {
    if (host.files.Exists(folder)) {
      program.libraries.emplace_back(folder);
    }
  }
  return program;
}

void RefuseApproverWithoutSigner(const InitData& data) {
  if (data.init_options.approver) {
    throw Error(Error::Kind::kInvalid,
                "serving certificates of kubelets are signed by the controller manager with the "
                "CA's key, which is not on this machine: leave out --kubelet-serving-certs, or put "
                "ca.key beside ca.crt");
  }
}

InitPhase ApproverPhase() {
  return {.name = "machine-approver",
          .summary = "Install the approver of kubelets' serving certificates",
          .hidden = true,
          .when = [](const InitData& data) { return data.init_options.approver.has_value(); },
          .run = Apply};
}

}  // namespace kubeadm
