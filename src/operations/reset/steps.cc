// SPDX-License-Identifier: Apache-2.0
#include "reset/steps.h"

#include <algorithm>

namespace reset {
namespace {

void Tell(const ResetStep& step, const std::optional<std::string>& line, const Notes& notes) {
  std::ranges::for_each(step.warnings, notes.warn);
  if (line) {
    notes.say(*line);
  }
}

}  // namespace

void Do(const Steps& steps, Teardown& teardown, const Notes& notes) {
  for (const ResetStep& step : steps) {
    Tell(step, step.begins, notes);
    if (step.run) {
      step.run(teardown, notes);
    }
  }
}

void Show(const Steps& steps, const Notes& notes) {
  for (const ResetStep& step : steps) {
    Tell(step, step.planned, notes);
  }
}

}  // namespace reset
