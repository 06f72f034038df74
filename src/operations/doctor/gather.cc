// SPDX-License-Identifier: Apache-2.0
#include "doctor/gather.h"

#include <fmt/core.h>

#include <mutex>
#include <stop_token>

#include "base/threads.h"
#include "config/paths.h"
#include "doctor/parts.h"
#include "kubelet/node_config.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

struct Part {
  std::string name;
  std::function<Answer(const std::stop_token& stop)> ask;
  Role from = Role::kWorker;  // the least role for which the part is queried
};

// Collects the answers within the limit. The clock must outlive it.
class Inbox {
 public:
  Inbox(std::size_t expected, host::Clock& clock) : clock_(clock), answers_(expected) {}

  void Put(std::size_t part, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_[part] = std::move(answer);
    if (++come_ == answers_.size()) {
      all_come_.request_stop();
    }
  }

  // Returns the answers that arrived within the limit. The others are empty.
  std::vector<Answer> Take(std::chrono::milliseconds limit) {
    clock_.Sleep(limit, all_come_.get_token());
    const std::lock_guard lock(mutex_);
    return answers_;
  }

 private:
  host::Clock& clock_;
  std::stop_source all_come_;  // stopped when all answers have arrived, to end the wait
  std::mutex mutex_;
  std::vector<Answer> answers_;  // guarded by mutex_
  std::size_t come_ = 0;         // guarded by mutex_
};

// Runs processes until a stop request, which kills all running commands, whatever thread has
// started them. The wrapped processes must outlive the object.
class StoppedProcesses : public host::Processes {
 public:
  StoppedProcesses(host::Processes& real, std::stop_token stop)
      : real_(real), stop_(std::move(stop)) {}
  std::optional<std::string> FindExecutable(std::string_view name) const override {
    return real_.FindExecutable(name);
  }
  std::string OwnProgram() const override { return real_.OwnProgram(); }
  host::RunResult Run(const std::vector<std::string>& argv,
                      const host::RunOptions& options) override {
    host::RunOptions stopped = options;
    stopped.stop = stop_;
    return real_.Run(argv, stopped);
  }

 private:
  host::Processes& real_;
  const std::stop_token stop_;
};

// Returns an answer that adds the part to Facts::unseen.
Answer Unseen(const std::string& name, const std::string& why) {
  return [text = fmt::format("{}: {}", name, why)](Facts& facts) { facts.unseen.push_back(text); };
}

Answer AskGuarded(const Part& part, const std::stop_token& stop) {
  try {
    return part.ask(stop);
  } catch (const base::Interrupted&) {
    // The query was stopped at the time limit, so Take no longer waits for its answer.
    return {};
  } catch (const std::exception& error) {
    return Unseen(part.name, error.what());
  }
}

std::vector<Part> Parts(const DoctorSources& sources, const CollectOptions& options) {
  using Stop = const std::stop_token&;
  return {{"machine", [=](Stop) { return CollectMachine(sources); }, Role::kNone},
          {"container runtime", [=](Stop stop) { return CollectRuntime(sources, stop); }},
          {"kubelet", [=](Stop stop) { return CollectKubelet(sources, stop); }},
          {"health of the control plane", [=](Stop stop) { return CollectHealth(sources, stop); },
           Role::kControlPlane},
          {"certificates and kubeconfig files", [=](Stop) { return CollectCertificates(sources); }},
          {"etcd", [=](Stop) { return CollectEtcd(sources); }, Role::kControlPlane},
          {"manifests", [=](Stop) { return CollectManifests(sources); }, Role::kControlPlane},
          {"backups", [=](Stop) { return CollectBackup(sources); }, Role::kControlPlane},
          {"API", [=](Stop stop) { return CollectApi(sources, options, stop); }}};
}

// Runs all queries concurrently. After the limit, stops the unfinished queries and waits until they
// have ended. The answers of stopped queries are empty.
std::vector<Answer> AskAll(const std::vector<Part>& parts, std::stop_source& stop, Inbox& inbox,
                           std::chrono::milliseconds limit) {
  base::Threads threads;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    threads.Add([&inbox, &part = parts[i], i, token = stop.get_token()] {
      Answer answer = AskGuarded(part, token);
      inbox.Put(i, std::move(answer));
    });
  }
  std::vector<Answer> answers = inbox.Take(limit);
  stop.request_stop();
  threads.Join();
  return answers;
}

// Records components without problems as healthy, however often they have ended before.
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

Facts Collect(const DoctorSources& sources, const CollectOptions& options) {
  Facts facts{.now = Seconds(sources.host.clock.Now()), .role = RoleOf(sources.host.files)};
  facts.machine.hostname = sources.host.machine.Hostname();
  facts.machine.root = sources.host.machine.EffectiveUser() == 0;
  facts.node_name = NodeName(sources.host.files).value_or(config::NodeName(facts.machine.hostname));
  std::stop_source stop;
  StoppedProcesses processes(sources.host.processes, stop.get_token());
  const host::Host& given = sources.host;
  host::Host host{.files = given.files,
                  .processes = processes,
                  .clock = given.clock,
                  .random = given.random,
                  .environment = given.environment,
                  .network = given.network,
                  .machine = given.machine,
                  .signals = given.signals,
                  .mounts = given.mounts};
  std::vector<Part> parts = Parts({.host = host,
                                   .config_facts = sources.config_facts,
                                   .cri_socket = sources.cri_socket,
                                   .connect_runtime = sources.connect_runtime,
                                   .connect_etcd = sources.connect_etcd},
                                  options);
  std::erase_if(parts, [&](const Part& part) { return facts.role < part.from; });
  Inbox inbox(parts.size(), host.clock);
  const std::vector<Answer> answers = AskAll(parts, stop, inbox, options.limit);
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
