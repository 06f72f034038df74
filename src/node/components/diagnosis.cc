// SPDX-License-Identifier: Apache-2.0
#include "components/diagnosis.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "components/causes.h"
#include "components/table.h"

namespace components {
namespace {

constexpr std::size_t kFailuresOfACertainOne = 2;
constexpr std::string_view kOutOfMemory = "OOMKilled";

namespace fs = std::filesystem;
using checks::Confidence;
using checks::Finding;
using checks::Findings;
using components::ComponentRow;

bool LiesIn(const fs::path& path, const std::string& directory) {
  const fs::path without_slash = (fs::path(directory) / "").lexically_normal().parent_path();
  return std::ranges::mismatch(without_slash, path).in1 == without_slash.end();
}

// Returns whether a missing file may still be created. A file in a mounted directory may, even
// among the certificates, because any program can write it. A file outside of all mounts cannot
// appear, because each container starts with the content of its image.
bool CanCome(const fs::path& file, const ContainerFact& fact) {
  // The runtime mounts something there in any container; /var/run is usually a link to /run.
  static const std::vector<std::string> kOfRuntime{"/dev", "/proc", "/run", "/sys", "/var/run"};
  const auto holds = [&](const std::string& mount) {
    return LiesIn(file.lexically_normal(), mount);
  };
  return !fact.mounts || std::ranges::any_of(kOfRuntime, holds) ||
         std::ranges::any_of(*fact.mounts, holds);
}

// Returns whether one of the container's missing files may still appear; true if unknown.
bool FilesCanCome(std::string_view words, const ContainerFact& fact) {
  const std::vector<std::string> files = MissingFiles(words);
  return files.empty() ||
         std::ranges::any_of(files, [&](const fs::path& file) { return CanCome(file, fact); });
}

// Returns whether the cause of a container's reason line may disappear. Returns true for an unknown
// cause.
bool CanPass(std::string_view words, const ContainerFact& fact, const ControlPlaneFacts& facts) {
  const Cause* cause = CauseOf(words);
  if (cause == nullptr) {
    return true;
  }
  switch (cause->passing) {
    case Passing::kNever:
      return false;
    case Passing::kPerhaps:
      return true;
    case Passing::kWithItsFile:
      return FilesCanCome(words, fact);
    case Passing::kWithDiskRoom:
      return !facts.disk_full;
  }
  return true;
}

bool IsCertain(const ContainerFact& fact, const ControlPlaneFacts& facts) {
  // The running container or the kubelet's next attempt may still succeed.
  if (fact.running || fact.failures.size() < kFailuresOfACertainOne) {
    return false;
  }
  const std::optional<std::string> last = LastWords(fact.failures.back().last_lines);
  const std::optional<std::string> before =
      LastWords(fact.failures[fact.failures.size() - 2].last_lines);
  return last && before && SameWords(*last, *before) && !CanPass(*last, fact, facts);
}

std::string Remedy(const ComponentRow& row, const Failure& last, const std::string& evidence) {
  if (last.reason == kOutOfMemory) {
    return "give the machine more memory";
  }
  if (const Cause* cause = CauseOf(evidence)) {
    return RemedyOf(*cause, row.name, row.section);
  }
  return fmt::format("read the whole log: crictl ps -a --name {}, then crictl logs", row.name);
}

Finding Blame(const ComponentRow& row, const ContainerFact& fact, const ControlPlaneFacts& facts) {
  const Failure& last = fact.failures.back();
  const std::size_t count = fact.failures.size();
  const std::string evidence = TellingLines(last.last_lines);
  return {.id = "component-exits",
          .subject = fact.name,
          .what = fmt::format("{} has exited {} time{}, last with code {}{}", fact.name, count,
                              count == 1 ? "" : "s", last.exit_code,
                              last.reason == kOutOfMemory ? " (out of memory)" : ""),
          .evidence = evidence,
          .remedy = Remedy(row, last, evidence),
          .sure = IsCertain(fact, facts) ? Confidence::kCertain : Confidence::kLikely};
}

}  // namespace

Finding KubeletIsDead(const std::string& problem) {
  return {.id = "kubelet-not-running",
          .subject = "kubelet",
          .what = "the kubelet is not running",
          .evidence = problem,
          .remedy = "see why: systemctl status kubelet, journalctl -xeu kubelet",
          .sure = Confidence::kLikely};
}

Finding RuntimeIsDead(const std::string& problem) {
  return {.id = "runtime-not-answering",
          .subject = "container runtime",
          .what = "the container runtime does not answer",
          .evidence = problem,
          .remedy = "start it, or set nodeRegistration.criSocket to the one that runs",
          .sure = Confidence::kLikely};
}

Findings JudgeContainers(const ControlPlaneFacts& facts) {
  Findings findings;
  for (const components::Component component : components::kComponents) {
    const ComponentRow& row = components::RowOf(component);
    const auto found = facts.containers.find(std::string(row.name));
    if (found != facts.containers.end() && !found->second.failures.empty() &&
        !facts.healthy.contains(found->first)) {
      findings.push_back(Blame(row, found->second, facts));
    }
  }
  return findings;
}

std::optional<Finding> Diagnose(const ControlPlaneFacts& facts) {
  const Findings failing = JudgeContainers(facts);
  const auto certain = std::ranges::find(failing, Confidence::kCertain, &Finding::sure);
  if (certain != failing.end()) {
    return *certain;
  }
  if (facts.kubelet_problem) {
    return KubeletIsDead(*facts.kubelet_problem);
  }
  if (facts.runtime_problem) {
    return RuntimeIsDead(*facts.runtime_problem);
  }
  return failing.empty() ? std::nullopt : std::optional(failing.front());
}

std::optional<Finding> NeverStarted(std::span<const std::string> components,
                                    const ControlPlaneFacts& facts) {
  const auto missing = std::ranges::find_if(components, [&](const std::string& component) {
    return !facts.containers.contains(component);
  });
  if (!facts.containers_known || missing == components.end()) {
    return std::nullopt;
  }
  return Finding{.id = "component-never-started",
                 .subject = *missing,
                 .what = fmt::format("no container of {} has been made", *missing),
                 .evidence =
                     "the container runtime has no container of it from this run, neither "
                     "running nor ended",
                 .remedy =
                     "see why the kubelet cannot start its Pod (an image, the sandbox): "
                     "journalctl -u kubelet, crictl pods, crictl images",
                 .sure = Confidence::kLikely};
}

}  // namespace components
