// SPDX-License-Identifier: Apache-2.0
// Parts that the commands of all daily runs share: `certs auto-renew`, `backup schedule`.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "host/host.h"
#include "timers/timer.h"

namespace kubeadm {

// Returns --dry-run, --lock-timeout and the printer's flags.
std::vector<cli::Flag> TimerFlags(const char* patience);

// Returns the flag's value for a unit file or a crontab. Throws base::Error(kUsage) if the value
// would need quotes, because these files cannot contain quoted values.
std::string PlainWord(const cli::Parsed& flags, const std::string& flag);

// Applies the change under the node's lock and shows it. With --dry-run, only shows it.
void ChangeTimer(cli::Invocation& invocation, host::Host& host, const timers::Task& task,
                 timers::Change change);

// Removes the task's timer, if it has one, as ChangeTimer does.
void DisableTimer(cli::Invocation& invocation, host::Host& host, const timers::Task& task);

// Shows whether a timer runs the task.
void ShowTimer(cli::Invocation& invocation, host::Host& host, const timers::Task& task);

}  // namespace kubeadm
