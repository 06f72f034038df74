// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/kubelet_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "kube/wait.h"
#include "kubelet/cluster_keys.h"
#include "kubelet/service.h"
#include "kubelet/version.h"
#include "kubelet/wait.h"
#include "objects/node.h"

namespace upgrade_path {
namespace {

using base::Error;

constexpr std::chrono::minutes kCommandLimit{15};
constexpr std::chrono::minutes kRestoreLimit{2};  // for the previous kubelet to be Ready again

void RunCommand(const KubeletStep& step, const base::Version& version) {
  step.say(fmt::format("Running the command that brings the kubelet to {}: {}", version.TextWithV(),
                       step.command));
  const host::RunResult result = step.host.processes.Run(
      {"sh", "-c", step.command},
      {.environment = {{"KUBELET_VERSION", version.Text()}, {"NODE_NAME", step.node}},
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
                    result.exit_code, LastLineOf(result)));
  }
}

void Restart(const KubeletStep& step) {
  if (!kubelet::RestartIfService(step.host)) {
    step.say("There is no service of the kubelet that kubeadm knows: restart the kubelet yourself");
  }
}

// Restarts the kubelet, and waits until the node is Ready with the version. Without a version, any
// version except the step's is accepted.
void AwaitKubelet(const KubeletStep& step, const std::optional<base::Version>& version,
                  std::chrono::milliseconds limit) {
  const auto since = step.host.clock.Now();
  Restart(step);
  if (!version) {
    kubelet::RequireRunning(step.host, step.stop);  // the Node can be out of date
  }
  const auto ask = [&](const std::stop_token&) -> std::optional<kube::NotYet> {
    const json::Value node = step.client.Get({kube::resources::kNode, "", step.node});
    const std::string runs = json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"});
    const bool wanted = version ? runs == version->TextWithV() : runs != step.version.TextWithV();
    if (!wanted) {
      return kube::NotYet{fmt::format("the cluster has it at {}", runs)};
    }
    return objects::IsReady(node) ? std::nullopt
                                  : std::optional(kube::NotYet{"the node is not Ready"});
  };
  try {
    kube::WaitUntil(kube::PatientProbe(ask),
                    {.clock = step.host.clock,
                     .most = std::chrono::milliseconds(500),
                     .limit = limit,
                     .stop = step.stop,
                     .culprit = kubelet::KubeletCulprit(step.host, since)});
  } catch (const Error& error) {
    const std::string words =
        error.kind() == Error::Kind::kTimeout ? kubelet::LastWords(step.host, since) : "";
    throw Error(error.kind(), words.empty() ? error.message()
                                            : fmt::format("{}; the kubelet's last words:\n{}",
                                                          error.message(), words));
  }
}

// Calls `restore`, which returns whether it restored the previous kubelet, and waits for that
// kubelet. Throws `failure`, with the result added to its message if a kubelet was to be restored.
[[noreturn]] void FailAfter(const KubeletStep& step, const Error& failure,
                            const std::function<bool()>& restore) {
  std::string message = failure.message();
  try {
    if (restore()) {
      step.say("Restored the previous kubelet; waiting until it serves");
      AwaitKubelet(step, std::nullopt, kRestoreLimit);
      message = "the previous kubelet was restored and serves, because " + message;
    }
  } catch (const Error& error) {
    message += "; the previous kubelet could not be restored: " + error.message();
  }
  throw Error(failure.kind(), message);
}

// Installs the kubelet and waits for it. Calls `restore` as FailAfter does if that fails.
void InstallOrRestore(const KubeletStep& step, const std::function<void()>& install,
                      const std::function<bool()>& restore) {
  try {
    install();
    base::WithContext(fmt::format("the kubelet of this node was brought to {} and does not serve",
                                  step.version.TextWithV()),
                      [&] { AwaitKubelet(step, step.version, step.limit); });
  } catch (const Error& error) {
    FailAfter(step, error, restore);
  }
}

void BringByFile(const KubeletStep& step) {
  const auto found = std::ranges::find(step.programs, step.version, &KubeletProgram::version);
  if (found == step.programs.end()) {
    throw Error(
        Error::Kind::kNotFound,
        fmt::format("the directory of --node-packages has no kubelet of {0}: add {0}/kubelet",
                    step.version.TextWithV()));
  }
  KubeletFile file(step.host, *found, step.stop);
  step.say(fmt::format("Replacing {} by {}", file.path().string(), found->path.string()));
  InstallOrRestore(step, [&] { file.Install(); }, [&] { return file.Restore(); });
  file.Confirm();
}

// The previous version is that of the installed kubelet. An interrupted run may have changed it.
void BringByCommand(const KubeletStep& step) {
  const kubelet::ProgramVersion previous = kubelet::CollectVersion(step.host);
  InstallOrRestore(
      step, [&] { RunCommand(step, step.version); },
      [&] {
        if (!previous || *previous == step.version) {
          return false;
        }
        if (kubelet::CollectVersion(step.host) != previous) {
          RunCommand(step, *previous);
        }
        return true;
      });
}

}  // namespace

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

bool HasUnconfirmedKubelet(host::Host& host, const std::vector<KubeletProgram>& programs,
                           const std::stop_token& stop) {
  return std::ranges::any_of(programs, [&](const KubeletProgram& program) {
    // A program cannot have been replaced where no kubelet is in PATH.
    return (program.IsExtension() || host.processes.FindExecutable("kubelet")) &&
           KubeletFile(host, program, stop).IsUnconfirmed();
  });
}

void BringKubelet(const KubeletStep& step) {
  if (step.command.empty()) {
    BringByFile(step);
  } else {
    BringByCommand(step);
  }
  step.say(fmt::format("The kubelet of this node serves at {}", step.version.TextWithV()));
}

}  // namespace upgrade_path
