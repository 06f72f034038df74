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
#include "data/field_path.h"
#include "data/number.h"
#include "data/yaml.h"
#include "data/yaml_scalar.h"

namespace data {
namespace {

constexpr std::size_t kMostAliasedNodes = 1'000'000;
constexpr int kDeepestPosition = 32;

[[noreturn]] void Fail(Position at, std::string_view what) {
  throw base::Error(base::Error::Kind::kInvalid,
                    fmt::format("line {}, column {}: {}", at.line, at.column, what));
}

// Where is one step of a field path; the text is only made when somebody asks for it.
struct Where {
  const Where* owner = nullptr;
  std::string_view name;
  std::optional<std::size_t> index;
  int depth = 0;

  std::string Path() const {
    const std::string base = owner == nullptr ? "" : owner->Path();
    return index ? ElementPath(base, *index) : MemberPath(base, name);
  }
};

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

std::string_view Text(const yaml_char_t* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

// Events reads a text's events and turns libyaml's failures into errors.
class Events {
 public:
  Events(std::string_view text, int first_line) : text_(text), first_line_(first_line) {
    if (yaml_parser_initialize(&parser_) == 0) {
      throw std::bad_alloc();
    }
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Events() { yaml_parser_delete(&parser_); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  Event Next() {
    Event event;
    if (yaml_parser_parse(&parser_, &event) == 0) {
      FailAtProblem();
    }
    return event;
  }

  Position At(const yaml_mark_t& mark) const {
    return {.line = first_line_ + static_cast<int>(mark.line),
            .column = static_cast<int>(mark.column) + 1};
  }

 private:
  [[noreturn]] void FailAtProblem() const {
    const char* problem = parser_.problem == nullptr ? "unreadable" : parser_.problem;
    if (parser_.error == YAML_MEMORY_ERROR) {
      throw std::bad_alloc();
    }
    if (parser_.error == YAML_READER_ERROR) {
      Fail(AtOffset(parser_.problem_offset), problem);
    }
    const Position at = At(parser_.problem_mark);
    if (parser_.context == nullptr) {
      Fail(at, problem);
    }
    const Position from = At(parser_.context_mark);
    Fail(at, fmt::format("{} ({} from line {}, column {})", problem, parser_.context, from.line,
                         from.column));
  }

  Position AtOffset(std::size_t offset) const {
    const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
    const std::size_t newline = before.rfind('\n');
    const std::size_t line_start = newline == before.npos ? 0 : newline + 1;
    return {.line = first_line_ + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
            .column = static_cast<int>(before.size() - line_start) + 1};
  }

  yaml_parser_t parser_;
  std::string_view text_;
  int first_line_;
};

// ShortTag turns "tag:yaml.org,2002:int" into "!!int".
std::string ShortTag(std::string_view tag) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  return tag.starts_with(kPrefix) ? "!!" + std::string(tag.substr(kPrefix.size()))
                                  : std::string(tag);
}

// ReadScalar applies tag and style: what is quoted or has a foreign tag is a string.
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
    return WithValidUtf8(base::Base64Decode(text));
  } catch (const base::Error& error) {
    Fail(at, fmt::format("!!binary value: {}", error.message()));
  }
}

// FromFloat makes an integer of a float that Go's JSON encoder writes like one ("1e3", "1.0").
Json FromFloat(double number, Position at) {
  if (!std::isfinite(number)) {
    Fail(at, "infinity and NaN are no JSON values");
  }
  const auto integer = base::ParseNumber<std::int64_t>(FormatJsonNumber(number));
  return integer ? Json(*integer) : Json(number);
}

// Key is a mapping's key: the member's name, and how messages show it (a string quoted, so that
// 1 and "1" are told apart).
struct Key {
  std::string name;
  std::string shown;
};

std::string FloatKey(double number) {
  if (!std::isfinite(number)) {
    return std::isnan(number) ? ".nan" : number > 0 ? ".inf" : "-.inf";
  }
  // Kubernetes' YAML library writes float keys with the precision of 32 bits.
  const auto narrow = static_cast<float>(number);
  const std::string shortest = fmt::format("{}", narrow);
  return FormatGeneralNumber(std::isinf(narrow) ? number : std::stod(shortest));
}

// Composer builds the JSON value from the events.
class Composer {
 public:
  Composer(std::string_view text, int first_line)
      : events_(text, first_line), document_{.positions = {{"", {first_line, 1}}}} {}

  YamlDocument Compose() {
    events_.Next();  // the stream's start
    if (const Event start = events_.Next(); start.type == YAML_DOCUMENT_START_EVENT) {
      const Event root = events_.Next();
      const Where where;
      document_.positions[""] = events_.At(root.start_mark);
      document_.value = Node(root, where);
    }
    return std::move(document_);
  }

 private:
  // Anchored is an anchor's value, complete once all of it has been read.
  struct Anchored {
    bool complete = false;
    Json value;
    std::size_t nodes = 0;
    int height = 0;
  };

  Json Node(const Event& event, const Where& where) {
    ++nodes_;
    deepest_ = std::max(deepest_, where.depth);
    if (where.depth > kMaxDepth) {
      Fail(events_.At(event.start_mark), fmt::format("nested more than {} deep", kMaxDepth));
    }
    if (event.type == YAML_ALIAS_EVENT) {
      return Alias(event, where).value;
    }
    const std::string anchor(AnchorOf(event));
    if (anchor.empty()) {
      return Content(event, where);
    }
    anchors_[anchor] = {};
    const std::size_t nodes_before = nodes_;
    const int deepest_before = std::exchange(deepest_, where.depth);
    Json value = Content(event, where);
    anchors_[anchor] = {.complete = true,
                        .value = value,
                        .nodes = nodes_ - nodes_before + 1,
                        .height = deepest_ - where.depth};
    deepest_ = std::max(deepest_, deepest_before);
    return value;
  }

  Json Content(const Event& event, const Where& where) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return ScalarValue(event);
      case YAML_SEQUENCE_START_EVENT:
        return Sequence(where);
      default:
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

  // Alias finds the value of an alias and counts what copying it costs, so that a few lines cannot
  // grow to gigabytes.
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
    nodes_ += found->second.nodes;
    aliased_ += found->second.nodes;
    deepest_ = std::max(deepest_, where.depth + found->second.height);
    if (aliased_ > kMostAliasedNodes) {
      Fail(at, "aliases expand to too much");
    }
    if (where.depth + found->second.height > kMaxDepth) {
      Fail(at, fmt::format("nested more than {} deep", kMaxDepth));
    }
    return found->second;
  }

  Json ScalarValue(const Event& event) {
    const Position at = events_.At(event.start_mark);
    const Scalar scalar = ReadScalar(event, at);
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
        nodes_ += event.data.scalar.length / 64;  // long texts count too when aliases copy them
        return TextOf(event, at);
    }
  }

  Json Sequence(const Where& owner) {
    Json list = Json::array();
    for (std::size_t i = 0;; ++i) {
      const Event event = events_.Next();
      if (event.type == YAML_SEQUENCE_END_EVENT) {
        return list;
      }
      const Where where{.owner = &owner, .index = i, .depth = owner.depth + 1};
      Note(where, event);
      list.push_back(Node(event, where));
    }
  }

  Json Mapping(const Where& owner) {
    Json object = Json::object();
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
      const Where where{.owner = &owner, .name = key.name, .depth = owner.depth + 1};
      Note(where, event);
      NoteDuplicate(key, at, seen, where);
      object[key.name] = Node(events_.Next(), where);
    }
  }

  void Note(const Where& where, const Event& event) {
    if (in_merge_ == 0 && where.depth <= kDeepestPosition) {
      document_.positions[where.Path()] = events_.At(event.start_mark);
    }
  }

  void NoteDuplicate(const Key& key, Position at, std::set<std::string>& seen, const Where& where) {
    if (!seen.insert(key.shown).second) {
      document_.duplicates.Add(where.Path(),
                               fmt::format("line {}, column {}: key {} already set in map", at.line,
                                           at.column, key.shown));
    }
  }

  static bool IsMerge(const Event& event, Position at) {
    return event.type == YAML_SCALAR_EVENT && ReadScalar(event, at).kind == Scalar::Kind::kMerge;
  }

  // Merge takes in the members of one mapping or of a list of them; the first of a list wins, and
  // a later key of the mapping itself wins over all of them.
  void Merge(Position at, Json& object, std::set<std::string>& seen, const Where& owner) {
    const Where where{.owner = &owner, .name = "<<", .depth = owner.depth + 1};
    ++in_merge_;
    const Json merged = Node(events_.Next(), where);
    --in_merge_;
    if (!merged.is_array()) {
      return MergeOne(merged, at, object, seen, owner);
    }
    for (auto it = merged.rbegin(); it != merged.rend(); ++it) {
      MergeOne(*it, at, object, seen, owner);
    }
  }

  void MergeOne(const Json& merged, Position at, Json& object, std::set<std::string>& seen,
                const Where& owner) {
    if (!merged.is_object()) {
      Fail(at, "map merge requires map or sequence of maps as the value");
    }
    for (const auto& [name, value] : merged.items()) {
      const Where where{.owner = &owner, .name = name, .depth = owner.depth + 1};
      NoteDuplicate({.name = name, .shown = base::Quoted(name)}, at, seen, where);
      object[name] = value;
    }
  }

  Key ReadKey(const Event& event, const Where& owner) {
    const Position at = events_.At(event.start_mark);
    if (event.type == YAML_ALIAS_EVENT) {
      const Json& value = Alias(event, owner).value;
      return value.is_string() ? StringKey(value.get<std::string>()) : JsonKey(value, at);
    }
    if (event.type != YAML_SCALAR_EVENT) {
      Fail(at, "a list or map cannot be a key");
    }
    const Key key = ScalarKey(event, at);
    if (const std::string_view anchor = AnchorOf(event); !anchor.empty()) {
      anchors_[std::string(anchor)] = {.complete = true, .value = ScalarValue(event), .nodes = 1};
    }
    return key;
  }

  static Key StringKey(const std::string& name) {
    return {.name = name, .shown = base::Quoted(name)};
  }

  static Key JsonKey(const Json& value, Position at) {
    if (value.is_structured() || value.is_null()) {
      Fail(at, value.is_null() ? "null cannot be a key" : "a list or map cannot be a key");
    }
    const std::string name =
        value.is_number_float() ? FloatKey(value.get<double>()) : Compact(value);
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
  YamlDocument document_;
  std::map<std::string, Anchored> anchors_;
  std::size_t nodes_ = 0;    // made so far, with those that aliases brought
  std::size_t aliased_ = 0;  // of these, brought by aliases
  int deepest_ = 0;
  int in_merge_ = 0;
};

}  // namespace

YamlDocument ParseYaml(std::string_view text, int first_line) {
  return Composer(text, first_line).Compose();
}

Position PositionOf(const YamlDocument& document, std::string_view path) {
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

std::vector<YamlPiece> SplitYaml(std::string_view stream) {
  std::vector<YamlPiece> pieces;
  YamlPiece piece;
  int line_number = 0;
  while (!stream.empty()) {
    ++line_number;
    const std::size_t end = std::min(stream.find('\n'), stream.size() - 1) + 1;
    const std::string_view line = stream.substr(0, end);
    stream.remove_prefix(end);
    if (!line.starts_with("---")) {
      piece.text += line;
      continue;
    }
    const std::string_view rest = base::Trim(line.substr(3));
    if (!rest.empty() && !rest.starts_with('#')) {
      throw base::Error(
          base::Error::Kind::kInvalid,
          fmt::format("line {}: invalid YAML document separator: {}", line_number, rest));
    }
    if (!piece.text.empty()) {
      pieces.push_back(std::move(piece));
    }
    piece = {.text = "", .first_line = line_number + 1};
  }
  if (!piece.text.empty()) {
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace data
