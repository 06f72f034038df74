// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests for all files of a control-plane node, to be signed by an external
// CA (reference: pki.md §7).
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

// Writes the certificate requests of a node: first the requests of the certificates, then the
// requests of the kubeconfig files. The constructor starts to generate the keys of all of them
// concurrently. A marker file in the directory of the kubeconfig files shows an unfinished run.
// After an unfinished run, the next run for the same directories keeps existing files and adds
// missing ones. All references must outlive the object.
class NodeRequests {
 public:
  // Throws base::Error(kAlreadyExists), before any write, if one of the files exists. Does not
  // throw if the marker file shows an unfinished run for the same directories.
  NodeRequests(host::Files& files, const config::Init& config, const host::fs::path& dir,
               std::chrono::sys_seconds start);

  // Certificates is certs::WriteCertificateRequests, Kubeconfigs is WriteKubeconfigRequests. Call
  // each once, in this order.
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
