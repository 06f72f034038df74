// SPDX-License-Identifier: Apache-2.0
#include "engine/step_context.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "addons/kube_proxy.h"
#include "engine/backup_directory.h"
#include "kube/lease.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "static_pods/replace.h"
#include "static_pods/serving.h"
#include "workflow/resume.h"
#include "yaml/yaml.h"

namespace engine {

using host::fs::path;

void StepContext::Say(std::string_view line) { context_.Print(fmt::format("[{}] {}", tag_, line)); }

bool StepContext::HasBackup(const path& file) const { return journal_.FindBackup(file) != nullptr; }

void StepContext::BackupFile(const path& file) {
  if (HasBackup(file)) {
    return;
  }
  if (journal_.directory.empty()) {
    journal_.directory =
        engine::MakeBackupDirectory(host_, "kubeadm-" + journal_.operation).string();
  }
  FileBackup backup{.path = file.string()};
  if (const auto content = host_.files.Find(file)) {
    const path copy = path(journal_.directory) / file.relative_path();
    host_.files.Write(copy, *content, {.mode = 0600, .keep_mode = false, .directory_mode = 0700});
    backup.copy = copy.string();
    // For a link, the mode of its target is recorded.
    const auto info = host_.files.Stat(file);
    backup.mode = info && info->kind == host::FileInfo::Kind::kFile
                      ? static_cast<std::int32_t>(info->mode)
                      : 0600;
  }
  journal_.files.push_back(std::move(backup));
  SaveJournal(host_.files, journal_);
}

void StepContext::WriteFile(const path& file, std::string_view content, unsigned mode) {
  if (host_.files.Find(file) != content) {
    BackupFile(file);
    host_.files.Write(file, content, {.mode = mode});
  }
  RecordWritten(file);
}

void StepContext::RemoveFile(const path& file) {
  if (host_.files.Find(file)) {
    BackupFile(file);
  }
  host_.files.Remove(file);
}

void StepContext::RestoreFiles() {
  host::Files& files = host_.files;
  for (const FileBackup& file : journal_.files | std::views::reverse) {
    if (file.pod) {
      continue;
    }
    if (file.copy.empty()) {
      files.Remove(file.path);
    } else if (const std::string before = files.Read(file.copy); files.Find(file.path) != before) {
      files.Write(file.path, before, {.mode = static_cast<unsigned>(file.mode)});
    }
  }
}

void StepContext::ReissueCertificate(const certs::Renewable& row,
                                     const certs::RenewalContext& renewal) {
  const std::vector<path> pair = certs::FilesOf(row, renewal);
  std::ranges::for_each(pair, [&](const path& file) { BackupFile(file); });
  certs::Renew(row, renewal);
  std::ranges::for_each(pair, [&](const path& file) { RecordWritten(file); });
  Say(fmt::format("The certificate {} is reissued", row.name));
}

void StepContext::RestartKubelet() {
  Say("Restarting the kubelet");
  kubelet::RestartIfService(host_);
  kubelet::RequireRunning(host_, Stop());
}

void StepContext::RestartKubelet(const KubeletReturn& end) {
  Say("Restarting the kubelet");
  if (!kubelet::RestartIfService(host_)) {
    end.on_no_service();
  }
  const std::string restarted =
      kube::MicroTime(host_.clock);  // later than every renewal by the old kubelet
  kube::Client client = end.new_client();
  kube::WaitUntil(static_pods::UntilAnswered(kube::RenewalProbe(
                      client, {.name_space = "kube-node-lease", .name = end.node}, restarted)),
                  end.waiting);
}

std::function<void()> StepContext::RestartForLostPods() {
  return [this] {
    Say("Restarting the kubelet, which does not start the Pods");
    kubelet::RestartKubelet(host_);
  };
}

static_pods::RestartContext StepContext::RestartBy(cri::Runtime& runtime,
                                                   static_pods::ProbeOf probe_of) {
  return {.host = host_,
          .runtime = runtime,
          .probe_of = std::move(probe_of),
          .stop = Stop(),
          .say = [this](const std::string& line) { Say(line); }};
}

void StepContext::RestartPodsOrRestore(std::span<const components::Component> components,
                                       const static_pods::RestartContext& restart) {
  static_pods::RestartOrRestore(components, [this] { RestoreFiles(); }, restart);
}

void StepContext::SetFact(const char* name, json::Value value) {
  journal_.facts[name] = std::move(value);
  SaveJournal(host_.files, journal_);
}

void StepContext::ReplacePods(std::span<const static_pods::Replacement> pods,
                              const static_pods::RestartContext& restart) {
  for (const static_pods::Replacement& pod : pods) {
    const path manifest = components::ManifestPath(pod.component);
    BackupFile(manifest);
    std::ranges::find(journal_.files, manifest.string(), &FileBackup::path)->pod = true;
  }
  SaveJournal(host_.files, journal_);
  static_pods::ReplacePods(pods, restart);
  for (const static_pods::Replacement& pod : pods) {
    RecordWritten(components::ManifestPath(pod.component));
  }
}

void StepContext::RestorePods(const static_pods::RestartContext& restart) {
  std::vector<static_pods::Replacement> pods;
  for (const components::Component component : components::kComponents | std::views::reverse) {
    const FileBackup* backup = journal_.FindBackup(components::ManifestPath(component));
    if (backup != nullptr && backup->pod && !backup->copy.empty()) {
      pods.push_back(
          {.component = component, .pod = yaml::Parse(host_.files.Read(backup->copy)).value});
      Say(fmt::format("Restoring the static Pod of \"{}\"", components::Name(component)));
    }
  }
  if (!pods.empty()) {
    static_pods::ReplacePods(pods, restart);
  }
}

void StepContext::RollKubeProxy(kube::Client& client, std::chrono::sys_seconds at) {
  Say("kube-proxy's Pods are replaced, one node after the other");
  addons::RestartKubeProxy(client, at);
}

void StepContext::RecordWritten(const path& file) {
  const auto backup = std::ranges::find(journal_.files, file.string(), &FileBackup::path);
  const auto content = host_.files.Find(file);
  if (backup == journal_.files.end() || !content) {
    return;
  }
  const std::string hash = workflow::FileHash(*content);
  context_.FileWritten(file.string(), hash);
  if (backup->written != hash) {
    backup->written = hash;
    SaveJournal(host_.files, journal_);
  }
}

}  // namespace engine
