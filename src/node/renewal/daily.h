// SPDX-License-Identifier: Apache-2.0
// The daily renewal of certificates, as a task of a timer.
#pragma once

#include <string>
#include <vector>

#include "timers/timer.h"

namespace renewal {

inline constexpr timers::Task kDaily{
    .name = "kubeadm-certs-renew",
    .group = "kubeadm certs auto-renew",
    .log = "kubeadm-certs",
    .kind = "AutoRenewal",
    .purpose = "Renew the certificates of this Kubernetes control-plane node",
    .happens = "Certificates are renewed",
    .lacks = "Certificates are not renewed by a timer",
    .elsewhere = "kubeadm certs renew all --if-expires-within 30d --restart"};

// The options of the daily command.
struct DailyOptions {
  std::string program;         // absolute path of kubeadm
  std::string within = "30d";  // renew certificates that expire within that time
  bool restart = true;         // restart the static Pods that use them
  std::string textfile = {};   // for Prometheus; "": none
};

// Returns the command line of the daily run; its arguments contain no blanks.
std::vector<std::string> DailyCommand(const DailyOptions& options);

}  // namespace renewal
