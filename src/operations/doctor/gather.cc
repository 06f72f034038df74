// SPDX-License-Identifier: Apache-2.0
#include "doctor/gather.h"

#include <fmt/core.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "config/paths.h"
#include "doctor/parts.h"
#include "kubelet/node_config.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

struct Part {
  std::string name;
  std::function<Answer()> ask;
  bool control_plane_only = false;
};

// Inbox takes the answers that come in time; it lives as long as anybody may still answer.
class Inbox {
 public:
  explicit Inbox(std::size_t expected) : answers_(expected) {}

  void Put(std::size_t part, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[part] = std::move(answer);
    ++come_;
    changed_.notify_all();
  }

  // The answers that came within the limit; the others are empty.
  std::vector<Answer> Take(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, limit, [&] { return come_ == answers_.size(); });
    return answers_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Answer> answers_;  // guarded by mutex_
  std::size_t come_ = 0;         // guarded by mutex_
};

// An answer that says what could not be seen.
Answer Unseen(const std::string& name, const std::string& why) {
  return [text = fmt::format("{}: {}", name, why)](Facts& facts) { facts.unseen.push_back(text); };
}

Answer AskGuarded(const Part& part) {
  try {
    return part.ask();
  } catch (const std::exception& error) {
    return Unseen(part.name, error.what());
  }
}

std::vector<Part> Parts(const Sources& sources, const Options& options) {
  return {{"machine", [=] { return AskMachine(sources); }},
          {"container runtime", [=] { return AskRuntime(sources); }},
          {"kubelet", [=] { return AskKubelet(sources); }},
          {"health of the control plane", [=] { return AskHealth(sources); }, true},
          {"certificates and kubeconfig files", [=] { return AskCertificates(sources); }},
          {"etcd", [=] { return AskEtcd(sources); }, true},
          {"manifests", [=] { return AskManifests(sources); }, true},
          {"API", [=] { return AskApi(sources, options); }}};
}

// Components that are asked and do not complain are well, however often they ended before.
void NoteHealthy(Facts& facts) {
  for (const ManifestFact& manifest : facts.manifests) {
    if (!manifest.missing && !facts.unhealthy.contains(manifest.component)) {
      facts.control_plane.healthy.insert(manifest.component);
    }
  }
}

}  // namespace

Role RoleOf(const host::Files& files) {
  const fs::path directory(config::kKubernetesDir);
  const auto any = [&](std::initializer_list<fs::path> paths) {
    for (const fs::path& path : paths) {
      try {
        if (files.Exists(path)) {
          return true;
        }
      } catch (const base::Error&) {
        continue;  // a directory that this user may not enter
      }
    }
    return false;
  };
  if (any({directory / config::kAdminConf, directory / config::kControllerManagerConf,
           components::ManifestPath(components::Component::kApiServer),
           fs::path(config::kDefaultCertificatesDir) / "apiserver.crt"})) {
    return Role::kControlPlane;
  }
  return any({directory / config::kKubeletConf, directory / config::kBootstrapKubeletConf,
              fs::path(kubelet::kConfigFile)})
             ? Role::kWorker
             : Role::kNone;
}

bool IsForbidden(const base::Error& error) {
  return error.kind() == base::Error::Kind::kForbidden ||
         error.message().find("ermission denied") != std::string::npos;
}

Facts Gather(const Sources& sources, const Options& options) {
  Facts facts{.now = Seconds(sources.host.clock.Now()), .role = RoleOf(sources.host.files)};
  facts.machine.hostname = sources.host.machine.Hostname();
  facts.machine.root = sources.host.machine.EffectiveUser() == 0;
  facts.node_name = NodeName(sources.host.files).value_or(config::NodeName(facts.machine.hostname));
  if (facts.role == Role::kNone) {
    return facts;
  }
  std::vector<Part> parts = Parts(sources, options);
  std::erase_if(parts, [&](const Part& part) {
    return part.control_plane_only && facts.role != Role::kControlPlane;
  });
  const auto inbox = std::make_shared<Inbox>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::thread([inbox, i, part = parts[i]] { inbox->Put(i, AskGuarded(part)); }).detach();
  }
  const std::vector<Answer> answers = inbox->Take(options.limit);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (answers[i]) {
      answers[i](facts);
    } else {
      facts.unseen.push_back(parts[i].name + ": no answer in time");
    }
  }
  NoteHealthy(facts);
  return facts;
}

}  // namespace doctor
