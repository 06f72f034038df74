// SPDX-License-Identifier: Apache-2.0
// A diagnosis as text for people and as an object for programs.
#pragma once

#include <string>
#include <vector>

#include "doctor/facts.h"
#include "doctor/judge.h"
#include "json/fwd.h"

namespace doctor {

// Diagnosis is what was found out and what follows from it.
struct Diagnosis {
  Facts facts;
  Findings findings;        // as Judge sorts them
  std::size_t columns = 0;  // of the terminal that shows it; 0: none does, no line is cut
};

// TextOf is a headline, the findings with evidence and remedy, what was looked at and what could
// not be seen, for the columns of a terminal or as long as lines are.
std::string TextOf(const Diagnosis& diagnosis);

// ObjectOf is kind Diagnosis of output.slipway/v1alpha1 (docs/output.md).
json::Ordered ObjectOf(const Diagnosis& diagnosis);

}  // namespace doctor
