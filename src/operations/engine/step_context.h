// SPDX-License-Identifier: Apache-2.0
// StepContext: what a step of an operation does through the engine, so that it is backed up,
// journaled and reported.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "certs/renewal.h"
#include "engine/journal.h"
#include "host/host.h"
#include "kube/client.h"
#include "workflow/context.h"

namespace engine {

// StepContext is given to each step for as long as the step runs. Not thread-safe.
class StepContext {
 public:
  // All references outlive it.
  StepContext(host::Host& host, Journal& journal, std::string_view tag, workflow::Context& context)
      : host_(host), journal_(journal), tag_(tag), context_(context) {}

  host::Host& host() { return host_; }
  std::stop_token Stop() const { return context_.Stop(); }

  // Say shows a whole line of progress: "[readdress] LINE".
  void Say(std::string_view line);

  // BackupFile copies the file as it was before the operation, mode 0600, or notes that it did
  // not exist. The first backup of a path counts: later calls do nothing.
  void BackupFile(const host::fs::path& path);

  // WriteFile backs the file up and replaces its content; does nothing when the content is the
  // same. An existing file keeps its mode, a new one gets `mode`.
  void WriteFile(const host::fs::path& path, std::string_view content, unsigned mode);

  // RemoveFile backs the file up and removes it, if it exists.
  void RemoveFile(const host::fs::path& path);

  // RecordWritten notes the content of a backed-up file as the operation's own. For files that
  // another function wrote; a file without a backup is ignored.
  void RecordWritten(const host::fs::path& path);

  // HasBackup tells whether the operation has backed the file up, in this run or an earlier one.
  bool HasBackup(const host::fs::path& path) const;

  // ReissueCertificate backs up the files of the row and issues them again with the context's
  // names. Throws what certs::Renew throws.
  void ReissueCertificate(const certs::Renewable& row, const certs::RenewalContext& renewal);

  // RestartKubelet restarts the kubelet's service, if there is one, and waits until it runs. Throws
  // base::Error when it does not restart, or does not become healthy in time.
  void RestartKubelet();

  // RollKubeProxy makes kube-proxy's DaemonSet replace its Pods one after the other. Nothing waits
  // for the end: a node that is down would hold it back. A repeated call with the same `at` starts
  // no second rollout.
  void RollKubeProxy(kube::Client& client, std::chrono::sys_seconds at);

 private:
  host::Host& host_;
  Journal& journal_;
  std::string_view tag_;
  workflow::Context& context_;
};

}  // namespace engine
