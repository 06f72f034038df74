// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "json/value.h"
#include "print/gotemplate_tree.h"
#include "print/quoted.h"
#include "yaml/scalar.h"

namespace print::gotemplate {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::vector<Segment> Run() {
    std::vector<Segment> segments;
    while (!rest_.empty()) {
      const std::size_t open = std::min(rest_.find("{{"), rest_.size());
      AddText(segments, rest_.substr(0, open));
      Skip(open);
      if (!rest_.empty()) {
        Action(segments);
      }
    }
    return segments;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw base::Error(base::Error::Kind::kInvalid, fmt::format("line {}: {}", line_, what));
  }

  void Skip(std::size_t count) {
    const std::string_view skipped = rest_.substr(0, count);
    line_ += static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
    rest_.remove_prefix(count);
  }

  void SkipBlanks() {
    while (!rest_.empty() && IsBlank(rest_.front())) {
      Skip(1);
    }
  }

  void AddText(std::vector<Segment>& segments, std::string_view text) const {
    if (!text.empty()) {
      segments.push_back({.text = std::string(text), .line = line_});
    }
  }

  static void TrimEnd(std::vector<Segment>& segments) {
    if (segments.empty() || segments.back().action) {
      return;
    }
    std::string& text = segments.back().text;
    text.resize(text.find_last_not_of(" \t\r\n") + 1);
  }

  void Action(std::vector<Segment>& segments) {
    Skip(2);
    if (rest_.size() >= 2 && rest_[0] == '-' && IsBlank(rest_[1])) {
      TrimEnd(segments);
      Skip(2);
      if (const std::size_t at = rest_.find_first_not_of(" \t\r\n");
          at != rest_.npos && rest_.substr(at).starts_with("/*")) {
        Skip(at);
      }
    }
    if (rest_.starts_with("/*")) {
      return Comment();
    }
    Segment segment{.action = true, .line = line_};
    while (!Close()) {
      segment.tokens.push_back(Next());
    }
    segments.push_back(std::move(segment));
  }

  void Comment() {
    const std::size_t end = rest_.find("*/");
    if (end == rest_.npos) {
      Fail("unclosed comment");
    }
    Skip(end + 2);
    if (!Close()) {
      Fail("comment ends before closing delimiter");
    }
  }

  // Parses the end of an action.
  bool Close() {
    spaced_ = !rest_.empty() && IsBlank(rest_.front());
    const std::size_t at = std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size());
    if (at > 0 && rest_.substr(at).starts_with("-}}")) {
      Skip(at + 3);
      SkipBlanks();
      return true;
    }
    Skip(at);
    if (rest_.starts_with("}}")) {
      Skip(2);
      return true;
    }
    if (rest_.empty()) {
      Fail("unclosed action");
    }
    return false;
  }

  Token Next() {
    const char c = rest_.front();
    const bool spaced = spaced_;
    Token token = c == '"' || c == '\'' || c == '`' ? QuotedToken()
                  : IsNumberStart()                 ? NumberToken()
                  : c == '.' || c == '$'            ? NamedToken()
                  : IsNameCharacter(c)              ? WordToken()
                                                    : MarkToken();
    token.spaced = spaced;
    return token;
  }

  Token QuotedToken() {
    const char quote = rest_.front();
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != quote) {
      if (rest_[end] == '\n' && quote != '`') {
        end = rest_.size();
        break;
      }
      end += rest_[end] == '\\' && quote != '`' ? 2 : 1;
    }
    if (end >= rest_.size()) {
      Fail("unterminated quoted string");
    }
    const std::string_view inner = rest_.substr(1, end - 1);
    Token token{.kind = Token::Kind::kValue, .text = std::string(rest_.substr(0, end + 1))};
    if (quote == '`') {
      token.value = std::string(inner);
    } else if (quote == '"') {
      token.value = UnescapeGo(inner);
    } else {
      token.value = Character(UnescapeGo(inner));
    }
    Skip(end + 1);
    return token;
  }

  std::int64_t Character(const std::string& text) const {
    const auto c = base::DecodeUtf8(text);
    if (!c || c->length != text.size()) {
      Fail("malformed character constant");
    }
    return static_cast<std::int64_t>(c->code_point);
  }

  bool IsNumberStart() const {
    const auto digit = [this](std::size_t i) {
      return i < rest_.size() && rest_[i] >= '0' && rest_[i] <= '9';
    };
    const char c = rest_.front();
    return digit(0) || ((c == '+' || c == '-' || c == '.') && digit(1)) ||
           ((c == '+' || c == '-') && rest_.size() > 1 && rest_[1] == '.' && digit(2));
  }

  Token NumberToken() {
    std::size_t size = 1;
    while (size < rest_.size() &&
           (IsNameCharacter(rest_[size]) || rest_[size] == '.' ||
            ((rest_[size] == '+' || rest_[size] == '-') && (rest_[size - 1] | 0x20) == 'e'))) {
      ++size;
    }
    const std::string_view text = rest_.substr(0, size);
    const yaml::Scalar number = yaml::ResolveScalar(text);
    Token token{.kind = Token::Kind::kValue, .text = std::string(text)};
    if (number.kind == yaml::Scalar::Kind::kInt) {
      token.value = number.integer;
    } else if (number.kind == yaml::Scalar::Kind::kFloat) {
      const bool point = text.find('.') != text.npos;
      const bool whole =
          number.number ==
          static_cast<double>(static_cast<std::int64_t>(std::clamp(number.number, -1e15, 1e15)));
      token.value = whole && !point ? json::Value(static_cast<std::int64_t>(number.number))
                                    : json::Value(number.number);
    } else {
      Fail(fmt::format("bad number syntax: {}", base::Quoted(text)));
    }
    Skip(size);
    return token;
  }

  std::string Name() {
    std::size_t size = 0;
    while (size < rest_.size() && IsNameCharacter(rest_[size])) {
      ++size;
    }
    std::string name(rest_.substr(0, size));
    Skip(size);
    return name;
  }

  Token NamedToken() {
    const auto kind = rest_.front() == '.' ? Token::Kind::kField : Token::Kind::kVariable;
    Skip(1);
    return {.kind = kind, .text = Name()};
  }

  Token WordToken() { return {.kind = Token::Kind::kWord, .text = Name()}; }

  Token MarkToken() {
    for (const std::string_view mark : {":=", "(", ")", "|", ",", "="}) {
      if (rest_.starts_with(mark)) {
        Skip(mark.size());
        return {.kind = Token::Kind::kMark, .text = std::string(mark)};
      }
    }
    const auto c = base::DecodeUtf8(rest_);
    Fail(fmt::format("unexpected {} in an action",
                     base::Quoted(rest_.substr(0, c ? c->length : 1))));
  }

  std::string_view rest_;
  int line_ = 1;
  bool spaced_ = false;
};

}  // namespace

std::vector<Segment> Scan(std::string_view text) { return Scanner(text).Run(); }

}  // namespace print::gotemplate
