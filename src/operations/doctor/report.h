// SPDX-License-Identifier: Apache-2.0
// A diagnosis as text for humans and as an object for programs.
#pragma once

#include <string>
#include <vector>

#include "doctor/facts.h"
#include "doctor/judge.h"
#include "json/fwd.h"

namespace doctor {

// The facts and the findings.
struct Diagnosis {
  Facts facts;
  Findings findings;        // as Judge sorts them
  std::size_t columns = 0;  // width of the terminal; 0: no terminal, lines are not wrapped
};

// Returns a headline, the findings with evidence and remedy, and the parts that were checked and
// not checked. Wraps lines at the terminal's columns, unless lines are unlimited.
std::string TextOf(const Diagnosis& diagnosis);

// Returns kind Diagnosis of output.slipway/v1alpha1 (docs/output.md).
json::Ordered ObjectOf(const Diagnosis& diagnosis);

}  // namespace doctor
