// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/trial_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "base/duration.h"
#include "base/error.h"
#include "base/wrap.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"

namespace kubeadm {
namespace {

using std::chrono::seconds;

constexpr const char* kTry = "try";
constexpr const char* kChange = "change";

constexpr seconds kLook{1};
// The interval between attempts to roll back. After a boot, the container runtime and the API
// server may need some time, and the network may be down for long.
constexpr seconds kFirstPause{5};
constexpr seconds kLongestPause{60};

// Plans the rollback. Returns an empty plan if the trial continues, or if another process has ended
// it.
PlannedRun PlanUnlessKept(const TrialVerb& verb, cli::Invocation& invocation, host::Host& host,
                          const base::ShowLine& say) {
  const auto journal =
      engine::LoadUnconfirmed(verb.timer, invocation.flags.Text(kChange), host.files);
  if (!journal || engine::IsOnTrial(journal, host.clock)) {
    return {};
  }
  return verb.rollback(invocation, host, say);
}

enum class Seen { kDone, kWaiting, kFailed };

Seen LookOnce(const TrialVerb& verb, cli::Invocation& invocation, host::Host& host) {
  try {
    const auto journal =
        engine::LoadUnconfirmed(verb.timer, invocation.flags.Text(kChange), host.files);
    if (!journal) {
      return Seen::kDone;
    }
    if (!engine::IsOnTrial(journal, host.clock)) {
      RollbackOperation(
          verb.tag,
          [&](const base::ShowLine& say) { return PlanUnlessKept(verb, invocation, host, say); },
          invocation, host);
    }
    return Seen::kWaiting;
  } catch (const base::Interrupted&) {
    return Seen::kWaiting;  // the caller sees the stop request
  } catch (const std::exception& error) {
    // Catches every exception, because no other process would retry the rollback.
    invocation.streams.err << base::HangingIndent(error.what()) << '\n';
    return Seen::kFailed;
  }
}

void Confirm(const TrialVerb& verb, cli::Invocation& invocation, host::Host& host) {
  const base::ShowLine say = SayAs(verb.tag, invocation);
  const NodeLock lock = LockNode(invocation, host, {.say = say, .patience = TrialPatience(host)});
  engine::Confirm(verb.timer, host);
  say(fmt::format("Confirmed. 'kubeadm {} undo' rolls it back on this node", verb.timer.command));
}

void Undo(const TrialVerb& verb, cli::Invocation& invocation, host::Host& host) {
  const auto plan = [&](const base::ShowLine& say) -> PlannedRun {
    if (verb.timer.load(host.files)) {
      return verb.rollback(invocation, host, say);
    }
    if (!engine::HasRollbackNote(verb.timer, host.files)) {
      throw base::Error(base::Error::Kind::kNotFound,
                        fmt::format("no change by 'kubeadm {}' is recorded on this node, so there "
                                    "is nothing to undo",
                                    verb.timer.command));
    }
    say("The change was rolled back already");
    return {};
  };
  RollbackOperation(verb.tag, plan, invocation, host);
}

void Keep(const TrialVerb& verb, cli::Invocation& invocation, host::Host& host) {
  const std::stop_token stop = host.signals.Interrupt();
  seconds pause = kFirstPause;
  try {
    engine::ReportTimer(verb.timer, invocation.flags.Text(kChange), host.files);
  } catch (const std::exception& error) {
    // The process continues, because after a boot no command waits for the answer.
    invocation.streams.err << error.what() << '\n';
  }
  Seen seen = LookOnce(verb, invocation, host);
  while (seen != Seen::kDone) {
    const bool failed = seen == Seen::kFailed;
    if (!host.clock.Sleep(failed ? pause : kLook, stop)) {
      return;
    }
    pause = failed ? std::min(2 * pause, kLongestPause) : kFirstPause;
    seen = LookOnce(verb, invocation, host);
  }
}

std::function<void(cli::Invocation&, host::Host&)> By(const TrialVerb& verb,
                                                      void (*act)(const TrialVerb&,
                                                                  cli::Invocation&, host::Host&)) {
  return
      [verb, act](cli::Invocation& invocation, host::Host& host) { act(verb, invocation, host); };
}

void RequireTime(const cli::Parsed& so_far) {
  const auto trial = so_far.Duration(kTry);
  if (trial < trial.zero()) {
    throw base::Error(base::Error::Kind::kUsage,
                      fmt::format("{} is negative; give the time of the trial, such as 2m",
                                  base::FormatDuration(trial)));
  }
}

}  // namespace

cli::Flag TryFlag(const engine::RollbackTimer& timer) {
  return {.name = kTry,
          .type = cli::FlagType::kDuration,
          .default_text = "0s",
          .help = fmt::format(
              "Roll the change back after this time, such as 2m, unless 'kubeadm {} confirm' is "
              "run before",
              timer.command),
          .on_set = RequireTime};
}

std::chrono::seconds TrialBy(const cli::Parsed& flags) {
  return std::chrono::ceil<seconds>(flags.Duration(kTry));
}

std::string EndOfRun(const engine::RollbackTimer& timer, const cli::Parsed& flags) {
  return TrialBy(flags).count() > 0
             ? fmt::format("Applied. It is rolled back in {} unless you run: kubeadm {} confirm",
                           base::FormatDuration(flags.Duration(kTry)), timer.command)
             : fmt::format("Applied. 'kubeadm {} undo' rolls it back on this node", timer.command);
}

cli::Command ConfirmCommand(const TrialVerb& verb, host::Host& host) {
  return Made({.name = "confirm",
               .summary = "Keep a change that is on trial",
               .text = verb.timer.command + "-confirm",
               .flags = {LockTimeoutFlag(kRunPatience)},
               .beyond_upstream = true,
               .run = By(verb, Confirm)},
              host);
}

cli::Command UndoCommand(const TrialVerb& verb, host::Host& host) {
  return Made({.name = "undo",
               .summary = verb.undo_summary,
               .text = verb.timer.command + "-undo",
               .flags = Joined(verb.facts_flags, OperationFlags()),
               .beyond_upstream = true,
               .run = By(verb, Undo)},
              host);
}

cli::Command KeepCommand(const TrialVerb& verb, host::Host& host) {
  cli::Command command =
      Made({.name = "keep",
            .summary = "Roll back a change at the end of its trial, unless it is confirmed",
            .text = verb.timer.command + "-keep",
            .flags = Joined(verb.facts_flags,
                            {LockTimeoutFlag(kTimerPatience),
                             {.name = kChange, .help = "The id of the change, in its journal"}}),
            .run = By(verb, Keep)},
           host);
  command.hidden = true;
  return command;
}

}  // namespace kubeadm
