// SPDX-License-Identifier: Apache-2.0
// After the kubelet has got a certificate of its own: kubelet.conf points to the file that the
// kubelet rotates (reference: phases.md §1 row 12).
#pragma once

#include <filesystem>

#include "config/types.h"
#include "host/host.h"
#include "kubelet/service.h"

namespace kubelet {

// RotatedCertificate is where the kubelet keeps its current certificate and key: the argument
// cert-dir of kubeletExtraArgs or the kubelet's default directory.
std::filesystem::path RotatedCertificate(const config::NodeRegistration& registration);

// FinalizeResult is what Finalize changed.
struct FinalizeResult {
  // kNothingToDo: the kubelet has no certificate of its own (yet).
  enum class Outcome { kNothingToDo, kRewritten } outcome = Outcome::kNothingToDo;
  ServiceResult restart;  // of kRewritten
};

// PointToRotatedCertificate returns a kubeconfig's text in which the user of the current context
// has `pem` for certificate and key instead of data. Throws base::Error(kInvalid) when the text is
// not a kubeconfig or has no such user.
std::string PointToRotatedCertificate(std::string_view kubeconfig,
                                      const std::filesystem::path& pem);

// Finalize rewrites /etc/kubernetes/kubelet.conf, through `files`, and restarts the kubelet. Throws
// base::Error when that file is missing or unusable.
FinalizeResult Finalize(host::Host& host, host::Files& files,
                        const config::NodeRegistration& registration);

}  // namespace kubelet
