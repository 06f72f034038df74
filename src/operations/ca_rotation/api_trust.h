// SPDX-License-Identifier: Apache-2.0
// Probes whether an API server has reloaded its CA files: it accepts or refuses a temporary client
// certificate of the CA.
#pragma once

#include <string>

#include "ca_rotation/authority.h"
#include "kube/wait.h"
#include "pki/certificate.h"

namespace ca_rotation {

enum class Trust { kGiven, kWithdrawn };

// Inputs of TrustProbe. The probe succeeds when the API server at `url` accepts (kGiven) or refuses
// (kWithdrawn) client certificates that `ca` has signed.
struct TrustQuestion {
  std::string url;             // "https://10.0.0.1:6443/livez"
  const Authority& authority;  // the authority of Kubernetes or of the front proxy
  pki::KeyPair ca;
  std::chrono::sys_seconds now;
  Trust wanted = Trust::kGiven;
};
kube::Probe TrustProbe(const TrustQuestion& question);

}  // namespace ca_rotation
