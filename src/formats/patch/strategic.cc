// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "json/field_path.h"
#include "json/value.h"
#include "patch/patch.h"
#include "patch/schema.h"

namespace patch {
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

Directive DirectiveOf(const json::Value& patch, const std::string& path) {
  if (!patch.is_object() || !patch.contains(kDirective)) {
    return Directive::kMerge;
  }
  const std::string text = json::TextAt(patch, {kDirective});
  if (text == "merge") {
    return Directive::kMerge;
  }
  if (text == "replace") {
    return Directive::kReplace;
  }
  if (text != "delete") {
    Fail(path, fmt::format("$patch has to be merge, replace or delete, not {}",
                           json::Compact(patch.at(std::string(kDirective)))));
  }
  return Directive::kDelete;
}

void ExpectList(const json::Value& value, const std::string& path) {
  if (!value.is_array()) {
    Fail(path, fmt::format("expected a list, got a {}", json::KindOf(value)));
  }
}

bool Contains(const json::Value& list, const json::Value& value) {
  return std::ranges::find(list, value) != list.end();
}

// Merger applies a patch; `path` is the field path without indices, which rules go by.
class Merger {
 public:
  explicit Merger(Schema schema) : schema_(schema) {}

  json::Value MergeObject(json::Value value, const json::Value& patch, const std::string& path) {
    switch (DirectiveOf(patch, path)) {
      case Directive::kDelete:
        return json::Value::object();
      case Directive::kReplace:
        return Clean(patch, path);
      case Directive::kMerge:
        break;
    }
    if (!value.is_object()) {
      value = json::Value::object();
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
  void RetainKeys(json::Value& value, const json::Value& patch, const std::string& path) {
    const auto keys = patch.find(kRetainKeys);
    if (keys == patch.end()) {
      return;
    }
    ExpectList(*keys, json::MemberPath(path, kRetainKeys));
    for (const auto& [name, member] : patch.items()) {
      if (!name.starts_with('$') && !member.is_null() && !Contains(*keys, name)) {
        Fail(path, fmt::format("$retainKeys lacks \"{}\", which the patch sets", name));
      }
    }
    for (auto it = value.begin(); it != value.end();) {
      it = Contains(*keys, it.key()) ? std::next(it) : value.erase(it);
    }
  }

  void MergeMember(json::Value& value, const std::string& name, const json::Value& patch,
                   const std::string& owner) {
    const json::Value& member = patch.at(name);
    const std::string path = json::MemberPath(owner, name);
    if (member.is_null()) {
      value.erase(name);
    } else if (member.is_object()) {
      json::Value& slot = value[name];
      slot = MergeObject(std::move(slot), member, path);
    } else if (member.is_array() && RuleAt(schema_, path).list != MergeRule::List::kReplaced) {
      json::Value& slot = value[name];
      slot = MergeList(std::move(slot), name, patch, path);
    } else {
      value[name] = Clean(member, path);
    }
  }

  // MergeUnnamedList serves a directive whose list the patch itself does not change.
  void MergeUnnamedList(json::Value& value, const std::string& directive, const json::Value& patch,
                        const std::string& owner) {
    const std::string name = directive.substr(directive.find('/') + 1);
    const std::string path = json::MemberPath(owner, name);
    if (RuleAt(schema_, path).list == MergeRule::List::kReplaced) {
      Fail(path, fmt::format("\"{}\" speaks of a list that is not merged", directive));
    }
    const auto found = value.find(name);
    if (!patch.contains(name) && found != value.end() && found->is_array()) {
      *found = MergeList(std::move(*found), name, patch, path);
    }
  }

  json::Value MergeList(json::Value list, const std::string& name, const json::Value& patch,
                        const std::string& path) {
    if (!list.is_array()) {
      list = json::Value::array();
    }
    const json::Value none = json::Value::array();
    const auto optional = [&](const std::string& key) -> const json::Value& {
      const auto found = patch.find(key);
      if (found == patch.end()) {
        return none;
      }
      ExpectList(*found, json::MemberPath(path, key));
      return *found;
    };
    const json::Value& elements = optional(name);
    const std::string order_name = std::string(kOrder) + name;
    const json::Value& order = patch.contains(order_name) ? optional(order_name) : elements;
    const MergeRule rule = RuleAt(schema_, path);
    if (rule.list == MergeRule::List::kAsSet) {
      return MergeSet(list, elements, {optional(std::string(kDeleteFrom) + name), order});
    }
    for (const json::Value& element : elements) {
      if (DirectiveOf(element, path) == Directive::kReplace) {
        return Replaced(elements, path);
      }
    }
    return MergeByKey(list, elements, order, {rule.key, path});
  }

  json::Value Replaced(const json::Value& elements, const std::string& path) {
    json::Value result = json::Value::array();
    for (const json::Value& element : elements) {
      if (DirectiveOf(element, path) != Directive::kReplace) {
        result.push_back(Clean(element, path));
      }
    }
    return result;
  }

  struct SetChange {
    const json::Value& deleted;
    const json::Value& order;
  };

  static json::Value MergeSet(const json::Value& list, const json::Value& elements,
                              const SetChange& change) {
    json::Value merged = json::Value::array();
    const auto take = [&merged](const json::Value& element) {
      if (!Contains(merged, element)) {
        merged.push_back(element);
      }
    };
    for (const json::Value& element : list) {
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

  json::Value MergeByKey(const json::Value& list, const json::Value& elements,
                         const json::Value& order, const Keyed& keyed) {
    json::Value merged = list;
    for (const json::Value& element : elements) {
      const json::Value& id = IdOf(element, keyed);
      const auto found = std::ranges::find_if(
          merged, [&](const json::Value& other) { return json::At(other, {keyed.key}) == id; });
      if (DirectiveOf(element, keyed.path) == Directive::kDelete) {
        EraseAll(merged, keyed.key, id);
      } else if (found == merged.end()) {
        merged.push_back(Clean(element, keyed.path));
      } else {
        *found = MergeObject(std::move(*found), element, keyed.path);
      }
    }
    json::Value ids = json::Value::array();
    for (const json::Value& element : order) {
      ids.push_back(IdOf(element, keyed));
    }
    return InOrderByKey(merged, ids, list, keyed.key);
  }

  static void EraseAll(json::Value& list, std::string_view key, const json::Value& id) {
    json::Value kept = json::Value::array();
    for (json::Value& element : list) {
      if (json::At(element, {key}) != id) {
        kept.push_back(std::move(element));
      }
    }
    list = std::move(kept);
  }

  static const json::Value& IdOf(const json::Value& element, const Keyed& keyed) {
    const json::Value& id = json::At(element, {keyed.key});
    if (!id.is_primitive() || id.is_null()) {
      Fail(keyed.path, fmt::format("an element of the list lacks its merge key \"{}\": {}",
                                   keyed.key, json::Compact(element)));
    }
    return id;
  }

  static json::Value Ids(const json::Value& list, std::string_view key) {
    json::Value ids = json::Value::array();
    for (const json::Value& element : list) {
      ids.push_back(json::At(element, {key}));
    }
    return ids;
  }

  static json::Value InOrderByKey(const json::Value& merged, const json::Value& order,
                                  const json::Value& before, std::string_view key) {
    json::Value result = json::Value::array();
    std::vector<bool> taken(merged.size());
    const json::Value ids = Ids(merged, key);
    for (const json::Value& id : InOrder(ids, order, Ids(before, key))) {
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
  static json::Value InOrder(const json::Value& merged, const json::Value& order,
                             const json::Value& before) {
    const auto place = [](const json::Value& list, const json::Value& value) {
      return std::ranges::find(list, value) - list.begin();
    };
    std::multimap<std::ptrdiff_t, json::Value> named;
    std::vector<json::Value> others;
    for (const json::Value& value : merged) {
      if (Contains(order, value)) {
        named.emplace(place(order, value), value);
      } else {
        others.push_back(value);
      }
    }
    json::Value result = json::Value::array();
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
  json::Value Clean(const json::Value& patch, const std::string& path) {
    if (patch.is_array()) {
      return CleanList(patch, path);
    }
    if (!patch.is_object()) {
      return patch;
    }
    json::Value result = json::Value::object();
    for (const auto& [name, member] : patch.items()) {
      if (!name.starts_with('$') && !member.is_null()) {
        result[name] = Clean(member, json::MemberPath(path, name));
      }
    }
    return result;
  }

  json::Value CleanList(const json::Value& list, const std::string& path) {
    const MergeRule rule = RuleAt(schema_, path);
    json::Value result = json::Value::array();
    for (const json::Value& element : list) {
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

  Schema schema_;
};

}  // namespace

json::Value ApplyStrategicPatch(const json::Value& value, const json::Value& patch, Schema schema) {
  if (!patch.is_object()) {
    Fail("",
         fmt::format("a strategic merge patch has to be an object, not a {}", json::KindOf(patch)));
  }
  return Merger(schema).MergeObject(value, patch, "");
}

}  // namespace patch
