// SPDX-License-Identifier: Apache-2.0
#include "addons/corefile.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/strings.h"

namespace addons {
namespace {

using base::Error;

// Nesting is bounded so that no input can exhaust the stack.
constexpr int kMaxDepth = 20;

struct Token {
  std::string text;
  int line = 0;
  int last_line = 0;  // the last line of a quoted word
};

Error Invalid(int line, std::string_view problem) {
  return Error(Error::Kind::kInvalid, fmt::format("Corefile:{}: {}", line, problem));
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Splits a string into words. A word in double quotes may contain anything; a backslash before a
// line end joins the lines.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> All() {
    std::vector<Token> tokens;
    while (auto token = Next()) {
      tokens.push_back(std::move(*token));
    }
    return tokens;
  }

 private:
  std::optional<Token> Next() {
    SkipBlanks();
    if (at_ == text_.size()) {
      return std::nullopt;
    }
    const int line = line_;
    const std::size_t begin = at_;
    if (text_[at_] == '"') {
      SkipQuoted();
    } else {
      while (at_ < text_.size() && !IsBlank(text_[at_]) && text_[at_] != '\n') {
        ++at_;
      }
    }
    return Token{std::string(text_.substr(begin, at_ - begin)), line, line_};
  }

  void SkipBlanks() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
      } else if (text_.substr(at_).starts_with("\\\n")) {
        ++at_;  // the line continues, so its number stays
      } else if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else if (!IsBlank(text_[at_])) {
        return;
      }
    }
  }

  void SkipQuoted() {
    const int start = line_;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
      }
      line_ += text_[at_] == '\n' ? 1 : 0;
    }
    if (at_ == text_.size()) {
      throw Invalid(start, "a quoted word has no end");
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Corefile Parse() {
    Corefile corefile;
    while (at_ < tokens_.size()) {
      corefile.blocks.push_back(ParseBlock());
    }
    return corefile;
  }

 private:
  bool Done() const { return at_ == tokens_.size(); }
  bool Is(std::string_view text) const { return !Done() && tokens_[at_].text == text; }
  int Line() const { return tokens_[std::min(at_, tokens_.size() - 1)].line; }

  // A comma at a line's end continues the list of keys on the next line.
  std::vector<std::string> ParseKeys() {
    std::vector<std::string> keys;
    int line = Line();
    while (!Done() && !Is("{") && (tokens_[at_].line == line || keys.back().ends_with(','))) {
      if (Is("}")) {
        throw Invalid(Line(), "'}' without '{'");
      }
      line = Line();
      keys.push_back(tokens_[at_++].text);
    }
    if (keys.empty()) {
      throw Invalid(Line(), "a server block has no zone");
    }
    return keys;
  }

  // Parses a server block. The only server block of a file needs no braces.
  ServerBlock ParseBlock() {
    ServerBlock block{.keys = ParseKeys()};
    if (Is("{")) {
      block.plugins = ParseBraces(0);
      return block;
    }
    while (!Done()) {
      block.plugins.push_back(ParseDirective(0));
    }
    return block;
  }

  std::vector<Directive> ParseBraces(int depth) {
    const int open = tokens_[at_++].line;
    if (depth > kMaxDepth) {
      throw Invalid(open, "braces are nested too deeply");
    }
    if (!Done() && tokens_[at_].line == open && !Is("}")) {
      throw Invalid(open, "words after '{' on the same line");
    }
    std::vector<Directive> directives;
    while (!Is("}")) {
      if (Done()) {
        throw Invalid(open, "'{' has no '}'");
      }
      directives.push_back(ParseDirective(depth));
    }
    ++at_;
    return directives;
  }

  Directive ParseDirective(int depth) {
    Directive directive;
    int line = Line();
    while (!Done() && tokens_[at_].line == line) {
      if (Is("{") && !directive.words.empty()) {
        directive.block = ParseBraces(depth + 1);
        return directive;
      }
      if (Is("{") || Is("}")) {
        throw Invalid(line, "a brace where a word is expected");
      }
      directive.words.push_back(tokens_[at_].text);
      line = tokens_[at_++].last_line;
    }
    return directive;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

void Append(std::string& text, const Directive& directive, int depth) {
  text.append(static_cast<std::size_t>(depth) * 4, ' ');
  text += base::Join(directive.words, " ");
  if (directive.block.empty()) {
    text += '\n';
    return;
  }
  text += " {\n";
  for (const Directive& inner : directive.block) {
    Append(text, inner, depth + 1);
  }
  text.append(static_cast<std::size_t>(depth) * 4, ' ');
  text += "}\n";
}

}  // namespace

const Directive* Directive::FindOption(std::string_view option) const {
  const auto found = std::ranges::find(block, option, &Directive::name);
  return found == block.end() ? nullptr : &*found;
}

const Directive* ServerBlock::FindPlugin(std::string_view plugin) const {
  const auto found = std::ranges::find(plugins, plugin, &Directive::name);
  return found == plugins.end() ? nullptr : &*found;
}

Corefile Corefile::Parse(std::string_view text) { return Parser(Lexer(text).All()).Parse(); }

std::string Corefile::Text() const {
  std::string text;
  for (const ServerBlock& block : blocks) {
    text += text.empty() ? "" : "\n";
    text += base::Join(block.keys, " ") + " {\n";
    for (const Directive& plugin : block.plugins) {
      Append(text, plugin, 1);
    }
    text += "}\n";
  }
  return text;
}

std::string DefaultCorefile(std::string_view dns_domain) {
  return fmt::format(R"(.:53 {{
    errors
    health {{
       lameduck 5s
    }}
    ready
    kubernetes {0} in-addr.arpa ip6.arpa {{
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }}
    prometheus :9153
    forward . /etc/resolv.conf {{
       max_concurrent 1000
    }}
    cache 30 {{
       disable success {0}
       disable denial {0}
    }}
    loop
    reload
    loadbalance
}}
)",
                     dns_domain);
}

}  // namespace addons
