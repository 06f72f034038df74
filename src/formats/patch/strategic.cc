// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

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

void ExpectList(const json::Value& value, const std::string& path) {
  if (!value.is_array()) {
    Fail(path, fmt::format("expected a list, got a {}", json::KindOf(value)));
  }
}

bool Contains(const json::Value& list, const json::Value& value) {
  return std::ranges::find(list, value) != list.end();
}

bool HasDirective(const json::Value& value) {
  return value.is_object() && value.contains(kDirective);
}

[[noreturn]] void FailDirective(const json::Value& patch, const std::string& path) {
  Fail(path, fmt::format("$patch has to be replace or delete, not {}",
                         json::Compact(patch.at(std::string(kDirective)))));
}

// Returns the value that a patch creates where the target is missing or has another type. Removes
// nulls, and objects that contain a "$patch". Returns std::nullopt if the patch itself is an object
// with "$patch".
std::optional<json::Value> Adopted(const json::Value& patch) {
  if (patch.is_array()) {
    json::Value list = json::Value::array();
    for (const json::Value& element : patch) {
      if (std::optional<json::Value> adopted = Adopted(element)) {
        list.push_back(*std::move(adopted));
      }
    }
    return list;
  }
  if (!patch.is_object()) {
    return patch;
  }
  json::Value object = json::Value::object();
  for (const auto& [name, member] : patch.items()) {
    if (member.is_null()) {
      continue;
    }
    if (name == kDirective) {
      return std::nullopt;
    }
    if (std::optional<json::Value> adopted = Adopted(member)) {
      object[name] = *std::move(adopted);
    }
  }
  return object;
}

// Requires that all elements of both lists have the same type, for example object or string.
void ExpectOneKind(const json::Value& list, const json::Value& others, const std::string& path) {
  const auto* first = list.empty() ? (others.empty() ? nullptr : &others[0]) : &list[0];
  for (const json::Value* elements : {&list, &others}) {
    for (const json::Value& element : *elements) {
      if (json::KindOf(element) != json::KindOf(*first)) {
        Fail(path, fmt::format("elements of two kinds cannot be merged, here {} and {}",
                               json::KindOf(*first), json::KindOf(element)));
      }
    }
  }
}

// Applies a patch; `path` is the field path without indices, which selects the rules.
class Merger {
 public:
  explicit Merger(Schema schema) : schema_(schema) {}

  json::Value MergeObject(json::Value value, const json::Value& patch, const std::string& path) {
    if (HasDirective(patch)) {
      return Directed(patch, path);
    }
    RetainKeys(value, patch, path);
    for (const auto& [name, member] : patch.items()) {
      if (name.starts_with(kDeleteFrom) || name.starts_with(kOrder)) {
        MergeDirected(value, name, patch, path);
      } else if (name != kRetainKeys) {
        MergeMember(value, name, patch, path);
      }
    }
    return value;
  }

 private:
  // Returns the result of an object with "$patch": the rest of the object for "replace", an empty
  // object for "delete".
  static json::Value Directed(const json::Value& patch, const std::string& path) {
    const std::string text = json::TextAt(patch, {kDirective});
    if (text != "replace" && text != "delete") {
      FailDirective(patch, path);
    }
    json::Value result = text == "replace" ? patch : json::Value::object();
    result.erase(std::string(kDirective));
    return result;
  }

  static void RetainKeys(json::Value& value, const json::Value& patch, const std::string& path) {
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
    const auto found = value.find(name);
    if (member.is_null()) {
      value.erase(name);
    } else if (found == value.end() || json::KindOf(*found) != json::KindOf(member)) {
      Adopt(value, name, member);
    } else if (member.is_object()) {
      *found = MergeObject(std::move(*found), member, path);
    } else if (member.is_array()) {
      *found = MergeList(std::move(*found), name, patch, path);
    } else {
      *found = member;
    }
  }

  static void Adopt(json::Value& value, const std::string& name, const json::Value& member) {
    if (std::optional<json::Value> adopted = Adopted(member)) {
      value[name] = *std::move(adopted);
    } else {
      value.erase(name);
    }
  }

  // Checks a directive about a list. Applies it unless the patch also contains the list: then
  // MergeMember applies it.
  void MergeDirected(json::Value& value, const std::string& directive, const json::Value& patch,
                     const std::string& owner) {
    const std::string name = directive.substr(directive.find('/') + 1);
    const std::string path = json::MemberPath(owner, name);
    const auto found = value.find(name);
    if (directive.starts_with(kOrder)) {
      if (found != value.end()) {
        ExpectList(*found, path);
      }
      CheckOrder(patch, name, path);
    }
    if (patch.at(directive).is_null()) {  // null deletes the whole list
      value.erase(name);
    } else if (!patch.contains(name) && found != value.end() && found->is_array()) {
      *found = MergeList(std::move(*found), name, patch, path);
    }
  }

  // Fails unless the directive $setElementOrder/NAME lists the elements of the patch, in the order
  // of the patch. The directive may list more elements.
  void CheckOrder(const json::Value& patch, const std::string& name,
                  const std::string& path) const {
    const MergeRule rule = RuleAt(schema_, path);
    const std::string directive = std::string(kOrder) + name;
    ExpectList(patch.at(directive), json::MemberPath(path, directive));
    const auto elements = patch.find(name);
    if (elements == patch.end()) {
      return;
    }
    ExpectList(*elements, path);
    const json::Value order = Ids(patch.at(directive), rule, path);
    json::Value brought = json::Value::array();
    std::ranges::remove_copy_if(*elements, std::back_inserter(brought), HasDirective);
    auto at = order.begin();
    for (const json::Value& id : Ids(brought, rule, path)) {
      at = std::find(at, order.end(), id);
      if (at == order.end()) {
        Fail(path, fmt::format("\"{}\" lacks {}, or has it in another order than the patch",
                               directive, json::Compact(id)));
      }
    }
  }

  json::Value MergeList(json::Value list, const std::string& name, const json::Value& patch,
                        const std::string& path) {
    const json::Value none = json::Value::array();
    const auto listed = [&](const std::string& key) -> const json::Value& {
      const auto found = patch.find(key);
      return found == patch.end() || !found->is_array() ? none : *found;
    };
    const json::Value& elements = listed(name);
    const std::string order_name = std::string(kOrder) + name;
    const bool ordered = patch.contains(order_name);
    const MergeRule rule = RuleAt(schema_, path);
    const json::Value before = list;
    list = Without(std::move(list), listed(std::string(kDeleteFrom) + name), path);
    const bool keyed = rule.list == MergeRule::List::kByKey;
    if (keyed) {
      list = MergeByKey(std::move(list), elements, rule, path);
    } else if (patch.contains(name)) {
      list = rule.list == MergeRule::List::kAsSet ? MergeSet(list, elements, path) : elements;
    }
    const bool brings = rule.list == MergeRule::List::kAsSet && patch.contains(name);
    if (!ordered && !keyed && !brings) {
      return list;
    }
    return InOrder(list, ordered ? listed(order_name) : elements, before, {rule, path});
  }

  static json::Value Without(json::Value list, const json::Value& deleted,
                             const std::string& path) {
    if (deleted.empty()) {
      return list;
    }
    ExpectOneKind(list, deleted, path);
    json::Value kept = json::Value::array();
    for (json::Value& element : list) {
      if (element.is_object() || !Contains(deleted, element)) {
        kept.push_back(std::move(element));
      }
    }
    return kept;
  }

  static json::Value MergeSet(const json::Value& list, const json::Value& elements,
                              const std::string& path) {
    ExpectOneKind(list, elements, path);
    json::Value merged = json::Value::array();
    for (const json::Value* some : {&list, &elements}) {
      for (const json::Value& element : *some) {
        if (!Contains(merged, element)) {
          merged.push_back(element);
        }
      }
    }
    return merged;
  }

  json::Value MergeByKey(json::Value list, const json::Value& elements, const MergeRule& rule,
                         const std::string& path) {
    ExpectOneKind(list, elements, path);
    bool replaces = false;
    for (const json::Value& element : elements) {
      if (!HasDirective(element)) {
        continue;
      }
      const std::string text = json::TextAt(element, {kDirective});
      if (text == "delete") {
        EraseAll(list, rule.key, IdOf(element, rule, path));
      } else if (text == "replace") {
        replaces = true;
      } else {
        FailDirective(element, path);
      }
    }
    json::Value merged = replaces ? json::Value::array() : std::move(list);
    for (const json::Value& element : elements) {
      if (HasDirective(element)) {
        continue;
      }
      const json::Value& id = IdOf(element, rule, path);
      const auto found =
          replaces ? merged.end() : std::ranges::find_if(merged, [&](const auto& other) {
            return json::At(other, {rule.key}) == id;
          });
      if (found == merged.end()) {
        merged.push_back(element);
      } else {
        *found = MergeObject(std::move(*found), element, path);
      }
    }
    return merged;
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

  static const json::Value& IdOf(const json::Value& element, const MergeRule& rule,
                                 const std::string& path) {
    if (!element.is_object() || !element.contains(rule.key) ||
        !json::At(element, {rule.key}).is_primitive()) {
      Fail(path, fmt::format("an element of the list lacks its merge key \"{}\": {}", rule.key,
                             json::Compact(element)));
    }
    return json::At(element, {rule.key});
  }

  // Returns the identities of elements: their merge key, or the plain values themselves.
  static json::Value Ids(const json::Value& list, const MergeRule& rule, const std::string& path) {
    json::Value ids = json::Value::array();
    for (const json::Value& element : list) {
      if (rule.list == MergeRule::List::kByKey) {
        ids.push_back(IdOf(element, rule, path));
      } else if (element.is_primitive()) {
        ids.push_back(element);
      } else {
        Fail(path, "an order of a list without a merge key may name only plain values");
      }
    }
    return ids;
  }

  struct Place {
    const MergeRule& rule;
    const std::string& path;
  };

  // Sorts elements named in `order`; each other element is placed before the first element that
  // followed it in the original list.
  static json::Value InOrder(const json::Value& merged, const json::Value& order,
                             const json::Value& before, const Place& place) {
    json::Value brought = json::Value::array();
    std::ranges::remove_copy_if(order, std::back_inserter(brought), HasDirective);
    const json::Value wanted = Ids(brought, place.rule, place.path);
    const json::Value had = Ids(before, place.rule, place.path);
    const json::Value ids = Ids(merged, place.rule, place.path);
    const auto index = [](const json::Value& list, const json::Value& id) {
      return std::ranges::find(list, id) - list.begin();
    };
    std::multimap<std::ptrdiff_t, std::size_t> named;   // by position in the order
    std::multimap<std::ptrdiff_t, std::size_t> others;  // by position in the original list
    for (std::size_t i = 0; i < merged.size(); ++i) {
      const bool is_named = Contains(wanted, ids[i]);
      (is_named ? named : others).emplace(index(is_named ? wanted : had, ids[i]), i);
    }
    json::Value result = json::Value::array();
    auto other = others.begin();
    for (const auto& [position, i] : named) {
      const auto limit = Contains(had, ids[i]) ? index(had, ids[i]) : 0;
      for (; other != others.end() && other->first < limit; ++other) {
        result.push_back(merged[other->second]);
      }
      result.push_back(merged[i]);
    }
    for (; other != others.end(); ++other) {
      result.push_back(merged[other->second]);
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
