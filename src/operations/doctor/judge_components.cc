// SPDX-License-Identifier: Apache-2.0
// Kubelet, static Pods and their manifests, etcd.
#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "base/strings.h"
#include "config/paths.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

using checks::Confidence;
using checks::Severity;

constexpr int kManyRestarts = 2;
constexpr std::size_t kShownLines = 5;

// Returns the log line with the reason of a kubelet's exit, which precedes its flags. Without such
// a line, returns the last lines.
std::string KubeletWords(const KubeletFacts& kubelet) {
  constexpr std::string_view kMarks[] = {"failed to run Kubelet",         "command failed",
                                         "Failed to load kubelet config", "unknown flag",
                                         "failed to construct kubelet",   "Failed to start"};
  for (const std::string& line : kubelet.last_lines | std::views::reverse) {
    for (const std::string_view mark : kMarks) {
      if (line.find(mark) != std::string::npos) {
        return line;
      }
    }
  }
  const std::size_t shown = std::min(kubelet.last_lines.size(), kShownLines);
  return base::Join(std::span(kubelet.last_lines).last(shown), "\n");
}

std::string DifferenceText(const PodDifference& difference) {
  if (difference.wanted.empty()) {
    return fmt::format("{} {} should not be there", difference.where, difference.found);
  }
  if (difference.found.empty()) {
    return fmt::format("{} {} is missing", difference.where, difference.wanted);
  }
  return fmt::format("{} is {} instead of {}", difference.where, difference.found,
                     difference.wanted);
}

std::string DifferencesText(const std::vector<PodDifference>& differences) {
  std::vector<std::string> lines;
  for (const PodDifference& difference : differences) {
    lines.push_back(DifferenceText(difference));
  }
  return base::Join(lines, "\n");
}

// Returns whether the component fails. An API server may be healthy, but unreachable at the
// configured address.
bool Fails(const std::string& component, const Facts& facts) {
  const auto answers = [](const EndpointFact& endpoint) { return !endpoint.problem; };
  const bool lost = component == config::kApiServer && !facts.endpoints.empty() &&
                    std::ranges::none_of(facts.endpoints, answers);
  return lost || facts.unhealthy.contains(component);
}

std::string ContainerWords(const std::string& component, const Facts& facts) {
  for (const Finding& finding : components::JudgeContainers(facts.control_plane)) {
    if (finding.subject == component) {
      return "\n" + finding.what + ": " + finding.evidence;
    }
  }
  return "";
}

std::string Rewriting(const ManifestFact& manifest) {
  if (manifest.component == config::kEtcd) {
    return "kubeadm init phase etcd local --config FILE";
  }
  return fmt::format("kubeadm init phase control-plane {} --config FILE",
                     manifest.component.substr(std::string_view("kube-").size()));
}

// Judges the content of a manifest. A manual edit is an error if its component fails, otherwise a
// warning.
void JudgeEdit(const ManifestFact& manifest, const Facts& facts, Findings& findings) {
  const bool edited = !manifest.as_written.value_or(false);
  const bool fails = Fails(manifest.component, facts);
  // If the cluster's configuration is unknown, only a file whose component fails is suspicious.
  if (manifest.rendered ? manifest.differences.empty() : manifest.as_written != false || !fails) {
    return;
  }
  if (manifest.rendered && !edited) {
    findings.push_back({.id = "manifest-not-of-config",
                        .severity = Severity::kNote,
                        .subject = manifest.path,
                        .what = fmt::format("{} is as kubeadm wrote it, but the cluster's "
                                            "configuration would now give other content",
                                            manifest.path),
                        .evidence = DifferencesText(manifest.differences),
                        .remedy = "to bring it up to date: " + Rewriting(manifest),
                        .sure = Confidence::kLikely});
    return;
  }
  const std::string seen = manifest.rendered ? DifferencesText(manifest.differences)
                                             : "its content differs from the one that kubeadm "
                                               "wrote";
  findings.push_back(
      {.id = "manifest-edited",
       .severity = fails ? Severity::kError : Severity::kWarning,
       .subject = manifest.path,
       .what = fmt::format("{} was changed manually", manifest.path),
       .evidence = seen + (fails ? ContainerWords(manifest.component, facts) : ""),
       .remedy = "keep the change by 'kubeadm drift --adopt', or write the manifest again: " +
                 Rewriting(manifest),
       .sure = manifest.rendered && manifest.as_written == false ? Confidence::kCertain
                                                                 : Confidence::kLikely});
}

void JudgeManifest(const ManifestFact& manifest, const Facts& facts, Findings& findings) {
  if (manifest.missing) {
    if (manifest.expected) {
      findings.push_back({.id = "manifest-missing",
                          .subject = manifest.path,
                          .what = fmt::format("{} is not there, so {} does not run", manifest.path,
                                              manifest.component),
                          .evidence = "no such file",
                          .remedy = Rewriting(manifest)});
    }
    return;
  }
  if (manifest.problem) {
    findings.push_back(
        {.id = "manifest-invalid",
         .subject = manifest.path,
         .what = fmt::format("{} is not a manifest: the kubelet ignores it", manifest.path),
         .evidence = *manifest.problem,
         .remedy = "fix it, or write it again: " + Rewriting(manifest)});
    return;
  }
  JudgeEdit(manifest, facts, findings);
  if (!manifest.not_running_yet.empty()) {
    findings.push_back(
        {.id = "manifest-not-running",
         .severity = Severity::kWarning,
         .subject = manifest.component,
         .what = fmt::format("{} does not run as {} says", manifest.component, manifest.path),
         .evidence = DifferencesText(manifest.not_running_yet),
         .remedy = "see what the kubelet says: journalctl -xeu kubelet",
         .sure = Confidence::kLikely});
  }
}

// Returns the finding about an alarm. A NOSPACE alarm needs free space. A CORRUPT alarm means that
// the member's data differ from the rest of the cluster; the alarm prevents the member from serving
// these data (https://etcd.io/docs/v3.6/op-guide/data_corruption/).
Finding AlarmOf(const EtcdMemberFact& member, const std::string& name) {
  const std::string alarms = base::Join(member.alarms, ", ");
  if (alarms.contains("CORRUPT")) {
    return {.id = "etcd-corrupt",
            .subject = "etcd member " + name,
            .what = fmt::format("the data of etcd member {} differ from the others'", name),
            .evidence = alarms,
            .remedy =
                "take the member out ('kubeadm reset' on its node), let the node join again, "
                "then: etcdctl alarm disarm; if it is the only member, restore a backup"};
  }
  return {.id = "etcd-alarm",
          .subject = "etcd member " + name,
          .what = fmt::format("etcd member {} has raised an alarm: it takes no more writes", name),
          .evidence = alarms,
          .remedy = "kubeadm etcd defrag --clear-alarm, on a control-plane node"};
}

void JudgeMember(const EtcdMemberFact& member, bool quorum, Findings& findings) {
  const std::string name = member.name.empty() ? member.url : member.name;
  if (!member.alarms.empty()) {
    findings.push_back(AlarmOf(member, name));
  }
  if (!member.problem || !member.alarms.empty()) {
    return;
  }
  findings.push_back(
      {.id = "etcd-member-down",
       .severity = quorum ? Severity::kWarning : Severity::kError,
       .subject = "etcd member " + name,
       .what = !member.started ? fmt::format("etcd member {} was added and has never started", name)
               : quorum        ? fmt::format("etcd member {} does not answer", name)
                        : fmt::format("etcd member {} does not answer, and etcd has no majority "
                                      "without it",
                                      name),
       .evidence = *member.problem,
       .remedy = quorum ? "bring its node back, or remove it: " + member.removal
                        : "bring its node back; if a majority of the members is lost for good: "
                          "'kubeadm etcd recover' on the node of one that is left"});
}

// Returns whether this node's etcd answers no client because it has no leader. A member that has
// restarted serves clients only once it has found a leader.
bool HasNoLeader(const Facts& facts) {
  const auto unhealthy = facts.unhealthy.find(std::string(config::kEtcd));
  return facts.etcd.problem && unhealthy != facts.unhealthy.end() &&
         unhealthy->second.contains("NO LEADER");
}

}  // namespace

void JudgeKubelet(const Facts& facts, Findings& findings) {
  const KubeletFacts& kubelet = facts.kubelet;
  if (kubelet.config_problem) {
    findings.push_back({.id = "kubelet-config-invalid",
                        .subject = "/var/lib/kubelet/config.yaml",
                        .what = "the kubelet's configuration cannot be read",
                        .evidence = *kubelet.config_problem,
                        .remedy = "kubeadm upgrade node phase kubelet-config, or fix the file"});
  }
  const bool dead =
      kubelet.service_known && (kubelet.state == "inactive" || kubelet.state == "failed");
  const bool loops =
      kubelet.service_known && !dead &&
      (kubelet.state == "activating" || (kubelet.unhealthy && kubelet.restarts >= kManyRestarts));
  if (dead) {
    Finding finding = components::KubeletIsDead(KubeletWords(kubelet));
    finding.what = fmt::format("the kubelet does not run: its service is {}", kubelet.state);
    finding.remedy = "systemctl start kubelet; then journalctl -xeu kubelet";
    finding.sure = Confidence::kCertain;
    findings.push_back(std::move(finding));
  } else if (loops) {
    findings.push_back(
        {.id = "kubelet-crash-loop",
         .subject = "kubelet",
         .what = fmt::format("the kubelet ends again and again: {} times since it was started",
                             std::max(kubelet.restarts, 1)),
         .evidence = KubeletWords(kubelet),
         .remedy = "fix what its last log lines name in /var/lib/kubelet/config.yaml or "
                   "kubeadm-flags.env; then systemctl restart kubelet"});
  } else if (kubelet.unhealthy) {
    findings.push_back({.id = "kubelet-unhealthy",
                        .subject = "kubelet",
                        .what = "the kubelet is not healthy",
                        .evidence = *kubelet.unhealthy + (kubelet.last_lines.empty() ? "" : "\n") +
                                    KubeletWords(kubelet),
                        .remedy = "see why: systemctl status kubelet, journalctl -xeu kubelet",
                        .sure = Confidence::kLikely});
  }
  if (kubelet.service_known && !kubelet.enabled) {
    findings.push_back({.id = "kubelet-not-enabled",
                        .severity = Severity::kWarning,
                        .subject = "kubelet",
                        .what = "the kubelet is not started when this machine boots",
                        .evidence = "its service is not enabled",
                        .remedy = "systemctl enable kubelet"});
  }
}

void JudgeManifests(const Facts& facts, Findings& findings) {
  for (const components::Stray& stray : facts.strays) {
    findings.push_back(components::JudgeStray(stray));
    findings.back().id = "manifest-stray";
  }
  for (const ManifestFact& manifest : facts.manifests) {
    JudgeManifest(manifest, facts, findings);
  }
}

void JudgeEtcd(const Facts& facts, Findings& findings) {
  for (Finding& finding : components::JudgeContainers(facts.control_plane)) {
    if (finding.subject == config::kEtcd) {
      findings.push_back(std::move(finding));
    }
  }
  if (HasNoLeader(facts)) {
    findings.push_back(
        {.id = "etcd-no-leader",
         .subject = std::string(config::kEtcd),
         .what =
             "etcd runs here, but serves no client, because its members have no leader: most of "
             "them do not run",
         .evidence = facts.unhealthy.at(std::string(config::kEtcd)),
         .remedy = "start the other control planes; if a majority of the members is lost for good: "
                   "'kubeadm etcd recover --dry-run' shows how to go on with this one"});
  } else if (facts.etcd.problem) {
    findings.push_back({.id = "etcd-not-answering",
                        .subject = std::string(config::kEtcd),
                        .what = "no member of etcd answers",
                        .evidence = *facts.etcd.problem,
                        .remedy = "see its log: crictl logs $(crictl ps -a -q --name etcd | head "
                                  "-1)",
                        .sure = Confidence::kLikely});
  }
  for (const EtcdMemberFact& member : facts.etcd.members) {
    JudgeMember(member, facts.etcd.quorum, findings);
  }
}

void JudgeStaticPods(const Facts& facts, Findings& findings) {
  for (Finding& finding : components::JudgeContainers(facts.control_plane)) {
    if (finding.subject != config::kEtcd) {
      findings.push_back(std::move(finding));
    }
  }
  for (const auto& [component, problem] : facts.unhealthy) {
    const auto container = facts.control_plane.containers.find(component);
    const bool there = container != facts.control_plane.containers.end();
    if (there && !container->second.failures.empty()) {
      continue;  // reported above, with its failures
    }
    if (component == config::kEtcd && HasNoLeader(facts)) {
      continue;  // reported above
    }
    findings.push_back(
        {.id = there ? "component-unhealthy" : "component-not-running",
         .subject = component,
         .what = there ? fmt::format("{} runs, but is not healthy", component)
                       : fmt::format("{} has no container, though there is a manifest", component),
         .evidence = problem,
         .remedy =
             there ? fmt::format("see its log: crictl logs $(crictl ps -q --name {})", component)
                   : "see why the kubelet does not start it: journalctl -xeu kubelet",
         .sure = Confidence::kLikely});
  }
}

}  // namespace doctor
