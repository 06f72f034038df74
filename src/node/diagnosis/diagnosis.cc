#include "diagnosis/diagnosis.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"

namespace diagnosis {
namespace {

constexpr std::size_t kLogLines = 60;  // a crash prints its traces after its reason
constexpr std::size_t kShownLines = 5;
constexpr unsigned kCertainExits = 2;
constexpr std::string_view kOutOfMemory = "OOMKilled";

// ComponentRow is a component and what must be well before it can be.
struct ComponentRow {
  std::string_view name;
  std::string_view needs;    // "" for nothing
  std::string_view section;  // of the configuration
};
constexpr std::array<ComponentRow, 4> kComponents{{
    {config::kEtcd, "", "etcd.local"},
    {config::kApiServer, config::kEtcd, "apiServer"},
    {config::kControllerManager, config::kApiServer, "controllerManager"},
    {config::kScheduler, config::kApiServer, "scheduler"},
}};

const ComponentRow* RowOf(std::string_view name) {
  const auto found = std::ranges::find(kComponents, name, &ComponentRow::name);
  return found == kComponents.end() ? nullptr : &*found;
}

// RemedyRow: a line that holds `mark` is healed by `remedy`, in which {0} is the component and {1}
// its section of the configuration.
struct RemedyRow {
  std::string_view mark;
  std::string_view remedy;
  bool heals;
};
constexpr std::array<RemedyRow, 12> kRemedies{{
    {"unknown flag", "remove the argument that {0} does not know from {1}.extraArgs", false},
    {"unknown shorthand flag", "correct the names in {1}.extraArgs", false},
    {"invalid argument", "correct the value in {1}.extraArgs", false},
    {"flag provided but not defined",
     "remove the argument that {0} does not know from {1}.extraArgs", false},
    {"address already in use", "stop the program that uses {0}'s port (see: ss -ltnp)", false},
    {"cannot assign requested address",
     "the advertise address or an address in {1}.extraArgs is not one of this machine's", false},
    {"permission denied", "let {0} read that file, or mount it by {1}.extraVolumes", false},
    {"no such file or directory",
     "create that file, or show it to {0} by {1}.extraVolumes: it sees only mounted paths", false},
    {"x509:",
     "the certificates do not fit together: look at them with kubeadm certs "
     "check-expiration, or remove the ones that are older than their CA",
     true},
    {"no space left on device", "make room on the disk", false},
    {"could not retrieve cluster information",
     "see that the other members of {0} run and that this machine reaches their peer URLs", true},
    {"connection refused", "{0} cannot reach the server that it needs", true},
}};

// Fails tells whether a component fails of itself: what it needs is well.
bool NeedsAreWell(const ComponentRow& row, const ControlPlaneFacts& facts) {
  if (row.needs.empty() || (row.needs == config::kEtcd && facts.external_etcd)) {
    return true;
  }
  const std::string needed(row.needs);
  if (needed == config::kApiServer) {
    return facts.healthy.contains(needed);
  }
  const auto found = facts.containers.find(needed);
  return found != facts.containers.end() && found->second.running;
}

// The line that says why: the last one with a known mark, else the last one.
std::string TellingLine(std::string_view component, const std::vector<std::string>& lines) {
  for (const std::string& line : lines | std::views::reverse) {
    if (RemedyFor(component, line)) {
      return line;
    }
  }
  const std::size_t shown = std::min(lines.size(), kShownLines);
  return base::Join(std::span(lines).last(shown), "\n");
}

Finding Blame(const ComponentRow& row, const ContainerFact& fact, const ControlPlaneFacts& facts) {
  Finding diagnosis{.id = "component-exits",
                    .culprit = fact.name,
                    .what = fmt::format("{} has exited {} time{}, last with code {}", fact.name,
                                        fact.exits, fact.exits == 1 ? "" : "s", fact.exit_code),
                    .evidence = TellingLine(fact.name, fact.last_lines)};
  const auto remedy = RemedyFor(fact.name, diagnosis.evidence);
  if (fact.reason == kOutOfMemory) {
    diagnosis.what += " (out of memory)";
    diagnosis.remedy = "give the machine more memory";
  } else if (remedy) {
    diagnosis.remedy = remedy->text;
  } else {
    diagnosis.remedy =
        fmt::format("read the whole log: crictl ps -a --name {}, then crictl logs", fact.name);
  }
  const bool stays = remedy && !remedy->heals;
  // What needs nothing of this node may need others' (etcd its other members), of which the facts
  // know nothing.
  const bool may_heal = remedy && remedy->heals && row.needs.empty();
  const bool certain =
      fact.exits >= kCertainExits && (stays || (NeedsAreWell(row, facts) && !may_heal));
  diagnosis.sure = certain ? Sureness::kCertain : Sureness::kLikely;
  return diagnosis;
}

// FailedOfItself: stopped by somebody (the kubelet after a changed manifest or a failed probe, this
// program, a user) a container ends with 0 or by SIGTERM or SIGKILL, which says nothing against it.
bool FailedOfItself(const cri::Container& container) {
  constexpr int kKilled = 128 + 9;
  constexpr int kTerminated = 128 + 15;
  if (container.state != cri::Container::State::kExited) {
    return false;
  }
  return container.reason == kOutOfMemory ||
         (container.exit_code != 0 && container.exit_code != kKilled &&
          container.exit_code != kTerminated);
}

// Exits are counted one by one. The attempt number of a container is no count of them: the kubelet
// goes on from the logs that an earlier Pod of the same name left, and counts what was stopped,
// too.
void AddContainers(const std::vector<cri::Container>& all, const FactSources& sources,
                   ControlPlaneFacts& facts) {
  std::map<std::string, const cri::Container*> newest_exits;
  for (const cri::Container& container : all) {
    const bool ended = container.state == cri::Container::State::kExited;
    if (RowOf(container.name) == nullptr || (ended && container.finished < sources.since)) {
      continue;
    }
    ContainerFact& fact = facts.containers[container.name];
    fact.name = container.name;
    fact.running = fact.running || container.state == cri::Container::State::kRunning;
    if (FailedOfItself(container)) {
      fact.failed.insert(container.id);
      fact.exits = static_cast<unsigned>(fact.failed.size());
      const cri::Container*& newest = newest_exits[container.name];
      if (newest == nullptr || newest->finished <= container.finished) {
        newest = &container;
      }
    }
  }
  for (const auto& [name, container] : newest_exits) {
    ContainerFact& fact = facts.containers.at(name);
    fact.exit_code = container->exit_code;
    fact.reason = container->reason;
    fact.last_lines =
        LastLogLines(sources.host.files.Find(container->log_path).value_or(""), kLogLines);
  }
}

// Guarded runs `ask` and returns what went wrong.
template <typename Ask>
std::optional<std::string> Guarded(const Ask& ask) {
  try {
    ask();
    return std::nullopt;
  } catch (const base::Error& error) {
    return error.message();
  }
}

}  // namespace

Finding KubeletIsDead(const std::string& problem) {
  return {.id = "kubelet-not-running",
          .culprit = "kubelet",
          .what = "the kubelet is not running",
          .evidence = problem,
          .remedy = "see why: systemctl status kubelet, journalctl -xeu kubelet",
          .sure = Sureness::kLikely};
}

Finding RuntimeIsDead(const std::string& problem) {
  return {.id = "runtime-not-answering",
          .culprit = "container runtime",
          .what = "the container runtime does not answer",
          .evidence = problem,
          .remedy = "start it, or set nodeRegistration.criSocket to the one that runs",
          .sure = Sureness::kLikely};
}

std::optional<Remedy> RemedyFor(std::string_view component, std::string_view line) {
  const ComponentRow* component_row = RowOf(component);
  for (const RemedyRow& row : kRemedies) {
    if (line.find(row.mark) != std::string_view::npos) {
      const std::string_view section =
          component_row == nullptr ? component : component_row->section;
      return Remedy{.text = fmt::format(fmt::runtime(row.remedy), component, section),
                    .heals = row.heals};
    }
  }
  return std::nullopt;
}

std::vector<Finding> JudgeContainers(const ControlPlaneFacts& facts) {
  std::vector<Finding> findings;
  for (const ComponentRow& row : kComponents) {
    const auto found = facts.containers.find(std::string(row.name));
    if (found != facts.containers.end() && found->second.exits > 0 &&
        !facts.healthy.contains(found->first)) {
      findings.push_back(Blame(row, found->second, facts));
    }
  }
  return findings;
}

std::optional<Finding> Diagnose(const ControlPlaneFacts& facts) {
  const std::vector<Finding> exits = JudgeContainers(facts);
  const auto certain = std::ranges::find(exits, Sureness::kCertain, &Finding::sure);
  if (certain != exits.end()) {
    return *certain;
  }
  if (facts.kubelet_problem) {
    return KubeletIsDead(*facts.kubelet_problem);
  }
  if (facts.runtime_problem) {
    return RuntimeIsDead(*facts.runtime_problem);
  }
  return exits.empty() ? std::nullopt : std::optional(exits.front());
}

void FailureMemory::AddTo(ControlPlaneFacts& facts) {
  for (auto& [name, fact] : facts.containers) {
    std::set<std::string>& failed = failed_[name];
    failed.insert(fact.failed.begin(), fact.failed.end());
    if (fact.exits > 0) {
      fact.exits = std::max(fact.exits, static_cast<unsigned>(failed.size()));
    }
  }
}

ControlPlaneFacts GatherFacts(const FactSources& sources) {
  ControlPlaneFacts facts;
  if (sources.runtime != nullptr) {
    facts.runtime_problem =
        Guarded([&] { AddContainers(sources.runtime->Containers(), sources, facts); });
  }
  if (sources.init_system != nullptr) {
    bool active = false;
    facts.kubelet_problem = Guarded([&] { active = sources.init_system->IsActive("kubelet"); });
    if (!active && !facts.kubelet_problem) {
      facts.kubelet_problem = "its service is not active";
    }
  }
  return facts;
}

std::vector<std::string> LastLogLines(std::string_view log, std::size_t count) {
  // A long log must not be cut into all its lines for the last few.
  constexpr std::size_t kTail = 16'384;
  const bool cut = log.size() > kTail;
  std::vector<std::string> lines = base::Lines(cut ? log.substr(log.size() - kTail) : log);
  std::vector<std::string> messages;
  for (std::size_t i = lines.size(); i-- > (cut ? 1U : 0U) && messages.size() < count;) {
    std::string_view message = lines[i];
    for (int field = 0; field < 3; ++field) {
      const std::size_t blank = message.find(' ');
      message = blank == std::string_view::npos ? "" : message.substr(blank + 1);
    }
    if (!base::Trim(message).empty()) {
      messages.emplace_back(message);
    }
  }
  std::ranges::reverse(messages);
  return messages;
}

}  // namespace diagnosis
