// SPDX-License-Identifier: Apache-2.0
#include "print/gotemplate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "json/budget.h"
#include "print/gotemplate_tree.h"

namespace print {
namespace {

using gotemplate::Command;
using gotemplate::Node;
using gotemplate::Operand;
using gotemplate::Pipeline;

constexpr std::size_t kMostSteps = 10'000'000;
// The output limit: a thousand times more than the largest output of this program.
constexpr std::size_t kMostOutput = std::size_t{16} << 20;
// The computation limit of one run, in bytes of the values that it creates. Since variables and
// arguments are such values, this limits memory, too.
constexpr std::size_t kMostComputed = std::size_t{128} << 20;

[[noreturn]] void Fail(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

enum class Flow { kNext, kBreak, kContinue };

class Executor {
 public:
  Executor(const json::Value& root, MissingKeys missing) : root_(root), missing_(missing) {}

  std::string Run(const std::vector<Node>& nodes) {
    Block(nodes, root_);
    return std::move(out_);
  }

 private:
  Flow Block(const std::vector<Node>& nodes, const json::Value& dot) {
    const std::size_t variables = variables_.size();
    Flow flow = Flow::kNext;
    for (const Node& node : nodes) {
      Step();
      line_ = node.line;
      flow = Execute(node, dot);
      if (flow != Flow::kNext) {
        break;
      }
    }
    variables_.resize(variables);
    return flow;
  }

  Flow Execute(const Node& node, const json::Value& dot) {
    switch (node.kind) {
      case Node::Kind::kText:
        Write(node.text);
        return Flow::kNext;
      case Node::Kind::kPrint:
        Print(node, dot);
        return Flow::kNext;
      case Node::Kind::kBreak:
        return Flow::kBreak;
      case Node::Kind::kContinue:
        return Flow::kContinue;
      default:
        break;
    }
    const std::size_t variables = variables_.size();
    const json::Value value = AtLine([&] { return Evaluate(node.pipeline, dot); });
    const Flow flow = Control(node, value, dot);
    variables_.resize(variables);
    return flow;
  }

  Flow Control(const Node& node, const json::Value& value, const json::Value& dot) {
    if (node.kind == Node::Kind::kRange) {
      return Range(node, value, dot);
    }
    Assign(node.pipeline, value);
    if (!gotemplate::IsTrue(value)) {
      return Block(node.otherwise, dot);
    }
    return Block(node.body, node.kind == Node::Kind::kWith ? value : dot);
  }

  void Print(const Node& node, const json::Value& dot) {
    const json::Value value = AtLine([&] { return Evaluate(node.pipeline, dot); });
    if (node.pipeline.variables.empty()) {
      Write(value.is_null() ? "<no value>" : gotemplate::Shown(value));
    } else {
      Assign(node.pipeline, value);
    }
  }

  Flow Range(const Node& node, const json::Value& value, const json::Value& dot) {
    if (!value.is_structured() && !value.is_null() && !value.is_number_integer()) {
      AtLine(
          [&]() -> json::Value { Fail("range can't iterate over " + gotemplate::Shown(value)); });
    }
    if (!gotemplate::IsTrue(value) || (value.is_number() && value < 0)) {
      return Block(node.otherwise, dot);
    }
    if (value.is_number()) {
      Count(node, value.get<std::int64_t>());
    } else {
      Iterate(node, value);
    }
    return Flow::kNext;
  }

  void Count(const Node& node, std::int64_t count) {
    for (std::int64_t i = 0; i < count && Once(node, {i, i}); ++i) {
    }
  }

  void Iterate(const Node& node, const json::Value& value) {
    std::int64_t i = 0;
    for (const auto& [key, member] : value.items()) {
      if (!Once(node, {value.is_array() ? json::Value(i++) : json::Value(key), member})) {
        break;
      }
    }
  }

  struct Entry {
    json::Value key;
    const json::Value& value;
  };

  // Runs a range's body for one entry. Returns false if the range must end.
  bool Once(const Node& node, const Entry& entry) {
    Step();
    const std::vector<std::string>& names = node.pipeline.variables;
    const std::size_t variables = variables_.size();
    if (names.size() == 2) {
      variables_.emplace_back(names[0], entry.key);
    }
    if (!names.empty()) {
      variables_.emplace_back(names.back(), entry.value);
    }
    const Flow flow = Block(node.body, entry.value);
    variables_.resize(variables);
    return flow != Flow::kBreak;
  }

  void Assign(const Pipeline& pipeline, const json::Value& value) {
    if (pipeline.variables.empty()) {
      return;
    }
    const std::string& name = pipeline.variables.front();
    if (pipeline.declares) {
      variables_.emplace_back(name, value);
    } else {
      Variable(name) = value;
    }
  }

  json::Value& Variable(const std::string& name) {
    const auto found = std::ranges::find(variables_.rbegin(), variables_.rend(), name,
                                         &std::pair<std::string, json::Value>::first);
    if (found == variables_.rend()) {
      Fail(fmt::format("undefined variable \"${}\"", name));
    }
    return found->second;
  }

  json::Value Evaluate(const Pipeline& pipeline, const json::Value& dot) {
    json::Value value;
    for (const Command& command : pipeline.commands) {
      Step();
      const bool first = &command == &pipeline.commands.front();
      value = Evaluate(command, first ? nullptr : &value, dot);
    }
    return value;
  }

  json::Value Evaluate(const Command& command, const json::Value* piped, const json::Value& dot) {
    const Operand& first = command.operands.front();
    if (first.kind != Operand::Kind::kFunction) {
      return Evaluate(first, dot);
    }
    std::vector<json::Value> arguments;
    const bool lazy = first.name == "and" || first.name == "or";
    const auto enough = [&] {
      return lazy && !arguments.empty() &&
             gotemplate::IsTrue(arguments.back()) == (first.name == "or");
    };
    for (std::size_t i = 1; i < command.operands.size() && !enough(); ++i) {
      arguments.push_back(Evaluate(command.operands[i], dot));
    }
    if (piped != nullptr && !enough()) {
      arguments.push_back(*piped);
    }
    return Computed(gotemplate::Call(first.name, arguments));
  }

  json::Value Evaluate(const Operand& operand, const json::Value& dot) {
    switch (operand.kind) {
      case Operand::Kind::kValue:
        return Computed(operand.value);
      case Operand::Kind::kDot:
        return Fields(dot, operand.fields);
      case Operand::Kind::kVariable:
        return Fields(operand.name.empty() ? root_ : Variable(operand.name), operand.fields);
      case Operand::Kind::kFunction:
        return Computed(gotemplate::Call(operand.name, {}));
      case Operand::Kind::kPipeline:
        return Fields(Evaluate(*operand.pipeline, dot), operand.fields);
      case Operand::Kind::kNil:
        break;
    }
    return {};
  }

  // Charges a computed value. The value already exists at this point, but its size is at most that
  // of its inputs, or the length limit of a string (gotemplate::kLongestText).
  json::Value Computed(json::Value value) {
    if (!computed_.Spend(json::cost::Of(value))) {
      Fail(fmt::format("the template computes more than {} MiB of values", kMostComputed >> 20));
    }
    return value;
  }

  json::Value Fields(const json::Value& value, const std::vector<std::string>& fields) {
    const json::Value* current = &value;
    for (const std::string& name : fields) {
      if (!current->is_object() && !current->is_null()) {
        Fail(fmt::format("can't evaluate field {} in a {}", name, json::KindOf(*current)));
      }
      const json::Value& found = json::At(*current, {name});
      if (missing_ == MissingKeys::kRefused && current->is_object() && !current->contains(name)) {
        Fail(fmt::format("map has no entry for key \"{}\"", name));
      }
      current = &found;
    }
    return Computed(*current);
  }

  template <typename F>
  json::Value AtLine(F&& evaluate) {
    try {
      return evaluate();
    } catch (base::Error& error) {
      error.Prepend(fmt::format("line {}", line_));
      throw;
    }
  }

  void Step() {
    if (++steps_ > kMostSteps) {
      Fail("the template runs for too long");
    }
  }

  void Write(std::string_view text) {
    if (out_.size() + text.size() > kMostOutput) {
      Fail(fmt::format("the output is longer than {} MiB", kMostOutput >> 20));
    }
    out_ += text;
  }

  const json::Value& root_;
  MissingKeys missing_;
  std::string out_;
  std::vector<std::pair<std::string, json::Value>> variables_;
  json::Budget computed_{kMostComputed};
  std::size_t steps_ = 0;
  int line_ = 1;
};

}  // namespace

GoTemplate::GoTemplate(std::string_view text) {
  if (text.size() > kLongestTemplate) {
    Fail(fmt::format("the template is longer than {} KiB", kLongestTemplate >> 10));
  }
  tree_ = std::make_unique<Tree>(Tree{gotemplate::Parse(text)});
}
GoTemplate::~GoTemplate() = default;
GoTemplate::GoTemplate(GoTemplate&&) noexcept = default;
GoTemplate& GoTemplate::operator=(GoTemplate&&) noexcept = default;

std::string GoTemplate::Execute(const json::Value& value, MissingKeys missing) const {
  return Executor(value, missing).Run(tree_->nodes);
}

}  // namespace print
