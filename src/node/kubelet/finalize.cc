// SPDX-License-Identifier: Apache-2.0
#include "kubelet/finalize.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "config/paths.h"
#include "kube/kubeconfig.h"

namespace kubelet {

namespace fs = std::filesystem;

fs::path RotatedCertificate(const config::NodeRegistration& registration) {
  const fs::path directory = config::FindArg(registration.kubelet_extra_args, "cert-dir")
                                 .value_or(fs::path(config::kKubeletDir) / "pki");
  return directory / "kubelet-client-current.pem";
}

std::string PointToRotatedCertificate(std::string_view kubeconfig, const fs::path& pem) {
  kube::Kubeconfig config = kube::Kubeconfig::Parse(kubeconfig);
  const kube::KubeconfigContext* context = config.CurrentContext();
  const auto user = context == nullptr ? config.users.end() : config.users.find(context->user);
  if (user == config.users.end()) {
    throw base::Error(base::Error::Kind::kInvalid, config.NoUserReason());
  }
  user->second.client_certificate_data.clear();
  user->second.client_key_data.clear();
  user->second.client_certificate = pem;
  user->second.client_key = pem;
  return config.Text();
}

FinalizeResult Finalize(host::Host& host, host::Files& files,
                        const config::NodeRegistration& registration) {
  const fs::path pem = RotatedCertificate(registration);
  if (!files.Exists(pem)) {
    return {.outcome = FinalizeResult::Outcome::kNothingToDo};
  }
  const fs::path path = fs::path(config::kKubernetesDir) / config::kKubeletConf;
  const std::string text = base::WithContext(fmt::format("cannot use {}", path.string()), [&] {
    return PointToRotatedCertificate(files.Read(path), pem);
  });
  files.Write(path, text, {.mode = 0600});
  return {.outcome = FinalizeResult::Outcome::kRewritten, .restart = RestartKubelet(host)};
}

}  // namespace kubelet
