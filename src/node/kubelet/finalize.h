// SPDX-License-Identifier: Apache-2.0
// Points kubelet.conf to the file that the kubelet rotates, once the kubelet has its own
// certificate (reference: phases.md §1 row 12).
#pragma once

#include <filesystem>

#include "config/types.h"
#include "host/host.h"
#include "kubelet/service.h"

namespace kubelet {

// Returns the path of the kubelet's current certificate and key. Its directory is cert-dir of
// kubeletExtraArgs, or the kubelet's default directory.
std::filesystem::path RotatedCertificate(const config::NodeRegistration& registration);

// The result of Finalize.
struct FinalizeResult {
  // kNothingToDo: the kubelet has no certificate of its own (yet).
  enum class Outcome { kNothingToDo, kRewritten } outcome = Outcome::kNothingToDo;
  ServiceResult restart;  // its result, after kRewritten
};

// Returns the kubeconfig with the file `pem` as certificate and key of the current context's user,
// instead of inline data. Throws base::Error(kInvalid) if the input is not a kubeconfig or has no
// such user.
std::string PointToRotatedCertificate(std::string_view kubeconfig,
                                      const std::filesystem::path& pem);

// Rewrites /etc/kubernetes/kubelet.conf, through `files`, and restarts the kubelet. Throws
// base::Error: kNotFound if that file is missing, kInvalid if it is unusable.
FinalizeResult Finalize(host::Host& host, host::Files& files,
                        const config::NodeRegistration& registration);

}  // namespace kubelet
