// SPDX-License-Identifier: Apache-2.0
#include "timers/report.h"

#include <fmt/core.h>

#include <string_view>

#include "base/strings.h"
#include "json/value.h"

namespace timers {
namespace {

using Commands = std::vector<std::vector<std::string>>;

std::string CommandLines(bool planned, const Commands& commands) {
  std::string text;
  for (const std::vector<std::string>& command : commands) {
    text += fmt::format("{} {}\n", planned ? "Would run" : "Ran", base::Join(command, " "));
  }
  return text;
}

std::string KindOf(const Task& task, std::string_view what) {
  return fmt::format("{}{}", task.kind, what);
}

}  // namespace

std::string TextOf(const ChangeReport& report) {
  const auto& [task, change, planned] = report;
  if (change.empty()) {
    return "Nothing to do\n";
  }
  std::string text = CommandLines(planned, change.before);
  for (const TimerFile& file : change.files) {
    text += fmt::format("{} {}\n{}", planned ? "Would write" : "Wrote", file.path.string(),
                        planned ? file.content : "");
  }
  for (const host::fs::path& path : change.removed) {
    text += fmt::format("{} {}\n", planned ? "Would remove" : "Removed", path.string());
  }
  return text + CommandLines(planned, change.after);
}

std::string TextOf(const StatusReport& report) {
  const auto& [task, status] = report;
  if (!status.enabled) {
    return fmt::format("{}; to have it done: {} enable\n", task.lacks, task.group);
  }
  std::string text = fmt::format("{} daily by: {}\n", task.happens, status.command);
  if (!status.next.empty()) {
    text += fmt::format("Next: {}\n", status.next);
  }
  if (!status.problem.empty()) {
    text += fmt::format("That fails: {}; run '{} enable' again\n", status.problem, task.group);
  }
  return text;
}

json::Ordered ObjectOf(const ChangeReport& report) {
  const Change& change = report.change;
  json::Ordered files = json::Ordered::array();
  for (const TimerFile& file : change.files) {
    files.push_back({{"path", file.path.string()}, {"content", file.content}});
  }
  json::Ordered removed = json::Ordered::array();
  for (const host::fs::path& path : change.removed) {
    removed.push_back(path.string());
  }
  json::Ordered commands = json::Ordered::array();
  for (const Commands* list : {&change.before, &change.after}) {
    for (const std::vector<std::string>& command : *list) {
      commands.push_back(base::Join(command, " "));
    }
  }
  return {{"kind", KindOf(report.task, "Change")},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"dryRun", report.planned},
          {"written", std::move(files)},
          {"removed", std::move(removed)},
          {"commands", std::move(commands)}};
}

json::Ordered ObjectOf(const StatusReport& report) {
  const Status& status = report.status;
  return {{"kind", KindOf(report.task, "Status")},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"enabled", status.enabled},
          {"command", status.command},
          {"next", status.next},
          {"problem", status.problem}};
}

}  // namespace timers
