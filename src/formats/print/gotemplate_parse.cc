// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "print/gotemplate_tree.h"

namespace print::gotemplate {
namespace {

constexpr int kDeepest = 100;

using Kind = Token::Kind;

// The action that ended a block, with the tokens after its first word.
struct Terminator {
  enum class Kind { kText, kEnd, kElse } kind = Kind::kText;
  std::vector<Token> rest;
  int line = 1;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : segments_(Scan(text)) {}

  std::vector<Node> Run() {
    Terminator terminator;
    std::vector<Node> nodes = Block(terminator);
    if (terminator.kind != Terminator::Kind::kText) {
      Fail(terminator.kind == Terminator::Kind::kEnd ? "unexpected {{end}}"
                                                     : "unexpected {{else}}");
    }
    return nodes;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw base::Error(base::Error::Kind::kInvalid, fmt::format("line {}: {}", line_, what));
  }

  // Increases the nesting depth of blocks or parentheses during its lifetime.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest) {
        parser_.Fail("nested too deep");
      }
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  std::vector<Node> Block(Terminator& terminator) {
    const Deeper deeper(*this);
    const std::size_t variables = variables_.size();
    std::vector<Node> nodes;
    terminator = {};
    while (next_ < segments_.size() && terminator.kind == Terminator::Kind::kText) {
      const Segment& segment = segments_[next_++];
      line_ = segment.line;
      if (segment.action) {
        Action(segment.tokens, nodes, terminator);
      } else {
        nodes.push_back({.line = line_, .text = segment.text});
      }
    }
    variables_.resize(variables);
    return nodes;
  }

  void Action(const std::vector<Token>& tokens, std::vector<Node>& nodes, Terminator& terminator) {
    const std::string word = !tokens.empty() && tokens[0].kind == Kind::kWord ? tokens[0].text : "";
    const std::vector<Token> rest(tokens.begin() + (tokens.empty() ? 0 : 1), tokens.end());
    if (word == "end" || word == "else") {
      terminator = {word == "end" ? Terminator::Kind::kEnd : Terminator::Kind::kElse, rest, line_};
      if (word == "end" && !rest.empty()) {
        Fail("unexpected text behind end");
      }
    } else if (word == "if" || word == "range" || word == "with") {
      nodes.push_back(Control(word, rest));
    } else if (word == "break" || word == "continue") {
      nodes.push_back(Jump(word, rest));
    } else if (word == "define" || word == "template" || word == "block") {
      Fail(fmt::format("\"{}\" is not supported", word));
    } else {
      nodes.push_back(
          {.kind = Node::Kind::kPrint, .line = line_, .pipeline = Whole(tokens, "command")});
    }
  }

  Node Jump(const std::string& word, const std::vector<Token>& rest) const {
    if (ranges_ == 0 || !rest.empty()) {
      Fail(rest.empty() ? fmt::format("{{{{{}}}}} outside {{{{range}}}}", word)
                        : fmt::format("unexpected text behind {}", word));
    }
    return {.kind = word == "break" ? Node::Kind::kBreak : Node::Kind::kContinue, .line = line_};
  }

  Node Control(const std::string& word, const std::vector<Token>& tokens) {
    const Deeper deeper(*this);
    const std::size_t variables = variables_.size();
    Node node{.kind = word == "if"      ? Node::Kind::kIf
                      : word == "range" ? Node::Kind::kRange
                                        : Node::Kind::kWith,
              .line = line_,
              .pipeline = Whole(tokens, word)};
    const bool range = node.kind == Node::Kind::kRange;
    if (node.pipeline.variables.size() > (range ? 2 : 1)) {
      Fail(fmt::format("too many declarations in {}", word));
    }
    if (range && !node.pipeline.declares && !node.pipeline.variables.empty()) {
      Fail("range with \"=\" is not supported");
    }
    Terminator terminator;
    ranges_ += range ? 1 : 0;
    node.body = Block(terminator);
    ranges_ -= range ? 1 : 0;
    if (terminator.kind == Terminator::Kind::kElse) {
      node.otherwise = Otherwise(word, terminator);
    } else if (terminator.kind == Terminator::Kind::kText) {
      Fail("unexpected EOF");
    }
    variables_.resize(variables);
    return node;
  }

  // Parses an {{else}} part; an {{else if}} shares the {{end}}.
  std::vector<Node> Otherwise(const std::string& word, const Terminator& terminator) {
    line_ = terminator.line;
    if (!terminator.rest.empty()) {
      const Token& first = terminator.rest.front();
      if (first.kind != Kind::kWord || first.text != word || word == "range") {
        Fail("unexpected text behind else");
      }
      return {Control(word, {terminator.rest.begin() + 1, terminator.rest.end()})};
    }
    Terminator end;
    std::vector<Node> nodes = Block(end);
    if (end.kind != Terminator::Kind::kEnd) {
      Fail(end.kind == Terminator::Kind::kElse ? "unexpected {{else}}" : "unexpected EOF");
    }
    return nodes;
  }

  // Parses all tokens of an action as one pipeline.
  Pipeline Whole(const std::vector<Token>& tokens, std::string_view of) {
    tokens_ = &tokens;
    at_ = 0;
    Pipeline pipeline = ReadPipeline(of);
    if (!AtEnd()) {
      Fail(fmt::format("unexpected {} in {}", Shown(), of));
    }
    return pipeline;
  }

  bool AtEnd() const { return at_ >= tokens_->size(); }
  const Token& Peek(std::size_t ahead = 0) const {
    static const Token end;
    return at_ + ahead < tokens_->size() ? (*tokens_)[at_ + ahead] : end;
  }
  bool IsMark(std::string_view mark, std::size_t ahead = 0) const {
    return Peek(ahead).kind == Kind::kMark && Peek(ahead).text == mark;
  }
  std::string Shown() const {
    return AtEnd() ? "end" : base::Quoted(Peek().text.empty() ? "." : Peek().text);
  }

  Pipeline ReadPipeline(std::string_view of) {
    Pipeline pipeline;
    ReadVariables(pipeline);
    do {
      pipeline.commands.push_back(ReadCommand(of, pipeline.commands.size()));
    } while (TakeMark("|"));
    // A variable is defined only after the pipeline that declares it.
    if (pipeline.declares) {
      variables_.insert(variables_.end(), pipeline.variables.begin(), pipeline.variables.end());
    }
    return pipeline;
  }

  bool TakeMark(std::string_view mark) {
    const bool found = IsMark(mark);
    at_ += found ? 1 : 0;
    return found;
  }

  void ReadVariables(Pipeline& pipeline) {
    std::size_t count = 0;
    while (Peek(2 * count).kind == Kind::kVariable && IsMark(",", 2 * count + 1)) {
      ++count;
    }
    const std::size_t mark = 2 * count + 1;
    if (Peek(2 * count).kind != Kind::kVariable || (!IsMark(":=", mark) && !IsMark("=", mark))) {
      return;
    }
    for (std::size_t i = 0; i <= count; ++i) {
      pipeline.variables.push_back(Peek(2 * i).text);
    }
    pipeline.declares = IsMark(":=", mark);
    at_ += mark + 1;
    if (!pipeline.declares) {
      std::ranges::for_each(pipeline.variables, [this](const auto& name) { CheckVariable(name); });
    }
  }

  void CheckVariable(const std::string& name) const {
    if (!name.empty() && std::ranges::find(variables_, name) == variables_.end()) {
      Fail(fmt::format("undefined variable \"${}\"", name));
    }
  }

  Command ReadCommand(std::string_view of, std::size_t index) {
    Command command;
    while (!AtEnd() && !IsMark("|") && !IsMark(")")) {
      if (!command.operands.empty() && !Peek().spaced) {
        Fail(fmt::format("unexpected {} in operand", Shown()));
      }
      command.operands.push_back(ReadOperand());
    }
    if (command.operands.empty()) {
      Fail(fmt::format("missing value for {}", of));
    }
    const Operand& first = command.operands[0];
    if (first.kind == Operand::Kind::kNil) {
      Fail("nil is not a command");
    }
    if (first.kind != Operand::Kind::kFunction && (command.operands.size() > 1 || index > 0)) {
      Fail("can't give argument to non-function");
    }
    return command;
  }

  Operand ReadOperand() {
    Operand operand;
    const Token& token = Peek();
    switch (token.kind) {
      case Kind::kValue:
        operand = {.kind = Operand::Kind::kValue, .value = token.value};
        break;
      case Kind::kVariable:
        CheckVariable(token.text);
        operand = {.kind = Operand::Kind::kVariable, .name = token.text};
        break;
      case Kind::kField:
        if (!token.text.empty()) {
          operand.fields.push_back(token.text);
        }
        break;
      case Kind::kWord:
        operand = Word(token.text);
        break;
      default:
        return Parenthesis();
    }
    ++at_;
    if (operand.kind != Operand::Kind::kValue && operand.kind != Operand::Kind::kFunction) {
      ReadFields(operand, token.kind == Kind::kField && token.text.empty());
    }
    return operand;
  }

  Operand Parenthesis() {
    const Deeper deeper(*this);
    if (!TakeMark("(")) {
      Fail(fmt::format("unexpected {} in operand", Shown()));
    }
    Operand operand{.kind = Operand::Kind::kPipeline};
    operand.pipeline = std::make_shared<const Pipeline>(ReadPipeline("parenthesis"));
    if (!operand.pipeline->variables.empty()) {
      Fail("variables cannot be set in parentheses");
    }
    if (!TakeMark(")")) {
      Fail("unclosed left paren");
    }
    ReadFields(operand, false);
    return operand;
  }

  void ReadFields(Operand& operand, bool behind_dot) {
    while (Peek().kind == Kind::kField && !Peek().spaced && !AtEnd()) {
      if (behind_dot || Peek().text.empty()) {
        Fail("unexpected \".\" in operand");
      }
      operand.fields.push_back(Peek().text);
      ++at_;
    }
  }

  Operand Word(const std::string& word) const {
    if (word == "true" || word == "false") {
      return {.kind = Operand::Kind::kValue, .value = word == "true"};
    }
    if (word == "nil") {
      return {.kind = Operand::Kind::kNil};
    }
    for (const std::string_view known : {"html", "js", "urlquery", "call"}) {
      if (word == known) {
        Fail(fmt::format("function \"{}\" is not supported", word));
      }
    }
    if (!IsFunction(word)) {
      Fail(fmt::format("function \"{}\" not defined", word));
    }
    return {.kind = Operand::Kind::kFunction, .name = word};
  }

  std::vector<Segment> segments_;
  std::size_t next_ = 0;
  const std::vector<Token>* tokens_ = nullptr;
  std::size_t at_ = 0;
  std::vector<std::string> variables_;
  int line_ = 1;
  int depth_ = 0;
  int ranges_ = 0;
};

}  // namespace

std::vector<Node> Parse(std::string_view text) { return Parser(text).Run(); }

}  // namespace print::gotemplate
