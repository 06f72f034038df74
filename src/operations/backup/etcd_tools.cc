// SPDX-License-Identifier: Apache-2.0
#include "backup/etcd_tools.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "components/table.h"
#include "json/value.h"
#include "kubelet/local_runtime.h"
#include "kubelet/service.h"
#include "pki/crypto.h"
#include "static_pods/restart.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;
using std::chrono::milliseconds;

constexpr std::string_view kBin = "/usr/local/bin/";  // in the image
constexpr milliseconds kPause{100};
// A snapshot of gigabytes takes long on a slow disk.
constexpr milliseconds kRunLimit{std::chrono::hours(2)};
constexpr milliseconds kSaveLimit{std::chrono::minutes(5)};
constexpr std::size_t kShownLines = 5;

// Programs of a directory, which run as processes of the host.
class HostTools : public EtcdTools {
 public:
  HostTools(host::Host& host, fs::path directory) : host_(host), directory_(std::move(directory)) {}

  host::RunResult Run(std::vector<std::string> argv, const std::stop_token& stop) override {
    argv.front() = (directory_ / argv.front()).string();
    return host_.processes.Run(argv, {.timeout = kRunLimit, .stop = stop});
  }

 private:
  host::Host& host_;
  fs::path directory_;
};

// Runs one saved program of the host, and ignores argv[0].
class SavedTool : public EtcdTools {
 public:
  SavedTool(host::Host& host, fs::path file) : host_(host), file_(std::move(file)) {}

  host::RunResult Run(std::vector<std::string> argv, const std::stop_token& stop) override {
    argv.front() = file_.string();
    return host_.processes.Run(argv, {.timeout = kRunLimit, .stop = stop});
  }

 private:
  host::Host& host_;
  fs::path file_;
};

// Returns a line of a container's log without its leading time, stream and tag (CRI, "logging").
std::string_view MessageOf(std::string_view line) {
  for (int field = 0; field < 3; ++field) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) {
      return line;
    }
    line.remove_prefix(blank + 1);
  }
  return line;
}

// Returns the beginning of the names of Pods whose output is in that directory.
std::string PrefixFor(const fs::path& directory) {
  constexpr std::size_t kDigits = 8;
  return fmt::format("slipway-{}-",
                     base::HexEncode(pki::Sha256(directory.string())).substr(0, kDigits));
}

class ContainerTools : public EtcdTools {
 public:
  ContainerTools(host::Host& host, cri::Runtime& runtime, std::string image,
                 std::vector<fs::path> directories)
      : host_(host),
        runtime_(runtime),
        image_(std::move(image)),
        directories_(std::move(directories)),
        prefix_(PrefixFor(directories_.front())) {
    RemoveLeftovers();
  }

  host::RunResult Run(std::vector<std::string> argv, const std::stop_token& stop) override {
    if (!runtime_.HasImage(image_)) {
      runtime_.PullImage(image_, stop);
    }
    argv.front() = std::string(kBin) + argv.front();
    cri::OneOff container{.name = prefix_ + base::HexEncode(host_.random.Bytes(6)),
                          .image = image_,
                          .command = std::move(argv),
                          .mounts = {},
                          .log_directory = directories_.front().string()};
    for (const fs::path& directory : directories_) {
      container.mounts[host_.files.Location(directory).string()] = directory.string();
    }
    const cri::Started started = runtime_.Start(container);
    const Removed removed(runtime_, started.sandbox_id);
    const int exit_code = WaitForEnd(started.container_id, stop);
    return {.exit_code = exit_code,
            .out = ReadLog(directories_.front() / (container.name + ".log"))};
  }

 private:
  // Removes the Pod with its container at the end of its scope.
  class Removed {
   public:
    Removed(cri::Runtime& runtime, std::string id) : runtime_(runtime), id_(std::move(id)) {}
    ~Removed() {
      try {
        runtime_.StopSandbox(id_);
        runtime_.RemoveSandbox(id_);
      } catch (const Error& error) {
        base::LogInfo(5, "a kubelet removes this Pod later: {}", error.message());
      }
    }
    Removed(const Removed&) = delete;
    Removed& operator=(const Removed&) = delete;

   private:
    cri::Runtime& runtime_;
    std::string id_;
  };

  // Removes Pods that a killed run has left. Only one run at a time uses the directory.
  void RemoveLeftovers() {
    for (const cri::Sandbox& sandbox : runtime_.Sandboxes()) {
      if (sandbox.name.starts_with(prefix_)) {
        const Removed removed(runtime_, sandbox.id);
      }
    }
  }

  int WaitForEnd(const std::string& id, const std::stop_token& stop) {
    for (milliseconds waited{0}; waited < kRunLimit; waited += kPause) {
      const auto found =
          runtime_.Containers([&](const cri::Container& each) { return each.id == id; });
      if (found.empty()) {
        throw Error("the container of etcd's program was removed by another program");
      }
      if (found.front().state == cri::Container::State::kExited) {
        return found.front().exit_code;
      }
      if (!host_.clock.Sleep(kPause, stop)) {
        throw base::Interrupted("stopped while a program of etcd ran");
      }
    }
    throw Error(Error::Kind::kTimeout, "a program of etcd did not end");
  }

  std::string ReadLog(const fs::path& path) {
    std::string text;
    for (const std::string& line : base::Lines(host_.files.Find(path).value_or(""))) {
      text += std::string(MessageOf(line)) + "\n";
    }
    host_.files.Remove(path);
    return text;
  }

  host::Host& host_;
  cri::Runtime& runtime_;
  std::string image_;
  std::vector<fs::path> directories_;
  std::string prefix_;  // of the names of Pods
};

// Returns the directory of etcd's programs in the root of the etcd container that runs in this
// node's static Pod. Returns std::nullopt if no such container has etcdutl.
std::optional<fs::path> FindPrograms(host::Host& host, cri::Runtime& runtime) {
  const static_pods::RunningPod pod =
      static_pods::FindRunning(components::Component::kEtcd, runtime);
  for (const std::string& id : pod.containers) {
    const json::Value info = json::TryParse(runtime.ContainerInfo(id).value_or(""));
    const json::Value& pid = json::At(info, {"pid"});
    if (!pid.is_number_unsigned() || pid == 0) {
      continue;
    }
    fs::path programs = fmt::format("/proc/{}/root{}", pid.get<unsigned>(), kBin);
    if (host.files.Exists(programs / "etcdutl")) {
      return programs;
    }
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<EtcdTools> FindRunningEtcd(host::Host& host, cri::Runtime& runtime) {
  const std::optional<fs::path> programs = FindPrograms(host, runtime);
  return programs ? std::make_unique<HostTools>(host, *programs) : nullptr;
}

bool SaveEtcdutl(host::Host& host, cri::Runtime& runtime, const fs::path& file) {
  const std::optional<fs::path> programs = FindPrograms(host, runtime);
  if (!programs) {
    return false;
  }
  const host::RunResult copied = host.processes.Run(
      {"install", "-m", "0700", "--", (*programs / "etcdutl").string(), file.string()},
      {.timeout = kSaveLimit});
  RequireSuccess(copied, fmt::format("save etcdutl to {}", file.string()));
  return true;
}

std::unique_ptr<EtcdTools> SavedEtcdutl(host::Host& host, const fs::path& file) {
  return std::make_unique<SavedTool>(host, file);
}

std::unique_ptr<EtcdTools> ToolsOfImage(host::Host& host, cri::Runtime& runtime,
                                        const std::string& image,
                                        std::vector<fs::path> directories) {
  return std::make_unique<ContainerTools>(host, runtime, image, std::move(directories));
}

FoundTools FindTools(host::Host& host, const std::string& image, const fs::path& directory) {
  FoundTools found;
  try {
    found.runtime = cri::Connect(kubelet::LocalCriSocket(host));
    found.tools = FindRunningEtcd(host, *found.runtime);
  } catch (const Error& error) {
    found.reason = fmt::format("no container runtime answers here: {}", error.message());
    return found;
  }
  if (found.tools) {
    return found;
  }
  if (kubelet::FindCommandLine(host)) {
    found.reason = "no etcd runs here, and the kubelet would end a container that it does not know";
  } else if (image.empty()) {
    found.reason = "kubeadm did not run the etcd of the backup, so its image is unknown";
  } else {
    found.tools = ToolsOfImage(host, *found.runtime, image, {directory});
  }
  return found;
}

void RequireSuccess(const host::RunResult& result, const std::string& what) {
  if (result.Succeeded()) {
    return;
  }
  std::vector<std::string> lines = base::Lines(result.Combined());
  lines.erase(lines.begin(), lines.size() > kShownLines
                                 ? lines.end() - static_cast<std::ptrdiff_t>(kShownLines)
                                 : lines.begin());
  throw Error(fmt::format("could not {}: {}", what,
                          result.timed_out ? "it took too long" : base::Join(lines, "\n")));
}

}  // namespace backup
