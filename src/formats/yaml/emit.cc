// SPDX-License-Identifier: Apache-2.0
#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <list>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "json/number.h"
#include "yaml/scalar.h"
#include "yaml/yaml.h"

namespace yaml {
namespace {

bool IsDigit(char32_t c) { return c >= '0' && c <= '9'; }

// Returns whether a code point is a letter. Beyond ASCII, every code point counts as a letter,
// except those in the blocks of punctuation and symbols.
bool IsLetter(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kOthers[] = {
      {0x7B, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},
      {0xF7, 0xF7},     {0x2000, 0x2070}, {0x20A0, 0x2BFF}, {0x3000, 0x3004}, {0x3008, 0x3030},
      {0xD7FC, 0xF8FF}, {0xFE00, 0xFE6F}, {0xFEFF, 0xFF20}, {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF}};
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c > 0x7F && std::ranges::none_of(kOthers, [c](const auto& range) {
            return c >= range.first && c <= range.second;
          }));
}

std::u32string CodePoints(std::string_view text) {
  std::u32string result;
  while (!text.empty()) {
    const auto c = base::DecodeUtf8(text);
    result += c ? c->code_point : U'\uFFFD';
    text.remove_prefix(c ? c->length : 1);
  }
  return result;
}

// The number at an offset: its digits without leading zeros, and its length.
struct DigitRun {
  std::u32string_view significant;
  std::size_t length;
};

DigitRun RunAt(std::u32string_view text, std::size_t at) {
  const std::u32string_view rest = text.substr(at);
  const auto end = std::ranges::find_if_not(rest, IsDigit);
  const auto length = static_cast<std::size_t>(end - rest.begin());
  const std::size_t zeros = std::min(rest.find_first_not_of(U'0'), length);
  return {rest.substr(zeros, length - zeros), length};
}

// Returns whether a zero at that offset belongs to a number that began before it.
bool ContinuesNumber(std::u32string_view text, std::size_t at) {
  while (at > 0 && IsDigit(text[at - 1])) {
    if (text[--at] != '0') {
      return true;
    }
  }
  return false;
}

bool NumberBefore(std::u32string_view a, std::u32string_view b, std::size_t at) {
  const DigitRun run_a = RunAt(a, at);
  const DigitRun run_b = RunAt(b, at);
  const bool whole = (a[at] == '0' || b[at] == '0') && ContinuesNumber(a, at);
  const std::size_t size_a = whole ? run_a.length : run_a.significant.size();
  const std::size_t size_b = whole ? run_b.length : run_b.significant.size();
  if (size_a != size_b) {
    return size_a < size_b;
  }
  if (run_a.significant != run_b.significant && size_a > 0) {
    return whole ? a.substr(at, run_a.length) < b.substr(at, run_b.length)
                 : run_a.significant < run_b.significant;
  }
  return run_a.length != run_b.length ? run_a.length < run_b.length : a[at] < b[at];
}

// The order of keys: letters by code point, numbers by value, and letters after other characters.
// It is not transitive (10 < 1a < 2 < 10). Therefore go-yaml's order of such keys changes from run
// to run; this program's order does not.
bool KeyBefore(std::u32string_view a, std::u32string_view b) {
  const auto [at_a, at_b] = std::ranges::mismatch(a, b);
  const auto at = static_cast<std::size_t>(at_a - a.begin());
  if (at_a == a.end() || at_b == b.end()) {
    return a.size() < b.size();
  }
  const bool letter_a = IsLetter(*at_a);
  const bool letter_b = IsLetter(*at_b);
  if (letter_a && letter_b) {
    return *at_a < *at_b;
  }
  if (letter_a || letter_b) {
    return letter_b;
  }
  return NumberBefore(a, b, at);
}

// Formats a number as go-yaml does after Go's JSON encoder has written it.
std::string Number(const json::Value& value) {
  if (!value.is_number_float()) {
    return value.dump();
  }
  const std::string text = json::FormatJsonNumber(value.get<double>());
  if (base::ParseNumber<std::uint64_t>(text)) {
    return text;
  }
  const Scalar read = ResolveScalar(text);
  if (read.kind == Scalar::Kind::kInt) {
    return std::to_string(read.integer);
  }
  return json::FormatGeneralNumber(read.number);
}

// Returns whether the text contains U+0085, U+2028 or U+2029, which YAML 1.1 reads as line ends.
// go-yaml writes these characters in single quotes or blocks, and a reader gets spaces. This
// program escapes them.
bool HoldsOddLineEnd(std::string_view text) {
  return text.find("\xC2\x85") != text.npos || text.find("\xE2\x80\xA8") != text.npos ||
         text.find("\xE2\x80\xA9") != text.npos;
}

enum class Quotes { kIfNeeded, kAlways };

// Drives libyaml's emitter.
class Emitter {
 public:
  Emitter() {
    if (yaml_emitter_initialize(&emitter_) == 0) {
      throw std::bad_alloc();
    }
    yaml_emitter_set_output(&emitter_, Append, &out_);
    yaml_emitter_set_unicode(&emitter_, 1);
  }
  ~Emitter() { yaml_emitter_delete(&emitter_); }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  std::string Emit(const json::Value& value) {
    yaml_event_t event;
    Send(yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), event);
    Send(yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1), event);
    Node(value);
    Send(yaml_document_end_event_initialize(&event, 1), event);
    Send(yaml_stream_end_event_initialize(&event), event);
    // After a block that keeps its trailing lines, libyaml ends the document with "...", but
    // go-yaml does not.
    constexpr std::string_view kDocumentEnd = "\n...\n";
    if (out_.ends_with(kDocumentEnd)) {
      out_.resize(out_.size() - kDocumentEnd.size() + 1);
    }
    return std::move(out_);
  }

 private:
  // Called by libyaml, so it must not throw. Returns 0 for a failure.
  static int Append(void* out, unsigned char* text, std::size_t size) noexcept {
    try {
      static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(text), size);
      return 1;
    } catch (const std::exception&) {  // no memory
      return 0;
    }
  }

  void Send(int made, yaml_event_t& event) {
    if (made == 0 || yaml_emitter_emit(&emitter_, &event) == 0) {
      throw base::Error(emitter_.problem == nullptr ? "cannot write YAML" : emitter_.problem);
    }
  }

  void Node(const json::Value& value) {
    switch (value.type()) {
      case json::Value::value_t::object:
        return Mapping(value);
      case json::Value::value_t::array:
        return Sequence(value);
      case json::Value::value_t::string:
        return String(value.get_ref<const std::string&>());
      case json::Value::value_t::boolean:
        return Scalar(value.get<bool>() ? "true" : "false", YAML_PLAIN_SCALAR_STYLE);
      case json::Value::value_t::number_integer:
      case json::Value::value_t::number_unsigned:
      case json::Value::value_t::number_float:
        return Scalar(Number(value), YAML_PLAIN_SCALAR_STYLE);
      default:
        return Scalar("null", YAML_PLAIN_SCALAR_STYLE);
    }
  }

  void Mapping(const json::Value& value) {
    yaml_event_t event;
    Send(yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, YAML_BLOCK_MAPPING_STYLE),
         event);
    // Unlike std::sort, the sort of a std::list is safe with an order that is not transitive.
    std::list<std::pair<std::u32string, json::Value::const_iterator>> members;
    for (auto it = value.begin(); it != value.end(); ++it) {
      members.emplace_back(CodePoints(it.key()), it);
    }
    members.sort([](const auto& a, const auto& b) { return KeyBefore(a.first, b.first); });
    for (const auto& [name, member] : members) {
      // A plain "<<" would be read as a merge key.
      String(member.key(), member.key() == "<<" ? Quotes::kAlways : Quotes::kIfNeeded);
      Node(*member);
    }
    Send(yaml_mapping_end_event_initialize(&event), event);
  }

  void Sequence(const json::Value& value) {
    yaml_event_t event;
    Send(yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1,
                                              YAML_BLOCK_SEQUENCE_STYLE),
         event);
    for (const json::Value& element : value) {
      Node(element);
    }
    Send(yaml_sequence_end_event_initialize(&event), event);
  }

  void String(const std::string& any, Quotes quotes = Quotes::kIfNeeded) {
    const std::string text = json::WithValidUtf8(any);
    if (quotes == Quotes::kAlways || HoldsOddLineEnd(text)) {
      return Scalar(text, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    }
    if (text.find('\n') != text.npos) {
      return Scalar(text, YAML_LITERAL_SCALAR_STYLE);
    }
    Scalar(text, NeedsQuotes(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE);
  }

  void Scalar(const std::string& text, yaml_scalar_style_t style) {
    yaml_event_t event;
    Send(yaml_scalar_event_initialize(&event, nullptr, nullptr,
                                      reinterpret_cast<const yaml_char_t*>(text.data()),
                                      static_cast<int>(text.size()), 1, 1, style),
         event);
  }

  yaml_emitter_t emitter_;
  std::string out_;
};

}  // namespace

std::string Emit(const json::Value& value) { return Emitter().Emit(value); }

}  // namespace yaml
