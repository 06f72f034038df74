// SPDX-License-Identifier: Apache-2.0
#include "machine_update/workload.h"

#include <chrono>

#include "kube/kubeconfig.h"

namespace machine_update {
namespace {

// A call of a hook makes several requests within 30 s.
constexpr std::chrono::seconds kRequestTimeout{3};

}  // namespace

std::unique_ptr<kube::Transport> ConnectToWorkload(const std::string& kubeconfig) {
  // Without read_file, and without a function that runs programs, the transport can do neither.
  return kube::MakeHttpTransport(
      kube::Kubeconfig::Parse(kubeconfig),
      {.request_timeout = kRequestTimeout, .server_override = {}, .read_file = {}});
}

}  // namespace machine_update
