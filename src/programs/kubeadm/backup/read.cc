// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm backup inspect`, `list` and `verify`, which only read.
#include <fmt/core.h>

#include "backup/inspect.h"
#include "backup/storage.h"
#include "backup/verify.h"
#include "base/error.h"
#include "kubeadm/backup/keys.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr const char* kRequireEtcd = "require-etcd";

void Inspect(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  output.Show(backup::Inspect({.files = host.files,
                               .path = RequireOneFile(invocation),
                               .buckets = backup::BucketsOf(host, host.signals.Interrupt()),
                               .keys = KeysBy(invocation.flags, host.files)}));
}

void List(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  output.Show(backup::ListBackups({.files = host.files,
                                   .path = RequireOneFile(invocation),
                                   .buckets = backup::BucketsOf(host, host.signals.Interrupt()),
                                   .keys = KeysBy(invocation.flags, host.files)}));
}

void Verify(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const backup::Verified verified = backup::Verify(
      {.files = host.files,
       .path = RequireOneFile(invocation),
       .buckets = backup::BucketsOf(host, host.signals.Interrupt()),
       .keys = KeysBy(invocation.flags, host.files),
       .progress = ProgressOf(invocation, host),
       .stop = host.signals.Interrupt()},
      {.host = host, .say = [&](const std::string& line) { output.Line("[backup] " + line); }});
  output.Show(verified);
  if (!verified.problems.empty()) {
    throw Error(fmt::format("the backup has {} problems, the first: {}", verified.problems.size(),
                            verified.problems.front()));
  }
  if (!verified.etcd && invocation.flags.Bool(kRequireEtcd)) {
    throw Error("no etcd served the snapshot: " + verified.etcd_left_out);
  }
}

}  // namespace

cli::Command BackupInspectCommand(host::Host& host) {
  return Made({.name = "inspect",
               .summary = "Show what a backup is",
               .text = "backup-inspect",
               .flags = WithPrinter(KeyFlags()),
               .usage_args = "FILE",
               .max_args = 1,
               .run = Inspect},
              host);
}

cli::Command BackupListCommand(host::Host& host) {
  return Made({.name = "list",
               .summary = "List the backups in a directory",
               .text = "backup-list",
               .flags = WithPrinter(KeyFlags()),
               .usage_args = "DIRECTORY",
               .max_args = 1,
               .run = List},
              host);
}

cli::Command BackupVerifyCommand(host::Host& host) {
  return Made(
      {.name = "verify",
       .summary = "Check that a backup is complete and can be restored",
       .text = "backup-verify",
       .flags = WithPrinter(Joined(
           KeyFlags(), {Switch(kRequireEtcd, "Fail if no etcd can serve the snapshot here")})),
       .usage_args = "FILE",
       .max_args = 1,
       .run = Verify},
      host);
}

}  // namespace kubeadm
