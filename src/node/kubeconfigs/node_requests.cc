// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/node_requests.h"

#include <algorithm>

#include "certs/requests.h"
#include "certs/tree.h"

namespace kubeconfigs {
namespace {

// The name of the marker file. The marker file exists while the requests are written. It is in the
// directory of the kubeconfig files and contains the path of the certificates directory.
constexpr const char* kUnfinished = ".unfinished-requests";

// Returns the number of rows of the tree that get a key: all except the CAs.
std::size_t CountLeaves() {
  return static_cast<std::size_t>(std::ranges::count_if(
      certs::Tree(), [](const certs::CertSpec& spec) { return !spec.is_ca(); }));
}

}  // namespace

NodeRequests::NodeRequests(host::Files& files, const config::Init& config,
                           const host::fs::path& dir, std::chrono::sys_seconds start)
    : keys_({.algorithm = certs::AlgorithmFor(config.cluster),
             .count = CountLeaves() + InitSpecs().size()}),
      periods_(start),
      context_{.files = files,
               .config = config,
               .dir = dir,
               .ca_dir = config.cluster.certificates_dir,
               .start = start,
               .new_key = [this] { return keys_.Take(); },
               .periods = periods_} {
  Begin();
}

void NodeRequests::Begin() {
  const host::fs::path unfinished = context_.dir / kUnfinished;
  if (context_.files.Find(unfinished) == context_.ca_dir.string()) {
    return;
  }
  RequireNoRequests(context_);
  certs::RequireNoRequests(CertificateContext());
  context_.files.Write(unfinished, context_.ca_dir.string(), {.mode = 0600});
}

certs::Context NodeRequests::CertificateContext() {
  return {.files = context_.files,
          .config = context_.config,
          .start = context_.start,
          .new_key = context_.new_key,
          .periods = periods_,
          .cas = cas_};
}

std::vector<const certs::CertSpec*> NodeRequests::Certificates() {
  return certs::WriteCertificateRequests(CertificateContext());
}

std::vector<const KubeconfigSpec*> NodeRequests::Kubeconfigs() {
  const std::vector<const KubeconfigSpec*> written = WriteKubeconfigRequests(context_);
  context_.files.Remove(context_.dir / kUnfinished);
  return written;
}

}  // namespace kubeconfigs
