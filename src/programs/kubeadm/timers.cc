// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/timers.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "kubeadm/command_line.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "timers/report.h"

namespace kubeadm {

std::vector<cli::Flag> TimerFlags(const char* patience) {
  return WithPrinter(Joined(CommonFlags({"dry-run"}), {LockTimeoutFlag(patience)}));
}

std::string PlainWord(const cli::Parsed& flags, const std::string& flag) {
  const std::string& text = flags.Text(flag);
  if (!timers::IsPlainWord(text)) {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("--{} {}: only letters, digits and {} are possible here", flag,
                                  base::Quoted(text), timers::kPlainSigns));
  }
  return text;
}

void ChangeTimer(cli::Invocation& invocation, host::Host& host, const timers::Task& task,
                 timers::Change change) {
  const Output output(invocation, host);
  timers::ChangeReport report{.task = task, .change = std::move(change)};
  const auto apply = [&] {
    const NodeLock lock =
        LockNode(invocation, host, {.say = [&](const std::string& line) { output.Line(line); }});
    timers::Apply(report.change, host);
    output.Show(report);
  };
  const auto show = [&] {
    report.planned = true;
    output.Show(report);
  };
  WorldBy(invocation.flags, host)->Do({.on_machine = apply, .in_dry_run = show});
}

void DisableTimer(cli::Invocation& invocation, host::Host& host, const timers::Task& task) {
  ChangeTimer(invocation, host, task,
              timers::PlanDisable(task, timers::RequireScheduler(task, host), host.files));
}

void ShowTimer(cli::Invocation& invocation, host::Host& host, const timers::Task& task) {
  const Output output(invocation, host);
  output.Show(timers::StatusReport{
      .task = task, .status = timers::StatusOf(task, timers::RequireScheduler(task, host), host)});
}

}  // namespace kubeadm
