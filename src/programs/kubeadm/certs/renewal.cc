// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/certs/renewal.h"

#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "certs/remaining.h"
#include "config/defaults.h"
#include "etcd_membership/own_member.h"
#include "kubeadm/command_line.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "kubeconfigs/connect.h"
#include "kubelet/cluster_keys.h"
#include "kubelet/local_runtime.h"
#include "kubelet/wait.h"
#include "pki/key.h"
#include "static_pods/restart.h"

namespace kubeadm {
namespace {

// A short limit: without an answer the renewal continues, because the certificates may have
// expired.
constexpr std::chrono::milliseconds kPatience{2'000};

// Returns why a kubelet could not use keys of the configured algorithm. Returns std::nullopt if all
// kubelets can use them, or if the kubelets' versions are unknown.
std::optional<std::string> KubeletKeyProblem(const Renewal& renewal, const cli::Parsed& flags,
                                             host::Host& host) {
  const std::string algorithm = config::EncryptionAlgorithm(renewal.config.cluster);
  try {
    kube::Client client = kubeconfigs::ClientBy(host, flags.Text("kubeconfig"), kPatience);
    return kubelet::KeyProblem(algorithm, client);
  } catch (const base::Error& error) {
    if (pki::IsMlDsa(algorithm)) {
      base::LogWarning(
          "kubelets older than v1.38 cannot use keys of {}, and the versions of this "
          "cluster's are unknown: {}",
          algorithm, error.message());
    }
    return std::nullopt;
  }
}

renewal::RunContext ContextOf(const Renewal& renewal, const cli::Parsed& flags, host::Host& host) {
  const std::stop_token stop = host.signals.Interrupt();
  return {.host = host,
          .reporter = renewal.reporter,
          .config = renewal.config,
          .config_is_default = renewal.config_is_default,
          .config_is_given = renewal.config_is_given,
          .connect_runtime =
              [&host, stop] {
                return static_pods::ConnectForRestarts(kubelet::LocalCriSocket(host), host, stop);
              },
          .require_kubelet = [&host, stop] { kubelet::RequireRunning(host, stop); },
          .etcd_restart_problem =
              [&, stop] {
                return etcd_membership::RestartProblem(
                    {host, renewal.config, stop,
                     [&](const std::string& line) { renewal.reporter.Message(line); }});
              },
          .kubelet_key_problem = [&] { return KubeletKeyProblem(renewal, flags, host); },
          .stop = stop};
}

renewal::RunResult RunLocked(const Renewal& renewal, const LockRequest& request,
                             const cli::Invocation& invocation, host::Host& host) {
  const NodeLock lock = LockNode(invocation, host, request);
  return renewal::Run(renewal.rows, renewal.options, ContextOf(renewal, invocation.flags, host));
}

// Runs the renewal, and reports its end to Renewal::on_end, also after a failure.
renewal::RunResult Ended(const Renewal& renewal, const std::function<renewal::RunResult()>& run) {
  const auto tell = [&](renewal::RunEnd end) {
    if (renewal.on_end) {
      renewal.on_end(end);
    }
  };
  renewal::RunResult result;
  try {
    result = run();
  } catch (...) {
    tell(renewal::RunEnd::kFailed);
    throw;
  }
  tell(renewal::RunEnd::kSucceeded);
  return result;
}

}  // namespace

renewal::RunOptions RenewalOptions(const cli::Parsed& flags) {
  renewal::RunOptions options{.within = {}, .restart = flags.Bool("restart")};
  if (const std::string& text = flags.Text("if-expires-within"); !text.empty()) {
    options.within =
        base::WithContext("--if-expires-within", [&] { return certs::ParseRemaining(text); });
  }
  return options;
}

renewal::RunResult RunRenewal(const cli::Invocation& invocation, host::Host& host,
                              const Output& output, const Renewal& renewal) {
  const LockRequest request{.directories = {renewal.config.cluster.certificates_dir},
                            .say = [&](const std::string& line) { output.Line(line); }};
  renewal::RunResult result;
  WorldBy(invocation.flags, host)
      ->Do({.on_machine =
                [&] {
                  result =
                      Ended(renewal, [&] { return RunLocked(renewal, request, invocation, host); });
                },
            .in_dry_run =
                [&] {
                  result = renewal::Plan(renewal.rows, renewal.options,
                                         ContextOf(renewal, invocation.flags, host));
                }});
  return result;
}

}  // namespace kubeadm
