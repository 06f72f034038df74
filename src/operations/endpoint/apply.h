// SPDX-License-Identifier: Apache-2.0
// Carrying out a change of the control-plane endpoint on this node and in the cluster. Every step
// may be repeated: a run that was cut off is gone on with by a new look and a new plan.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/show_line.h"
#include "cri/runtime.h"
#include "endpoint/plan.h"
#include "host/host.h"
#include "kube/client.h"

namespace endpoint {

// Engine is what acts. References outlive it.
struct Engine {
  host::Host& host;
  kube::Client& client;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: certificates' periods count from it
  std::chrono::milliseconds limit{240'000};  // for what is waited for
  std::stop_token stop = {};
  base::ShowLine say;
  bool wait_for_endpoint = true;  // whether the kubelet must have come back by it
};

// CheckKeys throws base::Error(kInvalid) when a certificate is to be issued and the key of its CA
// is not on this node. Nothing has been changed then.
void CheckKeys(const Seen& seen, const Engine& engine);

// Apply issues the certificate and waits until the API server serves it, which it does without a
// restart; then the cluster's objects, kubeconfig files, and the kubelet. What is replaced is kept
// below /etc/kubernetes/tmp.
void Apply(const Plan& plan, const Seen& seen, const Engine& engine);

// Finish carries that plan out; the record stays.
void Finish(const FinishPlan& plan, const Seen& seen, const Engine& engine);

}  // namespace endpoint
