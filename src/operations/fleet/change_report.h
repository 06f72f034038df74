// SPDX-License-Identifier: Apache-2.0
// Lines about changes of state, each shown once.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/show_line.h"

namespace fleet {

class ChangeReport {
 public:
  explicit ChangeReport(base::ShowLine say) : say_(std::move(say)) {}

  // Shows a state as "cp-1: Draining", unless it is the state that was last shown for the subject.
  // A quiet state is only recorded, not shown.
  void Show(const std::string& subject, const std::string& state, bool quiet) {
    std::string& last = last_[subject];
    if (last != state && !quiet) {
      say_(subject + ": " + state);
    }
    last = state;
  }

 private:
  base::ShowLine say_;
  std::map<std::string, std::string> last_;  // by subject
};

}  // namespace fleet
