#include <algorithm>
#include <set>

#include "data/field_path.h"
#include "data/patch.h"
#include "data/patch_schema.h"

namespace data {
namespace {

// CanMerge tells whether every element of a list has the key, and none the same as another.
bool CanMerge(const Json& list, std::string_view key) {
  std::set<Json> seen;
  return std::ranges::all_of(list, [&](const Json& element) {
    const Json& id = At(element, {key});
    return id.is_primitive() && !id.is_null() && seen.insert(id).second;
  });
}

class Differ {
 public:
  explicit Differ(PatchSchema schema) : schema_(schema) {}

  Json Objects(const Json& from, const Json& to, const std::string& path) {
    Json patch = Json::object();
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
        Member(*before, member, name, {patch, MemberPath(path, name)});
      }
    }
    return patch;
  }

 private:
  struct Target {
    Json& patch;
    std::string path;
  };

  void Member(const Json& from, const Json& to, const std::string& name, const Target& target) {
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
      target.patch[name].insert(target.patch[name].begin(), Json{{"$patch", "replace"}});
    }
  }

  static void RetainKeys(const Json& to, Json& patch) {
    Json keys = Json::array();
    for (const auto& [key, member] : to.items()) {
      keys.push_back(key);
    }
    patch["$retainKeys"] = std::move(keys);
  }

  static void Sets(const Json& from, const Json& to, const std::string& name,
                   const Target& target) {
    const auto without = [](const Json& list, const Json& others) {
      Json result = Json::array();
      std::ranges::copy_if(list, std::back_inserter(result), [&](const Json& value) {
        return std::ranges::find(others, value) == others.end();
      });
      return result;
    };
    if (Json gone = without(from, to); !gone.empty()) {
      target.patch["$deleteFromPrimitiveList/" + name] = std::move(gone);
    }
    if (Json added = without(to, from); !added.empty()) {
      target.patch[name] = std::move(added);
    }
    target.patch["$setElementOrder/" + name] = to;
  }

  static Json::const_iterator FindById(const Json& list, const Json& id, std::string_view key) {
    return std::ranges::find_if(list,
                                [&](const Json& element) { return At(element, {key}) == id; });
  }

  static Json OnlyId(const Json& element, const MergeRule& rule) {
    return {{std::string(rule.key), At(element, {rule.key})}};
  }

  void Lists(const Json& from, const Json& to, const std::string& name, const Target& target) {
    const MergeRule rule = RuleAt(schema_, target.path);
    Json changes = Json::array();
    Json order = Json::array();
    for (const Json& element : to) {
      order.push_back(OnlyId(element, rule));
      const auto before = FindById(from, At(element, {rule.key}), rule.key);
      if (before == from.end()) {
        changes.push_back(element);
      } else if (*before != element) {
        changes.push_back(Change(*before, element, target.path));
      }
    }
    for (const Json& element : from) {
      if (FindById(to, At(element, {rule.key}), rule.key) == to.end()) {
        changes.push_back(OnlyId(element, rule));
        changes.back()["$patch"] = "delete";
      }
    }
    target.patch["$setElementOrder/" + name] = std::move(order);
    if (!changes.empty()) {
      target.patch[name] = std::move(changes);
    }
  }

  // Change is the difference of two elements of a list, with the key that tells which.
  Json Change(const Json& from, const Json& to, const std::string& path) {
    const MergeRule rule = RuleAt(schema_, path);
    Json change = Objects(from, to, path);
    change.update(OnlyId(to, rule));
    if (rule.retain_keys) {
      RetainKeys(to, change);
    }
    return change;
  }

  PatchSchema schema_;
};

}  // namespace

Json StrategicMergeDiff(const Json& from, const Json& to, PatchSchema schema) {
  return Differ(schema).Objects(from, to, "");
}

}  // namespace data
