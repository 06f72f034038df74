#include "addons/approver_program.h"

#include <fmt/core.h>

#include "base/error.h"

namespace addons {
namespace {

using base::Error;

constexpr std::string_view kProgram = "cluster-machine-approver";

// Where the loader and the libraries are that the program needs.
constexpr const char* kLibraryDirectories[] = {"/lib", "/lib64"};

std::string ProgramOf(const config::KubeletServingCerts& serving, const host::Host& host) {
  if (serving.program.empty()) {
    return host.processes.FindExecutable(kProgram).value_or("");
  }
  return host.files.Exists(serving.program) ? serving.program : "";
}

}  // namespace

ApproverProgram ChooseApprover(const config::KubeletServingCerts& serving, const host::Host& host) {
  if (!serving.image.empty()) {
    return {.image = serving.image, .allowed_cidrs = serving.allowed_cidrs};
  }
  ApproverProgram program{.path = ProgramOf(serving, host), .allowed_cidrs = serving.allowed_cidrs};
  if (program.path.empty()) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("serving certificates of kubelets need an approver, but {} is not "
                    "there: install {} on every control-plane node, or name its image in "
                    "kubeletServingCerts.image of an {}",
                    serving.program.empty() ? fmt::format("{} in PATH", kProgram) : serving.program,
                    kProgram, config::kExtensionKind));
  }
  for (const char* directory : kLibraryDirectories) {
    if (host.files.Exists(directory)) {
      program.libraries.emplace_back(directory);
    }
  }
  return program;
}

}  // namespace addons
