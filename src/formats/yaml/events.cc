// SPDX-License-Identifier: Apache-2.0
#include "yaml/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/error.h"

namespace yaml {
namespace {

// libyaml compares each %TAG directive with all earlier ones, so megabytes of directives would take
// hours. YAML for Kubernetes needs no directives. They are counted anywhere in the input.
constexpr std::size_t kMostTagDirectives = 1000;

// libyaml's message about a ":" that go-yaml accepts: [fd00::].
constexpr std::string_view kColonInFlow = "found unexpected ':'";
constexpr std::string_view kColonAdvice =
    "; inside [] and {} a value that ends with ':' needs quotation marks";

std::size_t Count(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) {
    ++count;
  }
  return count;
}

void CheckDirectives(std::string_view text, int first_line) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kForms[] = {"%TAG"sv, "%\0T\0A\0G"sv};  // UTF-8, UTF-16
  for (const std::string_view form : kForms) {
    if (Count(text, form) > kMostTagDirectives) {
      Fail({.line = first_line, .column = 1},
           fmt::format("more than {} %TAG directives", kMostTagDirectives));
    }
  }
}

}  // namespace

void Fail(Position at, std::string_view what) {
  constexpr std::size_t kShown = 500;
  const std::string shown =
      what.size() <= kShown ? std::string(what) : json::WithValidUtf8(what.substr(0, kShown)) + "…";
  throw base::Error(base::Error::Kind::kInvalid,
                    fmt::format("line {}, column {}: {}", at.line, at.column, shown));
}

void CheckSize(std::string_view text) {
  if (text.size() > kLongestYaml) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} MiB of text are more than the {} MiB that are read as YAML",
                                  text.size() >> 20, kLongestYaml >> 20));
  }
}

Events::Events(std::string_view text, int first_line) : text_(text), first_line_(first_line) {
  CheckSize(text);
  CheckDirectives(text, first_line);
  if (yaml_parser_initialize(&parser_) == 0) {
    throw std::bad_alloc();
  }
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
}

Event Events::Next() {
  Event event;
  if (yaml_parser_parse(&parser_, &event) == 0) {
    FailAtProblem();
  }
  return event;
}

Position Events::At(const yaml_mark_t& mark) const {
  return {.line = first_line_ + static_cast<int>(mark.line),
          .column = static_cast<int>(mark.column) + 1};
}

void Events::FailAtProblem() const {
  const char* problem = parser_.problem == nullptr ? "unreadable" : parser_.problem;
  if (parser_.error == YAML_MEMORY_ERROR) {
    throw std::bad_alloc();
  }
  if (parser_.error == YAML_READER_ERROR) {
    Fail(AtOffset(parser_.problem_offset), problem);
  }
  const Position at = At(parser_.problem_mark);
  if (parser_.context == nullptr) {
    Fail(at, problem);
  }
  const Position from = At(parser_.context_mark);
  Fail(at, fmt::format("{} ({} from line {}, column {}){}", problem, parser_.context, from.line,
                       from.column, problem == kColonInFlow ? kColonAdvice : ""));
}

Position Events::AtOffset(std::size_t offset) const {
  const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == before.npos ? 0 : newline + 1;
  return {.line = first_line_ + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          .column = static_cast<int>(before.size() - line_start) + 1};
}

}  // namespace yaml
