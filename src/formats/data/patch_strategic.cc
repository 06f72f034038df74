#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "data/field_path.h"
#include "data/patch.h"
#include "data/patch_schema.h"

namespace data {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

[[noreturn]] void Fail(const std::string& path, std::string_view what) {
  throw base::Error(base::Error::Kind::kInvalid,
                    path.empty() ? std::string(what) : fmt::format("{}: {}", path, what));
}

// Directive is what an object's "$patch" asks for.
enum class Directive { kMerge, kReplace, kDelete };

Directive DirectiveOf(const Json& patch, const std::string& path) {
  if (!patch.is_object() || !patch.contains(kDirective)) {
    return Directive::kMerge;
  }
  const std::string text = TextAt(patch, {kDirective});
  if (text == "merge") {
    return Directive::kMerge;
  }
  if (text == "replace") {
    return Directive::kReplace;
  }
  if (text != "delete") {
    Fail(path, fmt::format("$patch has to be merge, replace or delete, not {}",
                           Compact(patch.at(std::string(kDirective)))));
  }
  return Directive::kDelete;
}

void ExpectList(const Json& value, const std::string& path) {
  if (!value.is_array()) {
    Fail(path, fmt::format("expected a list, got a {}", KindOf(value)));
  }
}

bool Contains(const Json& list, const Json& value) {
  return std::ranges::find(list, value) != list.end();
}

// Merger applies a patch; `path` is the field path without indices, which rules go by.
class Merger {
 public:
  explicit Merger(PatchSchema schema) : schema_(schema) {}

  Json MergeObject(Json value, const Json& patch, const std::string& path) {
    switch (DirectiveOf(patch, path)) {
      case Directive::kDelete:
        return Json::object();
      case Directive::kReplace:
        return Clean(patch, path);
      case Directive::kMerge:
        break;
    }
    if (!value.is_object()) {
      value = Json::object();
    }
    RetainKeys(value, patch, path);
    for (const auto& [name, member] : patch.items()) {
      if (!name.starts_with('$')) {
        MergeMember(value, name, patch, path);
      } else if (name.starts_with(kDeleteFrom) || name.starts_with(kOrder)) {
        MergeUnnamedList(value, name, patch, path);
      } else if (name != kDirective && name != kRetainKeys) {
        Fail(path, fmt::format("unknown directive \"{}\"", name));
      }
    }
    return value;
  }

 private:
  void RetainKeys(Json& value, const Json& patch, const std::string& path) {
    const auto keys = patch.find(kRetainKeys);
    if (keys == patch.end()) {
      return;
    }
    ExpectList(*keys, MemberPath(path, kRetainKeys));
    for (const auto& [name, member] : patch.items()) {
      if (!name.starts_with('$') && !member.is_null() && !Contains(*keys, name)) {
        Fail(path, fmt::format("$retainKeys lacks \"{}\", which the patch sets", name));
      }
    }
    for (auto it = value.begin(); it != value.end();) {
      it = Contains(*keys, it.key()) ? std::next(it) : value.erase(it);
    }
  }

  void MergeMember(Json& value, const std::string& name, const Json& patch,
                   const std::string& owner) {
    const Json& member = patch.at(name);
    const std::string path = MemberPath(owner, name);
    if (member.is_null()) {
      value.erase(name);
    } else if (member.is_object()) {
      Json& slot = value[name];
      slot = MergeObject(std::move(slot), member, path);
    } else if (member.is_array() && RuleAt(schema_, path).list != MergeRule::List::kReplaced) {
      Json& slot = value[name];
      slot = MergeList(std::move(slot), name, patch, path);
    } else {
      value[name] = Clean(member, path);
    }
  }

  // MergeUnnamedList serves a directive whose list the patch itself does not change.
  void MergeUnnamedList(Json& value, const std::string& directive, const Json& patch,
                        const std::string& owner) {
    const std::string name = directive.substr(directive.find('/') + 1);
    const std::string path = MemberPath(owner, name);
    if (RuleAt(schema_, path).list == MergeRule::List::kReplaced) {
      Fail(path, fmt::format("\"{}\" speaks of a list that is not merged", directive));
    }
    const auto found = value.find(name);
    if (!patch.contains(name) && found != value.end() && found->is_array()) {
      *found = MergeList(std::move(*found), name, patch, path);
    }
  }

  Json MergeList(Json list, const std::string& name, const Json& patch, const std::string& path) {
    if (!list.is_array()) {
      list = Json::array();
    }
    const Json none = Json::array();
    const auto optional = [&](const std::string& key) -> const Json& {
      const auto found = patch.find(key);
      if (found == patch.end()) {
        return none;
      }
      ExpectList(*found, MemberPath(path, key));
      return *found;
    };
    const Json& elements = optional(name);
    const std::string order_name = std::string(kOrder) + name;
    const Json& order = patch.contains(order_name) ? optional(order_name) : elements;
    const MergeRule rule = RuleAt(schema_, path);
    if (rule.list == MergeRule::List::kAsSet) {
      return MergeSet(list, elements, {optional(std::string(kDeleteFrom) + name), order});
    }
    for (const Json& element : elements) {
      if (DirectiveOf(element, path) == Directive::kReplace) {
        return Replaced(elements, path);
      }
    }
    return MergeByKey(list, elements, order, {rule.key, path});
  }

  Json Replaced(const Json& elements, const std::string& path) {
    Json result = Json::array();
    for (const Json& element : elements) {
      if (DirectiveOf(element, path) != Directive::kReplace) {
        result.push_back(Clean(element, path));
      }
    }
    return result;
  }

  struct SetChange {
    const Json& deleted;
    const Json& order;
  };

  static Json MergeSet(const Json& list, const Json& elements, const SetChange& change) {
    Json merged = Json::array();
    const auto take = [&merged](const Json& element) {
      if (!Contains(merged, element)) {
        merged.push_back(element);
      }
    };
    for (const Json& element : list) {
      if (!Contains(change.deleted, element)) {
        take(element);
      }
    }
    std::ranges::for_each(elements, take);
    return InOrder(merged, change.order, list);
  }

  struct Keyed {
    std::string_view key;
    const std::string& path;
  };

  Json MergeByKey(const Json& list, const Json& elements, const Json& order, const Keyed& keyed) {
    Json merged = list;
    for (const Json& element : elements) {
      const Json& id = IdOf(element, keyed);
      const auto found = std::ranges::find_if(
          merged, [&](const Json& other) { return At(other, {keyed.key}) == id; });
      if (DirectiveOf(element, keyed.path) == Directive::kDelete) {
        EraseAll(merged, keyed.key, id);
      } else if (found == merged.end()) {
        merged.push_back(Clean(element, keyed.path));
      } else {
        *found = MergeObject(std::move(*found), element, keyed.path);
      }
    }
    Json ids = Json::array();
    for (const Json& element : order) {
      ids.push_back(IdOf(element, keyed));
    }
    return InOrderByKey(merged, ids, list, keyed.key);
  }

  static void EraseAll(Json& list, std::string_view key, const Json& id) {
    Json kept = Json::array();
    for (Json& element : list) {
      if (At(element, {key}) != id) {
        kept.push_back(std::move(element));
      }
    }
    list = std::move(kept);
  }

  static const Json& IdOf(const Json& element, const Keyed& keyed) {
    const Json& id = At(element, {keyed.key});
    if (!id.is_primitive() || id.is_null()) {
      Fail(keyed.path, fmt::format("an element of the list lacks its merge key \"{}\": {}",
                                   keyed.key, Compact(element)));
    }
    return id;
  }

  static Json Ids(const Json& list, std::string_view key) {
    Json ids = Json::array();
    for (const Json& element : list) {
      ids.push_back(At(element, {key}));
    }
    return ids;
  }

  static Json InOrderByKey(const Json& merged, const Json& order, const Json& before,
                           std::string_view key) {
    Json result = Json::array();
    std::vector<bool> taken(merged.size());
    const Json ids = Ids(merged, key);
    for (const Json& id : InOrder(ids, order, Ids(before, key))) {
      std::size_t i = 0;
      while (taken[i] || ids[i] != id) {
        ++i;
      }
      taken[i] = true;
      result.push_back(merged[i]);
    }
    return result;
  }

  // InOrder puts what `order` names into its order; each other element comes before the first of
  // those that followed it in the list as it was.
  static Json InOrder(const Json& merged, const Json& order, const Json& before) {
    const auto place = [](const Json& list, const Json& value) {
      return std::ranges::find(list, value) - list.begin();
    };
    std::multimap<std::ptrdiff_t, Json> named;
    std::vector<Json> others;
    for (const Json& value : merged) {
      if (Contains(order, value)) {
        named.emplace(place(order, value), value);
      } else {
        others.push_back(value);
      }
    }
    Json result = Json::array();
    auto other = others.begin();
    for (auto& [position, value] : named) {
      const auto limit = Contains(before, value) ? place(before, value) : 0;
      while (other != others.end() && place(before, *other) < limit) {
        result.push_back(std::move(*other++));
      }
      result.push_back(std::move(value));
    }
    std::move(other, others.end(), std::back_inserter(result));
    return result;
  }

  // Clean takes directives and nulls out of what the patch brings in whole.
  Json Clean(const Json& patch, const std::string& path) {
    if (patch.is_array()) {
      return CleanList(patch, path);
    }
    if (!patch.is_object()) {
      return patch;
    }
    Json result = Json::object();
    for (const auto& [name, member] : patch.items()) {
      if (!name.starts_with('$') && !member.is_null()) {
        result[name] = Clean(member, MemberPath(path, name));
      }
    }
    return result;
  }

  Json CleanList(const Json& list, const std::string& path) {
    const MergeRule rule = RuleAt(schema_, path);
    Json result = Json::array();
    for (const Json& element : list) {
      if (DirectiveOf(element, path) != Directive::kMerge) {
        continue;
      }
      if (rule.list == MergeRule::List::kByKey) {
        IdOf(element, {rule.key, path});
      }
      result.push_back(Clean(element, path));
    }
    return result;
  }

  PatchSchema schema_;
};

}  // namespace

Json StrategicMergePatch(const Json& value, const Json& patch, PatchSchema schema) {
  if (!patch.is_object()) {
    Fail("", fmt::format("a strategic merge patch has to be an object, not a {}", KindOf(patch)));
  }
  return Merger(schema).MergeObject(value, patch, "");
}

}  // namespace data
