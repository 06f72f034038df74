// SPDX-License-Identifier: Apache-2.0
// Whether an API server that reads its CA files again has done so: a client certificate of the CA
// in question, made for the moment, is let in or not.
#pragma once

#include <string>

#include "ca_rotation/authority.h"
#include "kube/wait.h"
#include "pki/certificate.h"

namespace ca_rotation {

enum class Trust { kGiven, kWithdrawn };

// TrustQuestion: does the API server at `url` trust clients whose certificates `ca` has signed?
struct TrustQuestion {
  std::string url;             // "https://10.0.0.1:6443/livez"
  const Authority& authority;  // that of Kubernetes or of the front proxy
  pki::KeyPair ca;
  std::chrono::sys_seconds now;
  Trust wanted = Trust::kGiven;
};
kube::Probe TrustProbe(const TrustQuestion& question);

}  // namespace ca_rotation
