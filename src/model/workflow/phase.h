// SPDX-License-Identifier: Apache-2.0
// Phase: one step of a workflow, as a value. The whole run, a command for each phase, help,
// --skip-phases, progress, events and the journal come from one list of phases.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "workflow/context.h"

namespace workflow {

// The command `all` of a group: it runs the group and every child.
struct AllSiblings {
  std::string summary;
  std::string long_text;
  std::string example;
  std::vector<std::string> flags;
  std::string usage_args;
  std::optional<int> max_args;
};

// One row of a command's list of phases. All phases of the command share `Data`. Phases may run
// concurrently, so a phase may read another phase's data only if it needs an artifact of that
// phase.
template <typename Data>
struct Phase {
  std::string name;
  std::string summary;
  std::string long_text;  // if "", the summary is used
  std::string example;
  std::vector<std::string> aliases;  // of the phase's command; --skip-phases does not accept them
  std::vector<std::string> flags;    // names of flags that the phase's command offers
  std::string usage_args;
  std::optional<int> max_args;  // of the phase's command; if not set, PhaseCommands::max_args
  bool hidden = false;          // no command and no line in help, but runs and can be skipped
  bool only_looks = false;      // changes nothing on this node

  // `needs` and `makes` are names of artifacts. A phase starts when all earlier phases that make
  // its needs are done. The needs of a group also apply to its children; the artifacts of a group
  // exist when its children are done. The artifacts of a skipped phase count as present as soon as
  // that phase could have begun. If a phase is run alone, all artifacts count as present.
  std::vector<std::string> needs;
  std::vector<std::string> makes;
  // Artifacts that a later phase of the list makes, for example the phase that starts the kubelet.
  // If a run contains the maker, this phase runs after it; otherwise this phase does not wait. Only
  // for phases without children.
  std::vector<std::string> awaits;
  std::vector<std::string> depends_on;  // paths of phases that must run before this one

  // The condition of the phase and its children. If it is empty, they always run.
  std::function<bool(const Data&)> when;
  // Runs before the children. It is empty for a phase that only groups its children.
  std::function<void(Data&, Context&)> run;
  std::optional<AllSiblings> all;
  std::vector<Phase> children;
};

// A Data whose type only the phases know.
struct AnyData {
  void* pointer = nullptr;
  const std::type_info* type = nullptr;
};
// A phase of a command whose data only its own functions know.
using AnyPhase = Phase<AnyData>;

// Returns whether a phase has no visible children, so that users see it as one phase.
bool IsOne(const AnyPhase& phase);

// Hides the type of the phases' data, so that the other functions are compiled only once.
template <typename Data>
std::vector<AnyPhase> Erase(const std::vector<Phase<Data>>& phases) {
  std::vector<AnyPhase> erased;
  erased.reserve(phases.size());
  for (const Phase<Data>& phase : phases) {
    AnyPhase any{.name = phase.name,
                 .summary = phase.summary,
                 .long_text = phase.long_text,
                 .example = phase.example,
                 .aliases = phase.aliases,
                 .flags = phase.flags,
                 .usage_args = phase.usage_args,
                 .max_args = phase.max_args,
                 .hidden = phase.hidden,
                 .only_looks = phase.only_looks,
                 .needs = phase.needs,
                 .makes = phase.makes,
                 .awaits = phase.awaits,
                 .depends_on = phase.depends_on,
                 .all = phase.all,
                 .children = Erase(phase.children)};
    if (phase.when) {
      any.when = [when = phase.when](const AnyData& data) {
        return when(*static_cast<const Data*>(data.pointer));
      };
    }
    if (phase.run) {
      any.run = [run = phase.run](AnyData& data, Context& context) {
        run(*static_cast<Data*>(data.pointer), context);
      };
    }
    erased.push_back(std::move(any));
  }
  return erased;
}

}  // namespace workflow
