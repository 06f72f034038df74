// SPDX-License-Identifier: Apache-2.0
// Executes a change of the control-plane endpoint on this node and in the cluster. Every step may
// be repeated: after an interruption, collect the facts again and make a new plan.
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

// The context of a change. References must outlive it.
struct Engine {
  host::Host& host;
  kube::Client& client;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: start of certificates' periods
  std::chrono::milliseconds limit{240'000};  // for waits
  std::stop_token stop = {};
  base::ShowLine say;
  bool wait_for_endpoint = true;  // whether the kubelet must be healthy by it
};

// Throws base::Error(kInvalid) if a certificate is to be issued and the key of its CA is not on
// this node; before any change.
void CheckKeys(const Seen& seen, const Engine& engine);

// Issues the certificate and waits until the API server serves it, which needs no restart. Then it
// changes the cluster's objects, kubeconfig files, and the kubelet. Replaced files are kept below
// /etc/kubernetes/tmp.
void Apply(const Plan& plan, const Seen& seen, const Engine& engine);

// Executes that plan; the record stays.
void Finish(const FinishPlan& plan, const Seen& seen, const Engine& engine);

}  // namespace endpoint
