// SPDX-License-Identifier: Apache-2.0
// A phase's context for tests of steps.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/context.h"

namespace workflow {

// Records the output of a step, each kind in its order.
class FakeContext : public Context {
 public:
  void Print(std::string_view text) override { lines.emplace_back(text); }
  void Warn(std::string_view text, std::source_location) override { warnings.emplace_back(text); }
  void Remark(std::string_view text) override { remarks.emplace_back(text); }
  void Progress(std::optional<std::string_view>) override {}
  void Retry(std::string_view why) override { retries.emplace_back(why); }
  void Result(std::string_view, const json::Value&) override {}
  void FileWritten(const std::string& path, const std::string&) override {
    written.push_back(path);
  }
  std::stop_token Stop() const override { return stop.get_token(); }

  std::vector<std::string> lines, warnings, remarks, retries, written;
  std::stop_source stop;
};

}  // namespace workflow
