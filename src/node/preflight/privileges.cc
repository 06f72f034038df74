// SPDX-License-Identifier: Apache-2.0
#include "preflight/privileges.h"

#include <algorithm>

#include "checks/require.h"
#include "preflight/checks.h"
#include "workflow/phase.h"
#include "workflow/run.h"

namespace preflight {
namespace {

constexpr const char* kPreflight = "preflight";

// Returns whether the step is the phase "preflight" or a part of it.
bool IsPreflight(const workflow::Step& step) {
  return step.path.substr(0, step.path.find('/')) == kPreflight;
}

}  // namespace

void RequirePrivileges(host::Host& machine, const workflow::Plan& plan,
                       const std::set<std::string>& ignored, workflow::Reporter& reporter) {
  if (machine.machine.EffectiveUser() == 0 || checks::IsIgnored("IsPrivilegedUser", ignored) ||
      std::ranges::none_of(plan.steps, IsPreflight)) {
    return;
  }
  struct Nothing {};
  Nothing nothing;
  const std::vector<workflow::Phase<Nothing>> phases = {
      {.name = kPreflight, .run = [&](Nothing&, workflow::Context& context) {
         context.Print("[preflight] Checking this machine");
         checks::Require(RootChecks(machine), ignored, context);
       }}};
  workflow::RunPhases(workflow::MakePlan(phases, {}), nothing,
                      {.reporter = reporter,
                       .clock = machine.clock,
                       .threads = 1,
                       .stop = machine.signals.Interrupt()});
}

}  // namespace preflight
