// SPDX-License-Identifier: Apache-2.0
#include "reset/node.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace reset {
namespace {

using Kind = base::Error::Kind;
using std::chrono::milliseconds;

constexpr int kTries = 5;
constexpr milliseconds kFirstPause{100};

std::string NameOf(const cri::Sandbox& sandbox) {
  return fmt::format("{}/{} ({})", sandbox.name_space, sandbox.name, sandbox.id);
}

// Returns why the Pod still exists; "" if it was removed.
std::string RemoveOnce(cri::Runtime& runtime, const cri::Sandbox& sandbox) {
  try {
    runtime.StopSandbox(sandbox.id);
    runtime.RemoveSandbox(sandbox.id);
  } catch (const base::Error& error) {
    return error.kind() == Kind::kNotFound ? "" : error.message();
  }
  return "";
}

std::string RemoveSandbox(cri::Runtime& runtime, const cri::Sandbox& sandbox,
                          const Patience& patience, std::chrono::steady_clock::time_point end) {
  milliseconds pause = kFirstPause;
  std::string problem = RemoveOnce(runtime, sandbox);
  for (int i = 1; i < kTries && !problem.empty() && patience.clock.Steady() < end; ++i) {
    patience.clock.Sleep(pause, patience.stop);
    if (patience.stop.stop_requested()) {
      throw base::Interrupted("interrupted while removing Pods");
    }
    pause *= 2;
    problem = RemoveOnce(runtime, sandbox);
  }
  return problem;
}

}  // namespace

std::vector<fs::path> MountsBelow(const host::Mounts& mounts, const fs::path& directory) {
  const std::string prefix = mounts.Resolve(directory).string() + "/";
  std::vector<fs::path> targets;
  for (const host::Mount& mount : mounts.List()) {
    if (mount.target.string().starts_with(prefix)) {
      targets.push_back(mount.target);
    }
  }
  std::ranges::reverse(targets);
  return targets;
}

std::vector<fs::path> UnmountBelow(host::Mounts& mounts, const fs::path& directory,
                                   std::span<const std::string> flags) {
  std::vector<fs::path> passed_over;
  for (const fs::path& target : MountsBelow(mounts, directory)) {
    if (!mounts.Unmount(target, flags)) {
      passed_over.push_back(target);
    }
  }
  return passed_over;
}

RemovedSandboxes RemoveSandboxes(cri::Runtime& runtime, const Patience& patience) {
  RemovedSandboxes removed;
  const auto end = patience.clock.Steady() + patience.limit;
  std::vector<cri::Sandbox> sandboxes;
  try {
    sandboxes = runtime.Sandboxes();
  } catch (const base::Error& error) {
    removed.problems.push_back(error.message());
    return removed;
  }
  for (const cri::Sandbox& sandbox : sandboxes) {
    const std::string problem = patience.clock.Steady() < end
                                    ? RemoveSandbox(runtime, sandbox, patience, end)
                                    : "there was no time left for it";
    if (problem.empty()) {
      ++removed.count;
    } else {
      removed.problems.push_back(fmt::format("Pod {} is left: {}", NameOf(sandbox), problem));
    }
  }
  return removed;
}

}  // namespace reset
