// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests for all that a control-plane node needs: what an external CA is to
// sign (reference: pki.md §7).
#pragma once

#include <chrono>
#include <vector>

#include "certs/create.h"
#include "certs/period.h"
#include "config/types.h"
#include "host/files.h"
#include "kubeconfigs/create.h"
#include "pki/key_pool.h"

namespace kubeconfigs {

// NodeRequests writes them: first those of the certificates, then those of the kubeconfig files.
// The keys of both are drawn at the same time, from its construction on. A file in the directory of
// the kubeconfig files tells that this was begun and has not ended: then the next one for the same
// directories keeps what is there and adds what is missing. What it refers to outlives it.
class NodeRequests {
 public:
  // Throws base::Error(kAlreadyExists), before anything is written, when one of the files is there
  // and no run that did not end has made it.
  NodeRequests(host::Files& files, const config::Init& config, const host::fs::path& dir,
               std::chrono::sys_seconds start);

  // Certificates is certs::WriteCertificateRequests, Kubeconfigs is WriteKubeconfigRequests. They
  // are called once each, in this order.
  std::vector<const certs::CertSpec*> Certificates();
  std::vector<const KubeconfigSpec*> Kubeconfigs();

 private:
  certs::Context CertificateContext();
  void Begin();

  pki::KeyPool keys_;
  certs::PeriodLog periods_;
  certs::SigningCas cas_;
  Context context_;
};

}  // namespace kubeconfigs
