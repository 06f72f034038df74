// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "print/jsonpath_tree.h"
#include "print/quoted.h"
#include "yaml/scalar.h"

namespace print::jsonpath {
namespace {

constexpr int kDeepestRange = 100;
// Filters may contain paths with filters.
constexpr int kDeepestFilter = 20;

[[noreturn]] void Fail(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Returns the offset after the quote that closes the quote at `at`.
std::size_t QuotedEnd(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  Fail("unterminated quoted string");
}

std::string Unquote(std::string_view quoted) {
  return UnescapeGo(quoted.substr(1, quoted.size() - 2));
}

// Parses the content of a pair of braces, or a side of a filter's comparison.
class Action {
 public:
  explicit Action(std::string_view text, int depth = 0) : rest_(text), depth_(depth) {}

  // Removes "range" or "end" from the front, and returns it. Returns "" without one.
  std::string_view Keyword() {
    SkipBlanks();
    std::size_t length = 0;
    while (length < rest_.size() && (IsLetter(rest_[length]) || IsDigit(rest_[length]))) {
      ++length;
    }
    const std::string_view word = rest_.substr(0, length);
    if (word != "range" && word != "end") {
      return "";
    }
    rest_.remove_prefix(length);
    return word;
  }

  Path ReadPath() {
    Path path;
    for (SkipBlanks(); !rest_.empty(); SkipBlanks()) {
      ReadStep(path);
    }
    return path;
  }

 private:
  void SkipBlanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  void ReadStep(Path& path) {
    const char c = rest_.front();
    if (rest_.starts_with("..")) {
      rest_.remove_prefix(2);
      path.emplace_back(Recursive{});
      if (!rest_.empty() && std::string_view(".[ \t\r\n").find(rest_.front()) == rest_.npos) {
        ReadField(path);
      }
    } else if (c == '.') {
      rest_.remove_prefix(1);
      ReadField(path);
    } else if (c == '[') {
      ReadBrackets(path);
    } else if (c == '"' || c == '\'') {
      const std::size_t end = QuotedEnd(rest_, 0);
      path.emplace_back(Literal{Unquote(rest_.substr(0, end))});
      rest_.remove_prefix(end);
    } else if (c == '$' || c == '@') {
      rest_.remove_prefix(1);
    } else {
      ReadWord(path);
    }
  }

  // Reads a field name. It ends at a special character, unless a backslash precedes the character.
  void ReadField(Path& path) {
    std::string name;
    constexpr std::string_view kEnds = " \t\r\n.,[]$@{}()<>=!'\"";
    while (!rest_.empty() && kEnds.find(rest_.front()) == kEnds.npos) {
      if (rest_.front() == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
      }
      name += rest_.front();
      rest_.remove_prefix(1);
    }
    path.push_back(name == "*" ? Step(Wildcard{}) : Step(Field{std::move(name)}));
    if (!rest_.empty() && rest_.front() == '*') {
      Refuse();
    }
  }

  void ReadWord(Path& path) {
    const std::size_t size = std::min(rest_.find_first_of(" \t\r\n[]$@{}()<>=!,'\""), rest_.size());
    const std::string_view word = rest_.substr(0, size);
    if (word == "true" || word == "false") {
      path.emplace_back(Literal{word == "true"});
    } else if (const yaml::Scalar number = Number(word); number.kind == yaml::Scalar::Kind::kInt) {
      path.emplace_back(Literal{number.integer});
    } else if (number.kind == yaml::Scalar::Kind::kFloat) {
      path.emplace_back(Literal{number.number});
    } else if (!word.empty() && IsLetter(word.front())) {
      Fail(fmt::format("unrecognized identifier {}", word));
    } else {
      Refuse();
    }
    rest_.remove_prefix(size);
  }

  static yaml::Scalar Number(std::string_view word) {
    const bool plain = word.find_first_not_of("+-.0123456789") == word.npos;
    return plain && !word.empty() ? yaml::ResolveScalar(word) : yaml::Scalar{};
  }

  [[noreturn]] void Refuse() const {
    const auto c = base::DecodeUtf8(rest_);
    Fail(fmt::format("unrecognized character in action: {}",
                     base::Quoted(rest_.substr(0, c ? c->length : 1))));
  }

  void ReadBrackets(Path& path) {
    if (rest_.starts_with("[?(")) {
      return ReadFilter(path);
    }
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != ']') {
      end = rest_[end] == '\'' || rest_[end] == '"' ? QuotedEnd(rest_, end) : end + 1;
    }
    if (end >= rest_.size()) {
      Fail("unterminated array");
    }
    const std::vector<std::string_view> parts = Parts(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    Union all;
    for (const std::string_view part : parts) {  // several names, with spaces around them
      all.parts.push_back(ReadPart(parts.size() > 1 ? WithoutBlanks(part) : part));
    }
    if (all.parts.size() == 1) {
      path.insert(path.end(), all.parts[0].begin(), all.parts[0].end());
    } else {
      path.emplace_back(std::move(all));
    }
  }

  // Splits at the commas outside of quotes.
  static std::vector<std::string_view> Parts(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size();) {
      if (i == text.size() || text[i] == ',') {
        parts.push_back(text.substr(begin, i - begin));
        begin = ++i;
      } else {
        i = text[i] == '\'' ? QuotedEnd(text, i) : i + 1;
      }
    }
    return parts;
  }

  static std::string_view WithoutBlanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

  static Path ReadPart(std::string_view part) {
    if (part.size() >= 2 && part.front() == '\'' && part.back() == '\'') {
      return NamePath(part.substr(1, part.size() - 2));
    }
    if (part == "*") {
      return {Slice{}};
    }
    return {ReadSlice(part)};
  }

  // Parses "a\.b.c" as the member "c" of the member "a.b".
  static Path NamePath(std::string_view text) {
    Path path;
    std::string name;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i == text.size() || text[i] == '.') {
        path.push_back(name == "*" ? Step(Wildcard{}) : Step(Field{std::move(name)}));
        name.clear();
      } else {
        i += text[i] == '\\' && i + 1 < text.size() ? 1 : 0;
        name += text[i];
      }
    }
    return path;
  }

  static Slice ReadSlice(std::string_view text) {
    const std::vector<std::string> numbers = base::Split(text, ':');
    Slice slice;
    std::optional<std::int64_t>* const targets[] = {&slice.begin, &slice.end, &slice.step};
    if (numbers.size() > 3) {
      Fail(fmt::format("invalid array index {}", text));
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      *targets[i] = base::ParseNumber<std::int64_t>(numbers[i]);
      if (!*targets[i] && !numbers[i].empty()) {
        Fail(fmt::format("invalid array index {}", text));
      }
    }
    if (numbers.size() == 1) {
      slice.index = true;
      slice.begin = slice.begin.value_or(0);
    }
    return slice;
  }

  void ReadFilter(Path& path) {
    if (depth_ == kDeepestFilter) {
      Fail("filters are nested too deeply");
    }
    const std::size_t end = FilterEnd();
    const std::string_view text = rest_.substr(3, end - 3);
    rest_.remove_prefix(end + 1);
    if (!rest_.starts_with(']')) {
      Fail("unclosed array expect ]");
    }
    rest_.remove_prefix(1);
    const std::size_t at = OperatorAt(text);
    const std::size_t length =
        std::min(text.find_first_not_of("<>=!", at), text.size()) - std::min(at, text.size());
    Filter filter{.left = Side(text.substr(0, std::min(at, text.size()))),
                  .comparison = std::string(text.substr(std::min(at, text.size()), length)),
                  .right = {}};
    if (!filter.comparison.empty()) {
      CheckOperator(filter.comparison);
      filter.right = Side(text.substr(at + length));
    }
    path.emplace_back(std::move(filter));
  }

  // Returns the offset of the parenthesis that closes "[?(".
  std::size_t FilterEnd() const {
    int open = 1;
    for (std::size_t i = 3; i < rest_.size();) {
      if (rest_[i] == '\'' || rest_[i] == '"') {
        i = QuotedEnd(rest_, i);
        continue;
      }
      open += rest_[i] == '(' ? 1 : rest_[i] == ')' ? -1 : 0;
      if (open == 0) {
        return i;
      }
      ++i;
    }
    Fail("unterminated filter");
  }

  static std::size_t OperatorAt(std::string_view text) {
    int open = 0;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == '\'' || text[i] == '"') {
        i = QuotedEnd(text, i);
        continue;
      }
      open += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
      if (open == 0 && std::string_view("<>=!").find(text[i]) != std::string_view::npos) {
        return i;
      }
      ++i;
    }
    return std::string_view::npos;
  }

  static void CheckOperator(std::string_view comparison) {
    for (const std::string_view known : {"<", ">", "<=", ">=", "==", "!="}) {
      if (comparison == known) {
        return;
      }
    }
    Fail(fmt::format("unrecognized filter operator {}", comparison));
  }

  std::shared_ptr<const Path> Side(std::string_view text) const {
    return std::make_shared<const Path>(Action(text, depth_ + 1).ReadPath());
  }

  std::string_view rest_;
  int depth_;  // the number of enclosing filters
};

// Splits a template into literals and actions.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::vector<Item> Run() {
    std::vector<Item> items = Items(0);
    if (ended_) {
      Fail("not in range, nothing to end");
    }
    return items;
  }

 private:
  std::vector<Item> Items(int depth) {
    std::vector<Item> items;
    while (!rest_.empty()) {
      const std::size_t brace = std::min(rest_.find('{'), rest_.size());
      if (brace > 0) {
        items.push_back({.text = std::string(rest_.substr(0, brace))});
        rest_.remove_prefix(brace);
        continue;
      }
      Action action(TakeAction());
      const std::string_view keyword = action.Keyword();
      if (keyword == "end") {
        ended_ = true;
        return items;
      }
      items.push_back({.kind = keyword.empty() ? Item::Kind::kPath : Item::Kind::kRange,
                       .path = action.ReadPath()});
      if (!keyword.empty()) {
        items.back().body = Body(depth + 1);
      }
    }
    return items;
  }

  std::vector<Item> Body(int depth) {
    if (depth > kDeepestRange) {
      Fail("ranges are nested too deeply");
    }
    std::vector<Item> body = Items(depth);
    if (!std::exchange(ended_, false)) {
      Fail("a range lacks its {end}");
    }
    return body;
  }

  std::string_view TakeAction() {
    for (std::size_t i = 1; i < rest_.size();) {
      if (rest_[i] == '}') {
        const std::string_view action = rest_.substr(1, i - 1);
        rest_.remove_prefix(i + 1);
        return action;
      }
      if (rest_[i] == '\\') {
        i += 2;
      } else {
        i = rest_[i] == '\'' || rest_[i] == '"' ? QuotedEnd(rest_, i) : i + 1;
      }
    }
    Fail("unclosed action");
  }

  std::string_view rest_;
  bool ended_ = false;
};

}  // namespace

std::vector<Item> Parse(std::string_view text) { return Parser(text).Run(); }

}  // namespace print::jsonpath
