// SPDX-License-Identifier: Apache-2.0
// The engine's interface for the steps of an operation: it backs up, journals and reports.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "certs/renewal.h"
#include "components/table.h"
#include "cri/runtime.h"
#include "engine/journal.h"
#include "host/host.h"
#include "json/value.h"
#include "kube/client.h"
#include "kube/wait.h"
#include "static_pods/restart.h"
#include "workflow/context.h"

namespace engine {

// The wait after a kubelet's restart, which ends when the kubelet has reported to the cluster.
struct KubeletReturn {
  std::string node;                          // whose Lease the kubelet renews
  std::function<kube::Client()> new_client;  // called after the restart
  kube::WaitOptions waiting;
  // Called if the init system has no kubelet service. Throws, or asks the user to restart the
  // kubelet.
  std::function<void()> on_no_service;
};

// Passed to each step, and valid while the step runs. Not thread-safe.
class StepContext {
 public:
  // All references must outlive it.
  StepContext(host::Host& host, Journal& journal, std::string_view tag, workflow::Context& context)
      : host_(host), journal_(journal), tag_(tag), context_(context) {}

  host::Host& host() { return host_; }
  std::stop_token Stop() const { return context_.Stop(); }

  // Prints a whole line of progress: "[readdress] LINE".
  void Say(std::string_view line);

  // Copies the file as it was before the operation to BackupDirectory, with mode 0600. The copy has
  // the whole path of the file below this directory. If the file does not exist, records its
  // absence. Only the first call for a path has an effect.
  void BackupFile(const host::fs::path& path);

  // Backs the file up and replaces its content. Has no effect if the content is equal. An existing
  // file keeps its mode; a new file gets `mode`.
  void WriteFile(const host::fs::path& path, std::string_view content, unsigned mode);

  // Backs the file up and removes it, if it exists. A symbolic link without a target is removed
  // without a backup.
  void RemoveFile(const host::fs::path& path);

  // Records the present content of a backed-up file as written by the operation. Use it for files
  // that another function wrote. Ignores a file without a backup.
  void RecordWritten(const host::fs::path& path);

  // Restores every file that the operation has backed up, and removes files that did not exist
  // before. Leaves out the manifests that ReplacePods has replaced.
  void RestoreFiles();

  // Returns whether the operation has backed the file up, in this run or an earlier one.
  bool HasBackup(const host::fs::path& path) const;

  // Facts returns the journal's facts. SetFact adds or replaces a fact that a later run needs.
  const json::Value& Facts() const { return journal_.facts; }
  void SetFact(const char* name, json::Value value);

  // The directory of the backups; empty if nothing has been backed up.
  const std::string& BackupDirectory() const { return journal_.directory; }

  // Backs up the certificate's files and reissues the certificate with the names of `renewal`.
  // Throws the errors of certs::Renew.
  void ReissueCertificate(const certs::Renewable& row, const certs::RenewalContext& renewal);

  // Restarts the kubelet's service, if the service exists, and waits until the kubelet runs. Throws
  // base::Error(kOther) if the restart fails, or if the kubelet does not become healthy in time.
  void RestartKubelet();

  // Restarts the kubelet's service, and waits until the restarted kubelet has renewed the Lease of
  // its Node. Throws base::Error(kOther) if the restart fails. If the kubelet does not report in
  // time, throws kTimeout, or the error that explains the failure.
  void RestartKubelet(const KubeletReturn& end);

  // Returns a function for RestartContext::restart_kubelet: it restarts a kubelet that has lost
  // track of a Pod. A failed restart is ignored, because the wait for the Pod reports its result.
  std::function<void()> RestartForLostPods();

  // Returns a context with the host, the progress and the interrupt of this step.
  static_pods::RestartContext RestartBy(cri::Runtime& runtime, static_pods::ProbeOf probe_of);

  // Restarts static Pods and waits until each serves. If a Pod does not serve, restores the files
  // of the operation and restarts the Pods again (static_pods::RestartOrRestore).
  void RestartPodsOrRestore(std::span<const components::Component> components,
                            const static_pods::RestartContext& restart);

  // Backs up the manifests and replaces the static Pods together. Throws the errors of
  // static_pods::ReplacePods.
  void ReplacePods(std::span<const static_pods::Replacement> pods,
                   const static_pods::RestartContext& restart);

  // Restores the Pods of all manifests that ReplacePods has replaced. The Pods are replaced
  // together, because no component is healthy without an API server, and the API server may be the
  // cause of the rollback.
  void RestorePods(const static_pods::RestartContext& restart);

  // Starts a rollout of kube-proxy's DaemonSet, which replaces its Pods one after the other. Does
  // not wait for the end of the rollout, because a node that is down would delay it. A repeated
  // call with the same `at` starts no second rollout.
  void RollKubeProxy(kube::Client& client, std::chrono::sys_seconds at);

 private:
  host::Host& host_;
  Journal& journal_;
  std::string_view tag_;
  workflow::Context& context_;
};

}  // namespace engine
