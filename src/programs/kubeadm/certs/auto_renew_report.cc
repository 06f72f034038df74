#include "kubeadm/certs/auto_renew_report.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace kubeadm {
namespace {

void AppendCommands(const std::vector<std::vector<std::string>>& commands, bool dry_run,
                    std::string& text) {
  for (const std::vector<std::string>& command : commands) {
    text += fmt::format("{} {}\n", dry_run ? "Would run" : "Ran", base::Join(command, " "));
  }
}

}  // namespace

json::Ordered ScheduleObject(const renewal::Schedule& schedule, bool dry_run) {
  json::Ordered files = json::Ordered::array();
  for (const renewal::ScheduleFile& file : schedule.files) {
    files.push_back({{"path", file.path.string()}, {"content", file.content}});
  }
  json::Ordered removed = json::Ordered::array();
  for (const host::fs::path& path : schedule.removed) {
    removed.push_back(path.string());
  }
  json::Ordered commands = json::Ordered::array();
  for (const auto* list : {&schedule.before, &schedule.after}) {
    for (const std::vector<std::string>& command : *list) {
      commands.push_back(base::Join(command, " "));
    }
  }
  return {{"kind", "AutoRenewalChange"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"dryRun", dry_run},
          {"written", std::move(files)},
          {"removed", std::move(removed)},
          {"commands", std::move(commands)}};
}

std::string ScheduleText(const renewal::Schedule& schedule, bool dry_run) {
  if (schedule.empty()) {
    return "Nothing to do\n";
  }
  std::string text;
  AppendCommands(schedule.before, dry_run, text);
  for (const renewal::ScheduleFile& file : schedule.files) {
    text += fmt::format("{} {}\n", dry_run ? "Would write" : "Wrote", file.path.string());
    if (dry_run) {
      text += file.content;
    }
  }
  for (const host::fs::path& path : schedule.removed) {
    text += fmt::format("{} {}\n", dry_run ? "Would remove" : "Removed", path.string());
  }
  AppendCommands(schedule.after, dry_run, text);
  return text;
}

std::string StatusText(const renewal::ScheduleStatus& status) {
  if (!status.enabled) {
    return "Certificates are not renewed by a timer; to have it done: kubeadm certs auto-renew "
           "enable\n";
  }
  std::string text = fmt::format("Certificates are renewed daily by: {}\n", status.command);
  if (!status.next.empty()) {
    text += fmt::format("Next: {}\n", status.next);
  }
  return text;
}

json::Ordered StatusObject(const renewal::ScheduleStatus& status) {
  return {{"kind", "AutoRenewalStatus"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"enabled", status.enabled},
          {"command", status.command},
          {"next", status.next}};
}

}  // namespace kubeadm
