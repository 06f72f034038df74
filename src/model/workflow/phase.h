// SPDX-License-Identifier: Apache-2.0
// Phase: one step of a workflow, as a value. From one list of phases come the whole run, a command
// for each phase, help, --skip-phases, progress, events and the journal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "workflow/context.h"

namespace workflow {

// AllSiblings describes the command `all` of a group: it runs the group and every child.
struct AllSiblings {
  std::string summary;
  std::string long_text;
  std::string example;
  std::vector<std::string> flags;
  std::string usage_args;
  std::optional<int> max_args;
};

// Phase is one row of a command's list. `Data` is what all phases of the command see; phases may
// run side by side, so what one writes there another may read only if it needs an artifact of it.
template <typename Data>
struct Phase {
  std::string name;
  std::string summary;
  std::string long_text;  // "": the summary
  std::string example;
  std::vector<std::string> aliases;  // of the command, not for --skip-phases
  std::vector<std::string> flags;    // of the command's table, which the phase's command offers
  std::string usage_args;
  std::optional<int> max_args;  // of the phase's command; nothing: as the whole command has
  bool hidden = false;          // no command and no line in help, but runs and can be skipped
  bool only_looks = false;      // changes nothing on this node, whatever runs beside it

  // Names of artifacts. A phase starts when every earlier phase that makes one of its needs is
  // done. What a skipped phase would have made counts as present as soon as that phase could have
  // begun; for a phase that is run alone all is present. A group's needs hold for its children too;
  // what it makes is there when its children are done.
  std::vector<std::string> needs;
  std::vector<std::string> makes;
  // Needs that a later phase makes, as it lets something come up: in a run in which that happens
  // this phase, which has no children, has its place behind it.
  std::vector<std::string> awaits;
  std::vector<std::string> depends_on;  // paths of phases that must run, and before this one

  std::function<bool(const Data&)> when;     // none: always; false skips the children as well
  std::function<void(Data&, Context&)> run;  // none: a mere group; runs before its children
  std::optional<AllSiblings> all;
  std::vector<Phase> children;
};

// AnyData is a Data whose type only the phases know.
struct AnyData {
  void* pointer = nullptr;
  const std::type_info* type = nullptr;
};
// AnyPhase is a phase of a command whose data only its own functions know.
using AnyPhase = Phase<AnyData>;

// IsOne is whether a phase is one to its user, without phases below it: all of them are hidden.
bool IsOne(const AnyPhase& phase);

// Erase hides the type of the phases' data, so that all the rest is compiled once.
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
