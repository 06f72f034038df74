// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "json/field_path.h"
#include "json/value.h"
#include "patch/patch.h"
#include "patch/schema.h"

namespace patch {
namespace {

// Returns whether every element of a list has the key, each with a different value.
bool CanMerge(const json::Value& list, std::string_view key) {
  std::set<json::Value> seen;
  return std::ranges::all_of(list, [&](const json::Value& element) {
    const json::Value& id = json::At(element, {key});
    return id.is_primitive() && !id.is_null() && seen.insert(id).second;
  });
}

class Differ {
 public:
  explicit Differ(Schema schema) : schema_(schema) {}

  json::Value Objects(const json::Value& from, const json::Value& to, const std::string& path) {
    json::Value patch = json::Value::object();
    for (const auto& [name, member] : from.items()) {
      if (!to.contains(name)) {
        patch[name] = nullptr;
      }
    }
    for (const auto& [name, member] : to.items()) {
      const auto before = from.find(name);
      if (before == from.end()) {
        patch[name] = member;
      } else if (*before != member) {
        Member(*before, member, name, {patch, json::MemberPath(path, name)});
      }
    }
    return patch;
  }

 private:
  struct Target {
    json::Value& patch;
    std::string path;
  };

  void Member(const json::Value& from, const json::Value& to, const std::string& name,
              const Target& target) {
    const MergeRule rule = RuleAt(schema_, target.path);
    if (from.is_object() && to.is_object()) {
      target.patch[name] = Objects(from, to, target.path);
      if (rule.retain_keys) {
        RetainKeys(to, target.patch[name]);
      }
    } else if (!from.is_array() || !to.is_array() || rule.list == MergeRule::List::kReplaced) {
      target.patch[name] = to;
    } else if (rule.list == MergeRule::List::kAsSet) {
      Sets(from, to, name, target);
    } else if (CanMerge(from, rule.key) && CanMerge(to, rule.key)) {
      Lists(from, to, name, target);
    } else {
      target.patch[name] = to;
      target.patch[name].insert(target.patch[name].begin(), json::Value{{"$patch", "replace"}});
    }
  }

  static void RetainKeys(const json::Value& to, json::Value& patch) {
    json::Value keys = json::Value::array();
    for (const auto& [key, member] : to.items()) {
      keys.push_back(key);
    }
    patch["$retainKeys"] = std::move(keys);
  }

  static void Sets(const json::Value& from, const json::Value& to, const std::string& name,
                   const Target& target) {
    const auto without = [](const json::Value& list, const json::Value& others) {
      json::Value result = json::Value::array();
      std::ranges::copy_if(list, std::back_inserter(result), [&](const json::Value& value) {
        return std::ranges::find(others, value) == others.end();
      });
      return result;
    };
    if (json::Value gone = without(from, to); !gone.empty()) {
      target.patch["$deleteFromPrimitiveList/" + name] = std::move(gone);
    }
    if (json::Value added = without(to, from); !added.empty()) {
      target.patch[name] = std::move(added);
    }
    target.patch["$setElementOrder/" + name] = to;
  }

  static json::Value::const_iterator FindById(const json::Value& list, const json::Value& id,
                                              std::string_view key) {
    return std::ranges::find_if(
        list, [&](const json::Value& element) { return json::At(element, {key}) == id; });
  }

  static json::Value OnlyId(const json::Value& element, const MergeRule& rule) {
    return {{std::string(rule.key), json::At(element, {rule.key})}};
  }

  void Lists(const json::Value& from, const json::Value& to, const std::string& name,
             const Target& target) {
    const MergeRule rule = RuleAt(schema_, target.path);
    json::Value changes = json::Value::array();
    json::Value order = json::Value::array();
    for (const json::Value& element : to) {
      order.push_back(OnlyId(element, rule));
      const auto before = FindById(from, json::At(element, {rule.key}), rule.key);
      if (before == from.end()) {
        changes.push_back(element);
      } else if (*before != element) {
        changes.push_back(Change(*before, element, target.path));
      }
    }
    for (const json::Value& element : from) {
      if (FindById(to, json::At(element, {rule.key}), rule.key) == to.end()) {
        changes.push_back(OnlyId(element, rule));
        changes.back()["$patch"] = "delete";
      }
    }
    target.patch["$setElementOrder/" + name] = std::move(order);
    if (!changes.empty()) {
      target.patch[name] = std::move(changes);
    }
  }

  // Returns the difference of two elements of a list, with the key that identifies them.
  json::Value Change(const json::Value& from, const json::Value& to, const std::string& path) {
    const MergeRule rule = RuleAt(schema_, path);
    json::Value change = Objects(from, to, path);
    change.update(OnlyId(to, rule));
    if (rule.retain_keys) {
      RetainKeys(to, change);
    }
    return change;
  }

  Schema schema_;
};

}  // namespace

json::Value StrategicDiff(const json::Value& from, const json::Value& to, Schema schema) {
  return Differ(schema).Objects(from, to, "");
}

}  // namespace patch
