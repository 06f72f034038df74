// SPDX-License-Identifier: Apache-2.0
#include "renewal/schedule_report.h"

#include <fmt/core.h>

#include <string_view>

#include "base/strings.h"
#include "json/value.h"

namespace renewal {
namespace {

using Commands = std::vector<std::vector<std::string>>;

std::string CommandLines(std::string_view verb, const Commands& commands) {
  std::string text;
  for (const std::vector<std::string>& command : commands) {
    text += fmt::format("{} {}\n", verb, base::Join(command, " "));
  }
  return text;
}

}  // namespace

std::string TextOf(const ScheduleChange& change) {
  const Schedule& schedule = change.schedule;
  if (schedule.empty()) {
    return "Nothing to do\n";
  }
  const ReportWords& words = change.words;
  std::string text = CommandLines(words.ran, schedule.before);
  for (const ScheduleFile& file : schedule.files) {
    text += fmt::format("{} {}\n", words.wrote, file.path.string());
    text += std::string_view(file.content).substr(0, words.shown_of_file);
  }
  for (const host::fs::path& path : schedule.removed) {
    text += fmt::format("{} {}\n", words.removed, path.string());
  }
  return text + CommandLines(words.ran, schedule.after);
}

std::string TextOf(const ScheduleStatus& status) {
  if (!status.enabled) {
    return "Certificates are not renewed by a timer; to have it done: kubeadm certs auto-renew "
           "enable\n";
  }
  std::string text = fmt::format("Certificates are renewed daily by: {}\n", status.command);
  if (!status.next.empty()) {
    text += fmt::format("Next: {}\n", status.next);
  }
  if (!status.problem.empty()) {
    text += fmt::format("That fails: {}; run 'kubeadm certs auto-renew enable' again\n",
                        status.problem);
  }
  return text;
}

json::Ordered ObjectOf(const ScheduleChange& change) {
  json::Ordered files = json::Ordered::array();
  for (const ScheduleFile& file : change.schedule.files) {
    files.push_back({{"path", file.path.string()}, {"content", file.content}});
  }
  json::Ordered removed = json::Ordered::array();
  for (const host::fs::path& path : change.schedule.removed) {
    removed.push_back(path.string());
  }
  json::Ordered commands = json::Ordered::array();
  for (const Commands* list : {&change.schedule.before, &change.schedule.after}) {
    for (const std::vector<std::string>& command : *list) {
      commands.push_back(base::Join(command, " "));
    }
  }
  return {{"kind", "AutoRenewalChange"},    {"apiVersion", "output.slipway/v1alpha1"},
          {"dryRun", change.words.planned}, {"written", std::move(files)},
          {"removed", std::move(removed)},  {"commands", std::move(commands)}};
}

json::Ordered ObjectOf(const ScheduleStatus& status) {
  return {{"kind", "AutoRenewalStatus"}, {"apiVersion", "output.slipway/v1alpha1"},
          {"enabled", status.enabled},   {"command", status.command},
          {"next", status.next},         {"problem", status.problem}};
}

}  // namespace renewal
