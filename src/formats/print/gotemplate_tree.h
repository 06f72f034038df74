// SPDX-License-Identifier: Apache-2.0
// The parsed form of Go templates; only gotemplate*.cc include this.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "json/value.h"
#include "print/gotemplate.h"

namespace print::gotemplate {

// Token of an action ("{{…}}").
struct Token {
  enum class Kind {
    kEnd,
    kField,     // ".name"; "." alone has an empty name
    kVariable,  // "$name" without the "$"
    kWord,      // function or keyword
    kValue,     // string, number, character
    kMark       // ( ) | , := =
  } kind = Kind::kEnd;
  std::string text;
  json::Value value;
  bool spaced = false;  // a space precedes the token
};

// Literal text, or the tokens of an action.
struct Segment {
  bool action = false;
  std::string text;
  std::vector<Token> tokens;
  int line = 1;
};

// Splits a template; applies trim markers and removes comments.
std::vector<Segment> Scan(std::string_view text);

struct Pipeline;

// The first word of a command, or one of its arguments, with its field path.
struct Operand {
  enum class Kind { kValue, kDot, kVariable, kFunction, kNil, kPipeline } kind = Kind::kDot;
  std::string name;  // of a variable or function
  json::Value value;
  std::shared_ptr<const Pipeline> pipeline;
  std::vector<std::string> fields;
};

struct Command {
  std::vector<Operand> operands;
};

struct Pipeline {
  std::vector<std::string> variables;  // declared or set
  bool declares = false;
  std::vector<Command> commands;
};

struct Node {
  enum class Kind { kText, kPrint, kIf, kRange, kWith, kBreak, kContinue } kind = Kind::kText;
  int line = 1;
  std::string text;
  Pipeline pipeline;
  std::vector<Node> body;
  std::vector<Node> otherwise;
};

std::vector<Node> Parse(std::string_view text);

// Runs a function on its arguments. Throws base::Error(kInvalid). "and" and "or" are not here: they
// do not evaluate all arguments.
json::Value Call(const std::string& name, const std::vector<json::Value>& arguments);
bool IsFunction(std::string_view name);

// IsTrue returns whether Go counts the value as non-empty. Shown formats it like %v.
bool IsTrue(const json::Value& value);
std::string Shown(const json::Value& value);

// The maximum length of a function's result, in bytes.
inline constexpr std::size_t kLongestText = std::size_t{16} << 20;
// Appends `more` to `text`. Throws base::Error(kInvalid) if the string becomes longer than
// kLongestText.
void Append(std::string& text, std::string_view more);

// Printf is Go's fmt.Sprintf for the verbs %v %s %q %d %t %x %X %c %f %e %g %T %%.
std::string Printf(const std::string& format, std::span<const json::Value> arguments);

}  // namespace print::gotemplate

struct print::GoTemplate::Tree {
  std::vector<gotemplate::Node> nodes;
};
