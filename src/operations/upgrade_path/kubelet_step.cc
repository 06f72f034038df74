// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/kubelet_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "kube/wait.h"
#include "kubelet/cluster_keys.h"
#include "kubelet/service.h"
#include "kubelet/version.h"
#include "objects/node.h"

namespace upgrade_path {
namespace {

using base::Error;
namespace fs = host::fs;

constexpr const char* kKubelet = "kubelet";
constexpr std::chrono::minutes kCommandLimit{15};

// Returns the last line of the output, which is the most informative one.
std::string LastWords(const host::RunResult& result) {
  const std::vector<std::string> lines = base::Lines(base::Trim(result.Combined()));
  return lines.empty() ? "it said nothing" : lines.back();
}

void Run(host::Host& host, const std::vector<std::string>& argv, const std::stop_token& stop) {
  const host::RunResult result = host.processes.Run(argv, {.stop = stop});
  if (!result.Succeeded()) {
    throw Error(fmt::format("{} failed: {}", base::Join(argv, " "), LastWords(result)));
  }
}

// Returns the target of a link such as /usr/bin/kubelet, because the target is the file to replace.
std::string Resolved(host::Host& host, const std::string& path) {
  const host::RunResult result =
      host.processes.Run({"readlink", "-f", path}, {.effect = host::Effect::kAsks});
  const std::string_view target = base::Trim(result.out);
  return result.Succeeded() && !target.empty() ? std::string(target) : path;
}

// Replaces the program by a rename, because a running program cannot be overwritten.
void Replace(const KubeletStep& step, const fs::path& source) {
  const auto found = step.host.processes.FindExecutable(kKubelet);
  if (!found) {
    throw Error(Error::Kind::kNotFound,
                "no kubelet found in PATH to replace: install it there first");
  }
  const std::string program = Resolved(step.host, *found);
  const std::string next = program + ".next";
  if (kubelet::CollectVersion(step.host, program) == step.version) {
    return;  // an interrupted run has installed it, and has kept the old program
  }
  step.say(fmt::format("Putting {} in place of {}; the old one is kept as {}.previous",
                       source.string(), program, program));
  Run(step.host, {"install", "-m", "0755", source.string(), next}, step.stop);
  Run(step.host, {"sync", next}, step.stop);
  Run(step.host, {"ln", "-f", program, program + ".previous"}, step.stop);
  Run(step.host, {"mv", "-f", next, program}, step.stop);
  Run(step.host, {"sync", fs::path(program).parent_path().string()}, step.stop);
}

void RunCommand(const KubeletStep& step) {
  step.say(fmt::format("Running the command that brings the kubelet to {}: {}",
                       step.version.TextWithV(), step.command));
  const host::RunResult result = step.host.processes.Run(
      {"sh", "-c", step.command},
      {.environment = {{"KUBELET_VERSION", step.version.Text()}, {"NODE_NAME", step.node}},
       .talk = host::Talk::kErrorsToUser,
       .timeout = kCommandLimit,
       .stop = step.stop});
  if (result.timed_out) {
    throw Error(Error::Kind::kTimeout, fmt::format("the command of --upgrade-kubelet-command did "
                                                   "not end within {} minutes: run it by hand, "
                                                   "then the same kubeadm command again",
                                                   kCommandLimit.count()));
  }
  if (!result.Succeeded()) {
    throw Error(
        fmt::format("the command of --upgrade-kubelet-command ended with status {}: {}; "
                    "correct it, then run the same kubeadm command again",
                    result.exit_code, LastWords(result)));
  }
}

void Restart(const KubeletStep& step) {
  if (!kubelet::RestartIfService(step.host)) {
    step.say("There is no service of the kubelet that kubeadm knows: restart the kubelet yourself");
  }
}

std::optional<kube::NotYet> Ask(const KubeletStep& step) {
  const json::Value node = step.client.Get({kube::resources::kNode, "", step.node});
  const std::string runs = json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"});
  if (runs != step.version.TextWithV()) {
    return kube::NotYet{fmt::format("the cluster has it at {}", runs)};
  }
  return objects::IsReady(node) ? std::nullopt
                                : std::optional(kube::NotYet{"the node is not Ready"});
}

}  // namespace

std::vector<KubeletProgram> FindKubelets(host::Host& host, const fs::path& directory) {
  std::vector<KubeletProgram> programs;
  for (const std::string& entry : host.files.List(directory)) {
    const fs::path program = directory / entry / kKubelet;
    if (!host.files.Exists(program)) {
      continue;
    }
    const auto version = kubelet::CollectVersion(host, program);
    if (!version) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("{} does not report its version: is it a kubelet for this machine?",
                              program.string()));
    }
    programs.push_back({.version = *version, .path = program});
  }
  if (programs.empty()) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format("no kubelet was found in {}: it needs a directory for each version, with "
                    "the program in it ({}/kubelet)",
                    directory.string(), (directory / "v1.36.3").string()));
  }
  return programs;
}

std::optional<std::string> FindKubeletKeyHazard(
    const std::string& algorithm, const std::vector<control_plane::NodeVersion>& kubelets) {
  for (const control_plane::NodeVersion& each : kubelets) {
    if (const auto problem = kubelet::KeyProblem(algorithm, each.node, each.version)) {
      return fmt::format(
          "the upgrade renews certificates with keys of encryptionAlgorithm {}: {}. Set the field "
          "back in ConfigMap \"kubeadm-config\" until all kubelets are upgraded, or use "
          "--certificate-renewal=false",
          algorithm, *problem);
    }
  }
  return std::nullopt;
}

void BringKubelet(const KubeletStep& step) {
  const auto since = step.host.clock.Now();
  if (step.command.empty()) {
    const auto found = std::ranges::find(step.programs, step.version, &KubeletProgram::version);
    if (found == step.programs.end()) {
      throw Error(
          Error::Kind::kNotFound,
          fmt::format("the directory of --node-packages has no kubelet of {0}: add {0}/kubelet",
                      step.version.TextWithV()));
    }
    Replace(step, found->path);
  } else {
    RunCommand(step);
  }
  Restart(step);
  base::WithContext(fmt::format("the kubelet of this node was brought to {} and does not serve",
                                step.version.TextWithV()),
                    [&] {
                      kube::WaitUntil(
                          kube::PatientProbe([&](const std::stop_token&) { return Ask(step); }),
                          {.clock = step.host.clock,
                           .most = std::chrono::milliseconds(500),
                           .limit = step.limit,
                           .stop = step.stop,
                           .culprit = kubelet::KubeletCulprit(step.host, since)});
                    });
  step.say(fmt::format("The kubelet of this node serves at {}", step.version.TextWithV()));
}

}  // namespace upgrade_path
