// SPDX-License-Identifier: Apache-2.0
#include "print/jsonpath.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "json/budget.h"
#include "json/number.h"
#include "print/jsonpath_tree.h"

namespace print {
namespace {

using jsonpath::Field;
using jsonpath::Filter;
using jsonpath::Item;
using jsonpath::Literal;
using jsonpath::Path;
using jsonpath::Recursive;
using jsonpath::Slice;
using jsonpath::Step;
using jsonpath::Union;
using jsonpath::Wildcard;

using Values = std::vector<const json::Value*>;

constexpr std::size_t kMostValues = 1'000'000;
// The output limit. ".." finds a value, and also each value within it, so the output may be more
// than a thousand times the input.
constexpr std::size_t kMostOutput = std::size_t{16} << 20;

[[noreturn]] void Fail(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

// Finds the values of paths. The results live as long as the value and the template.
class Evaluator {
 public:
  explicit Evaluator(MissingKeys missing) : missing_(missing) {}

  Values Find(const json::Value& value, const Path& path) {
    Values current{&value};
    for (const Step& step : path) {
      Values next;
      std::visit([&](const auto& kind) { Take(kind, current, next); }, step);
      current = std::move(next);
    }
    return current;
  }

 private:
  using Step = jsonpath::Step;

  void Add(Values& values, const json::Value& value) {
    if (++found_ > kMostValues) {
      Fail("the expression selects too many values");
    }
    values.push_back(&value);
  }

  void Take(const Field& field, const Values& from, Values& to) {
    for (const json::Value* value : from) {
      if (const auto found = value->find(field.name); found != value->end()) {
        Add(to, *found);
      }
    }
    if (to.empty() && !from.empty() && missing_ == MissingKeys::kRefused) {
      Fail(fmt::format("{} is not found", field.name));
    }
  }

  void Take(const Wildcard&, const Values& from, Values& to) {
    for (const json::Value* value : from) {
      AddChildren(*value, to);
    }
  }

  void AddChildren(const json::Value& value, Values& to) {
    if (!value.is_structured()) {
      return;
    }
    for (const json::Value& child : value) {
      Add(to, child);
    }
  }

  void Take(const Recursive&, const Values& from, Values& to) {
    for (const json::Value* value : from) {
      AddAll(*value, to);
    }
  }

  // ".." skips numbers, booleans, nulls and empty values, as in kubectl.
  void AddAll(const json::Value& value, Values& to) {
    const bool text = value.is_string() && !value.get_ref<const std::string&>().empty();
    if (!text && (!value.is_structured() || value.empty())) {
      return;
    }
    Add(to, value);
    if (!text) {
      for (const json::Value& child : value) {
        AddAll(child, to);
      }
    }
  }

  void Take(const Slice& slice, const Values& from, Values& to) {
    for (const json::Value* value : from) {
      if (value->is_null()) {
        continue;
      }
      if (!value->is_array()) {
        Fail(fmt::format("a {} is not array or slice", json::KindOf(*value)));
      }
      TakeSlice(slice, *value, to);
    }
  }

  void TakeSlice(const Slice& slice, const json::Value& list, Values& to) {
    const auto size = static_cast<std::int64_t>(list.size());
    const auto from_end = [size](std::int64_t i) { return i < 0 ? i + size : i; };
    const std::int64_t begin = from_end(slice.begin.value_or(0));
    const std::int64_t end = slice.index ? begin + 1 : from_end(slice.end.value_or(size));
    const std::int64_t step = slice.step.value_or(1);
    if (step <= 0) {
      Fail("step must be > 0");
    }
    if (begin == end) {
      return;
    }
    if (begin < 0 || begin >= size) {
      OutOfBounds(begin, size);
    }
    if (end < 0 || end > size) {
      OutOfBounds(end - 1, size);
    }
    if (begin > end) {
      Fail(fmt::format("starting index {} is greater than ending index {}", begin, end));
    }
    for (std::int64_t i = begin; i < end; i += std::min(step, size)) {
      Add(to, list[static_cast<std::size_t>(i)]);
    }
  }

  [[noreturn]] static void OutOfBounds(std::int64_t index, std::int64_t size) {
    Fail(fmt::format("array index out of bounds: index {}, length {}", index, size));
  }

  void Take(const Union& all, const Values& from, Values& to) {
    for (const Path& part : all.parts) {
      for (const json::Value* value : from) {
        std::ranges::copy(Find(*value, part), std::back_inserter(to));
      }
    }
  }

  void Take(const Literal& literal, const Values&, Values& to) { Add(to, literal.value); }

  void Take(const Filter& filter, const Values& from, Values& to) {
    for (const json::Value* value : from) {
      if (!value->is_array() && !value->is_null()) {
        Fail(
            fmt::format("a {} is not array or slice and cannot be filtered", json::KindOf(*value)));
      }
      TakeMatching(filter, *value, to);
    }
  }

  void TakeMatching(const Filter& filter, const json::Value& list, Values& to) {
    for (const json::Value& element : list) {
      if (Holds(filter, element)) {
        Add(to, element);
      }
    }
  }

  bool Holds(const Filter& filter, const json::Value& element) {
    if (filter.comparison.empty()) {
      const MissingKeys before = std::exchange(missing_, MissingKeys::kAllowed);
      const bool found = !Find(element, *filter.left).empty();
      missing_ = before;
      return found;
    }
    const Values left = Find(element, *filter.left);
    const Values right = Find(element, *filter.right);
    if (left.size() > 1 || right.size() > 1) {
      Fail("can only compare one element at a time");
    }
    return !left.empty() && !right.empty() && Compare(*left[0], filter.comparison, *right[0]);
  }

  static bool Compare(const json::Value& left, std::string_view comparison,
                      const json::Value& right) {
    if (left.is_null() || right.is_null()) {
      return comparison == "!=" ? left != right : comparison == "==" && left == right;
    }
    if (!left.is_primitive() || !right.is_primitive()) {
      Fail("invalid type for comparison");
    }
    if (json::KindOf(left) != json::KindOf(right)) {
      Fail(fmt::format("incompatible types for comparison: {} and {}", json::KindOf(left),
                       json::KindOf(right)));
    }
    if (comparison == "==" || comparison == "!=") {
      return (left == right) == (comparison == "==");
    }
    if (left.is_boolean()) {
      Fail("invalid type for comparison");
    }
    const bool or_equal = comparison.size() == 2 && left == right;
    return or_equal || (comparison[0] == '<' ? left < right : right < left);
  }

  MissingKeys missing_;
  std::size_t found_ = 0;
};

// Calls `emit` with the values of each literal and expression in turn.
template <typename Emit>
void Walk(Evaluator& evaluator, const json::Value& value, const std::vector<Item>& items,
          Emit&& emit) {
  for (const Item& item : items) {
    if (item.kind == Item::Kind::kText) {
      const json::Value text = item.text;
      emit(Values{&text});
      continue;
    }
    const Values found = evaluator.Find(value, item.path);
    if (item.kind == Item::Kind::kPath) {
      emit(found);
      continue;
    }
    std::ranges::for_each(
        found, [&](const json::Value* element) { Walk(evaluator, *element, item.body, emit); });
  }
}

void CheckOutput(const std::string& text) {
  if (text.size() > kMostOutput) {
    Fail(fmt::format("the output is longer than {} MiB", kMostOutput >> 20));
  }
}

std::string Shown(const json::Value& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_float()) {
    return json::FormatGeneralNumber(value.get<double>());
  }
  return json::Compact(value);
}

}  // namespace

struct JsonPath::Template {
  std::vector<Item> items;
};

JsonPath::JsonPath(std::string_view text) {
  if (text.size() > kLongestTemplate) {
    Fail(fmt::format("the template is longer than {} KiB", kLongestTemplate >> 10));
  }
  template_ = std::make_unique<Template>(Template{jsonpath::Parse(text)});
}
JsonPath::~JsonPath() = default;
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;

std::string JsonPath::Text(const json::Value& value, MissingKeys missing) const {
  std::string text;
  Evaluator evaluator(missing);
  Walk(evaluator, value, template_->items, [&text](const Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      text += (i == 0 ? "" : " ") + Shown(*values[i]);
      CheckOutput(text);
    }
  });
  return text;
}

std::string JsonPath::JsonText(const json::Value& value, MissingKeys missing) const {
  std::string text;
  Evaluator evaluator(missing);
  Walk(evaluator, value, template_->items, [&text](const Values& values) {
    json::Value list = json::Value::array();
    json::Budget budget;
    for (const json::Value* found : values) {
      if (!budget.Spend(json::cost::Of(*found))) {
        Fail(fmt::format("the expression selects more than {} MiB of values",
                         json::kMostMemory >> 20));
      }
      list.push_back(*found);
    }
    text += json::Pretty(list) + "\n";
    CheckOutput(text);
  });
  return text;
}

}  // namespace print
