// SPDX-License-Identifier: Apache-2.0
#include "workflow/status_line.h"

#include <fmt/core.h>

#include <ostream>

#include "base/utf8.h"
#include "cli/terminal.h"

namespace workflow {
namespace {

// Returns at most `columns` code points of the text.
std::string_view Cut(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  for (; columns > 0 && bytes < text.size(); --columns) {
    const auto next = base::DecodeUtf8(text.substr(bytes));
    bytes += next ? next->length : 1;
  }
  return text.substr(0, bytes);
}

}  // namespace

void StatusLine::Set(std::size_t step, std::optional<std::string> text, Time now) {
  if (!text) {
    waits_.erase(step);
    return;
  }
  const auto [wait, is_new] = waits_.try_emplace(step, Wait{"", now});
  wait->second.text = std::move(*text);
}

void StatusLine::Draw(Time now) {
  Hide();
  if (waits_.empty()) {
    return;
  }
  const Wait& wait = waits_.begin()->second;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - wait.since).count();
  if (seconds < 1) {
    return;
  }
  const std::string elapsed = fmt::format(" {}s", seconds);
  const std::size_t room = width_ > elapsed.size() + 1 ? width_ - elapsed.size() - 1 : 0;
  out_ << Cut(wait.text, room) << elapsed << std::flush;
  shown_ = true;
}

void StatusLine::Hide() {
  if (shown_) {
    out_ << cli::ClearLine{} << std::flush;
    shown_ = false;
  }
}

}  // namespace workflow
