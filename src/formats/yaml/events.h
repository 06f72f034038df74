// SPDX-License-Identifier: Apache-2.0
// The events of a YAML input, as reported by libyaml. Internal to this library.
#pragma once

#include <yaml.h>

#include <string_view>

#include "yaml/yaml.h"

namespace yaml {

// Throws base::Error(kInvalid) "line N, column M: …". Truncates quotations to a few lines, because
// they may contain the whole input.
[[noreturn]] void Fail(Position at, std::string_view what);

// Checks the size of an input. Throws base::Error(kInvalid) if it is longer than kLongestYaml.
void CheckSize(std::string_view text);

struct Event : yaml_event_t {
  Event() : yaml_event_t{} {}
  Event(Event&& other) noexcept : yaml_event_t(other) {
    static_cast<yaml_event_t&>(other) = yaml_event_t{};
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event& operator=(Event&&) = delete;
  ~Event() { yaml_event_delete(this); }
};

inline std::string_view Text(const yaml_char_t* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

// Reads an input's events and turns libyaml's failures into errors. The input must outlive it.
class Events {
 public:
  // Begins to read an input. Throws base::Error(kInvalid) for input that would take libyaml too
  // long.
  Events(std::string_view text, int first_line);
  ~Events() { yaml_parser_delete(&parser_); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  Event Next();
  Position At(const yaml_mark_t& mark) const;

 private:
  [[noreturn]] void FailAtProblem() const;
  Position AtOffset(std::size_t offset) const;

  yaml_parser_t parser_;
  std::string_view text_;
  int first_line_;
};

}  // namespace yaml
