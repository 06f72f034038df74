// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "json/field_path.h"
#include "json/number.h"
#include "yaml/events.h"
#include "yaml/scalar.h"
#include "yaml/yaml.h"

namespace yaml {
namespace {

constexpr int kDeepestPosition = 32;
// The maximum length of a recorded path, in bytes. A path contains the names of all parents: long
// names, each with many fields, would add up.
constexpr std::size_t kLongestPath = 1024;

// One step of a field path. The string of a path is built only on demand.
struct Where {
  const Where* owner = nullptr;
  std::string_view name;
  std::optional<std::size_t> index;
  int depth = 0;
  std::size_t path_size = 0;  // the maximum size of the path, in bytes

  static Where Member(const Where& owner, std::string_view name) {
    return {.owner = &owner,
            .name = name,
            .depth = owner.depth + 1,
            .path_size = owner.path_size + 1 + name.size()};
  }
  static Where Element(const Where& owner, std::size_t index) {
    constexpr std::size_t kBracketsAndDigits = 22;
    return {.owner = &owner,
            .index = index,
            .depth = owner.depth + 1,
            .path_size = owner.path_size + kBracketsAndDigits};
  }

  std::string Path() const {
    const std::string base = owner == nullptr ? "" : owner->Path();
    return index ? json::ElementPath(base, *index) : json::MemberPath(base, name);
  }
};

// Shortens "tag:yaml.org,2002:int" to "!!int".
std::string ShortTag(std::string_view tag) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  return tag.starts_with(kPrefix) ? "!!" + std::string(tag.substr(kPrefix.size()))
                                  : std::string(tag);
}

// Applies tag and style: a quoted scalar, or one with a foreign tag, is a string.
Scalar ReadScalar(const Event& event, Position at) {
  const auto& scalar = event.data.scalar;
  const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  const std::string tag = ShortTag(Text(scalar.tag));
  constexpr std::string_view kResolved[] = {"!!null", "!!bool", "!!int", "!!float", "!!timestamp"};
  if (std::ranges::find(kResolved, tag) == std::end(kResolved)) {
    const bool plain = tag.empty() && scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return plain ? ResolveScalar(text) : Scalar{};
  }
  Scalar result = ResolveScalar(text);
  if (tag == "!!float" && result.kind == Scalar::Kind::kInt) {
    return {.kind = Scalar::Kind::kFloat, .number = static_cast<double>(result.integer)};
  }
  if (TagOf(result.kind) != tag) {
    Fail(at, fmt::format("cannot read {} {} as {}", TagOf(result.kind), base::Quoted(text), tag));
  }
  return result;
}

std::string TextOf(const Event& event, Position at) {
  const auto& scalar = event.data.scalar;
  std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
  if (ShortTag(Text(scalar.tag)) != "!!binary") {
    return text;
  }
  try {
    return json::WithValidUtf8(base::Base64Decode(text));
  } catch (const base::Error& error) {
    Fail(at, fmt::format("!!binary value: {}", error.message()));
  }
}

// Returns an integer for a float that Go's JSON encoder writes like one ("1e3", "1.0").
json::Value FromFloat(double number, Position at) {
  if (!std::isfinite(number)) {
    Fail(at, "infinity and NaN are not JSON values");
  }
  const auto integer = base::ParseNumber<std::int64_t>(json::FormatJsonNumber(number));
  return integer ? json::Value(*integer) : json::Value(number);
}

// A mapping's key: the member's name, and its form in messages (a string quoted, so that 1 and "1"
// differ).
struct Key {
  std::string name;
  std::string shown;
};

std::string FloatKey(double number) {
  if (!std::isfinite(number)) {
    return std::isnan(number) ? ".nan" : number > 0 ? ".inf" : "-.inf";
  }
  // Kubernetes' YAML library writes float keys with a precision of 32 bits.
  const auto narrow = static_cast<float>(number);
  const std::string shortest = fmt::format("{}", narrow);
  return json::FormatGeneralNumber(std::isinf(narrow) ? number : std::stod(shortest));
}

// Builds the JSON value from the events.
class Composer {
 public:
  Composer(std::string_view text, int first_line, json::Budget& budget)
      : events_(text, first_line),
        document_{.positions = {{"", {first_line, 1}}}},
        budget_(budget) {}

  Document Compose() {
    events_.Next();  // the stream's start
    if (const Event start = events_.Next(); start.type == YAML_DOCUMENT_START_EVENT) {
      const Event root = events_.Next();
      const Where where;
      document_.positions[""] = events_.At(root.start_mark);
      document_.value = Node(root, where);
      // The next event fails if later input changes the meaning of the document, as in "a b" before
      // "c: d".
      events_.Next();
    }
    return std::move(document_);
  }

 private:
  // An anchor's value, complete once all of it has been read.
  struct Anchored {
    bool complete = false;
    json::Value value;
    std::size_t cost = 0;
    int height = 0;
  };

  void Spend(std::size_t bytes, Position at) {
    if (!budget_.Spend(bytes)) {
      Fail(at, fmt::format("too much to be read: it would take more than {} MiB of memory",
                           budget_.total() >> 20));
    }
  }

  // Charges the budget for copies of an alias, made now or possible later.
  void SpendOnCopy(std::size_t bytes, Position at) {
    if (!budget_.Spend(bytes)) {
      Fail(at, "document contains excessive aliasing");
    }
  }

  json::Value Node(const Event& event, const Where& where) {
    deepest_ = std::max(deepest_, where.depth);
    if (where.depth > json::kMaxDepth) {
      Fail(events_.At(event.start_mark), fmt::format("nested more than {} deep", json::kMaxDepth));
    }
    if (event.type == YAML_ALIAS_EVENT) {
      return Alias(event, where).value;
    }
    const std::string anchor(AnchorOf(event));
    if (anchor.empty()) {
      return Content(event, where);
    }
    anchors_[anchor] = {};
    const Position at = events_.At(event.start_mark);
    const int deepest_before = std::exchange(deepest_, where.depth);
    json::Value value = Content(event, where);
    const std::size_t cost = json::cost::Of(value);
    SpendOnCopy(json::cost::kMember + anchor.size() + cost, at);
    anchors_[anchor] = {
        .complete = true, .value = value, .cost = cost, .height = deepest_ - where.depth};
    deepest_ = std::max(deepest_, deepest_before);
    return value;
  }

  json::Value Content(const Event& event, const Where& where) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return ScalarValue(event);
      case YAML_SEQUENCE_START_EVENT:
        Spend(json::cost::kStructure, events_.At(event.start_mark));
        return Sequence(where);
      default:
        Spend(json::cost::kStructure, events_.At(event.start_mark));
        return Mapping(where);
    }
  }

  static std::string_view AnchorOf(const Event& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return Text(event.data.scalar.anchor);
      case YAML_SEQUENCE_START_EVENT:
        return Text(event.data.sequence_start.anchor);
      default:
        return Text(event.data.mapping_start.anchor);
    }
  }

  // Resolves an alias and charges its copy, so that a few lines cannot grow to gigabytes.
  const Anchored& Alias(const Event& event, const Where& where) {
    const Position at = events_.At(event.start_mark);
    const std::string name(Text(event.data.alias.anchor));
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      Fail(at, fmt::format("unknown anchor '{}' referenced", name));
    }
    if (!found->second.complete) {
      Fail(at, fmt::format("anchor '{}' value contains itself", name));
    }
    SpendOnCopy(found->second.cost, at);
    deepest_ = std::max(deepest_, where.depth + found->second.height);
    if (where.depth + found->second.height > json::kMaxDepth) {
      Fail(at, fmt::format("nested more than {} deep", json::kMaxDepth));
    }
    return found->second;
  }

  json::Value ScalarValue(const Event& event) {
    const Position at = events_.At(event.start_mark);
    const Scalar scalar = ReadScalar(event, at);
    Spend(json::cost::kScalar, at);
    switch (scalar.kind) {
      case Scalar::Kind::kNull:
        return nullptr;
      case Scalar::Kind::kBool:
        return scalar.boolean;
      case Scalar::Kind::kInt:
        return scalar.integer;
      case Scalar::Kind::kFloat:
        return FromFloat(scalar.number, at);
      default:
        Spend(json::cost::kText + event.data.scalar.length, at);
        return TextOf(event, at);
    }
  }

  json::Value Sequence(const Where& owner) {
    json::Value list = json::Value::array();
    for (std::size_t i = 0;; ++i) {
      const Event event = events_.Next();
      if (event.type == YAML_SEQUENCE_END_EVENT) {
        return list;
      }
      const Where where = Where::Element(owner, i);
      Note(where, event);
      list.push_back(Node(event, where));
    }
  }

  json::Value Mapping(const Where& owner) {
    json::Value object = json::Value::object();
    std::set<std::string> seen;
    while (true) {
      const Event event = events_.Next();
      if (event.type == YAML_MAPPING_END_EVENT) {
        return object;
      }
      const Position at = events_.At(event.start_mark);
      if (IsMerge(event, at)) {
        Merge(at, object, seen, owner);
        continue;
      }
      const Key key = ReadKey(event, owner);
      const Where where = Where::Member(owner, key.name);
      Note(where, event);
      NoteDuplicate(key, at, seen, where);
      object[key.name] = Node(events_.Next(), where);
    }
  }

  void Note(const Where& where, const Event& event) {
    if (in_merge_ == 0 && where.depth <= kDeepestPosition && where.path_size <= kLongestPath) {
      const Position at = events_.At(event.start_mark);
      Spend(json::cost::kPosition + where.path_size, at);
      document_.positions[where.Path()] = at;
    }
  }

  void NoteDuplicate(const Key& key, Position at, std::set<std::string>& seen, const Where& where) {
    // The name is stored in the object and in `seen`.
    Spend(2 * json::cost::kMember + key.name.size() + key.shown.size(), at);
    if (!seen.insert(key.shown).second) {
      Spend(json::cost::kProblem + where.path_size + key.shown.size(), at);
      document_.duplicates.Add(where.Path(),
                               fmt::format("line {}, column {}: key {} already set in map", at.line,
                                           at.column, key.shown));
    }
  }

  static bool IsMerge(const Event& event, Position at) {
    return event.type == YAML_SCALAR_EVENT && ReadScalar(event, at).kind == Scalar::Kind::kMerge;
  }

  // Merges the members of one mapping or of a list of them. Earlier mappings of the list take
  // precedence. A later key of the merging mapping takes precedence over all of them.
  void Merge(Position at, json::Value& object, std::set<std::string>& seen, const Where& owner) {
    const Where where = Where::Member(owner, "<<");
    ++in_merge_;
    const json::Value merged = Node(events_.Next(), where);
    --in_merge_;
    if (!merged.is_array()) {
      return MergeOne(merged, at, object, seen, owner);
    }
    for (auto it = merged.rbegin(); it != merged.rend(); ++it) {
      MergeOne(*it, at, object, seen, owner);
    }
  }

  void MergeOne(const json::Value& merged, Position at, json::Value& object,
                std::set<std::string>& seen, const Where& owner) {
    if (!merged.is_object()) {
      Fail(at, "map merge requires map or sequence of maps as the value");
    }
    for (const auto& [name, value] : merged.items()) {
      const Where where = Where::Member(owner, name);
      NoteDuplicate({.name = name, .shown = base::Quoted(name)}, at, seen, where);
      SpendOnCopy(json::cost::Of(value), at);
      object[name] = value;
    }
  }

  Key ReadKey(const Event& event, const Where& owner) {
    const Position at = events_.At(event.start_mark);
    if (event.type == YAML_ALIAS_EVENT) {
      const json::Value& value = Alias(event, owner).value;
      return value.is_string() ? StringKey(value.get<std::string>()) : JsonKey(value, at);
    }
    if (event.type != YAML_SCALAR_EVENT) {
      Fail(at, "a list or map cannot be a key");
    }
    const Key key = ScalarKey(event, at);
    if (const std::string_view anchor = AnchorOf(event); !anchor.empty()) {
      anchors_[std::string(anchor)] = {.complete = true, .value = ScalarValue(event)};
      anchors_[std::string(anchor)].cost = json::cost::Of(anchors_[std::string(anchor)].value);
    }
    return key;
  }

  static Key StringKey(const std::string& name) {
    return {.name = name, .shown = base::Quoted(name)};
  }

  static Key JsonKey(const json::Value& value, Position at) {
    if (value.is_structured() || value.is_null()) {
      Fail(at, value.is_null() ? "null cannot be a key" : "a list or map cannot be a key");
    }
    const std::string name =
        value.is_number_float() ? FloatKey(value.get<double>()) : json::Compact(value);
    return {.name = name, .shown = name};
  }

  static Key ScalarKey(const Event& event, Position at) {
    const Scalar scalar = ReadScalar(event, at);
    switch (scalar.kind) {
      case Scalar::Kind::kNull:
        Fail(at, "null cannot be a key");
      case Scalar::Kind::kBool:
        return JsonKey(scalar.boolean, at);
      case Scalar::Kind::kInt:
        return JsonKey(scalar.integer, at);
      case Scalar::Kind::kFloat:
        return {.name = FloatKey(scalar.number), .shown = FloatKey(scalar.number)};
      default:
        return StringKey(TextOf(event, at));
    }
  }

  Events events_;
  Document document_;
  std::map<std::string, Anchored> anchors_;
  json::Budget& budget_;
  int deepest_ = 0;
  int in_merge_ = 0;
};

}  // namespace

Document Parse(std::string_view text, int first_line, json::Budget& budget) {
  return Composer(text, first_line, budget).Compose();
}

Document Parse(std::string_view text, int first_line) {
  json::Budget budget;
  return Parse(text, first_line, budget);
}

Position PositionOf(const Document& document, std::string_view path) {
  while (true) {
    if (const auto found = document.positions.find(std::string(path));
        found != document.positions.end()) {
      return found->second;
    }
    if (path.empty()) {
      return {.line = 1, .column = 1};
    }
    const std::size_t cut = path.find_last_of(".[");
    path = path.substr(0, cut == path.npos ? 0 : cut);
  }
}

}  // namespace yaml
