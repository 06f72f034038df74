// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "json/budget.h"
#include "json/value.h"
#include "patch/patch.h"

namespace patch {
namespace {

// The maximum number of operations of a patch, as in the API server.
constexpr std::size_t kMostOperations = 10'000;

[[noreturn]] void Fail(std::string_view what) {
  throw base::Error(base::Error::Kind::kInvalid, std::string(what));
}

// A JSON pointer (RFC 6901), split into its unescaped names.
using Pointer = std::vector<std::string>;

Pointer ParsePointer(const std::string& text) {
  if (text.empty()) {
    return {};
  }
  if (text.front() != '/') {
    Fail("the path has to begin with \"/\"");
  }
  Pointer names = base::Split(text.substr(1), '/');
  for (std::string& name : names) {
    name = base::ReplaceAll(base::ReplaceAll(std::move(name), "~1", "/"), "~0", "~");
  }
  return names;
}

// Parses a list index below `limit`. A negative index counts back from the limit.
std::size_t Index(const std::string& text, std::size_t limit) {
  const bool plus = text.starts_with('+') && text.substr(1, 1) != "-";  // as in Go
  const auto number = base::ParseNumber<std::int64_t>(text.substr(plus ? 1 : 0));
  if (!number) {
    Fail(fmt::format("\"{}\" is not a list index", text));
  }
  std::int64_t index = *number;
  if (index < 0) {
    index += static_cast<std::int64_t>(limit);
  }
  if (index < 0 || index >= static_cast<std::int64_t>(limit)) {
    Fail(fmt::format("the list has no index {}", text));
  }
  return static_cast<std::size_t>(index);
}

// Returns the value under a name; nullptr if an object lacks it.
json::Value* Child(json::Value& owner, const std::string& name) {
  if (owner.is_object()) {
    const auto found = owner.find(name);
    return found == owner.end() ? nullptr : &*found;
  }
  if (owner.is_array()) {
    return &owner[Index(name, owner.size())];
  }
  Fail(fmt::format("\"{}\" is in a {}, which has no members", name, json::KindOf(owner)));
}

// Returns the value that contains the pointer's last name.
json::Value& OwnerOf(json::Value& root, const Pointer& pointer) {
  json::Value* current = &root;
  for (std::size_t i = 0; i + 1 < pointer.size(); ++i) {
    current = Child(*current, pointer[i]);
    if (current == nullptr) {
      Fail(fmt::format("\"{}\" is missing", pointer[i]));
    }
  }
  return *current;
}

json::Value* Find(json::Value& root, const Pointer& pointer) {
  return pointer.empty() ? &root : Child(OwnerOf(root, pointer), pointer.back());
}

// Returns the value at the pointer; null if an object lacks it.
const json::Value& At(json::Value& root, const Pointer& pointer) {
  static const json::Value null;
  const json::Value* found = Find(root, pointer);
  return found == nullptr ? null : *found;
}

// Returns a copy and charges it to the budget, because a value that is copied into itself doubles
// with each operation.
json::Value Copied(const json::Value& value, json::Budget& budget) {
  if (!budget.Spend(json::cost::Of(value))) {
    Fail(fmt::format("the result would take more than {} MiB of memory", budget.total() >> 20));
  }
  return value;
}

// Throws for a pointer to the whole document. Kubernetes adds, removes and copies only members and
// elements; the whole document can only be replaced.
void ExpectName(const Pointer& pointer) {
  if (pointer.empty()) {
    Fail("an empty path names the whole document");
  }
}

void Add(json::Value& root, const Pointer& pointer, json::Value value) {
  ExpectName(pointer);
  json::Value& owner = OwnerOf(root, pointer);
  const std::string& name = pointer.back();
  if (owner.is_object()) {
    owner[name] = std::move(value);
  } else if (owner.is_array()) {
    const std::size_t at = name == "-" ? owner.size() : Index(name, owner.size() + 1);
    owner.insert(owner.begin() + static_cast<std::ptrdiff_t>(at), std::move(value));
  } else {
    Fail(fmt::format("nothing can be added to a {}", json::KindOf(owner)));
  }
}

void Remove(json::Value& root, const Pointer& pointer) {
  ExpectName(pointer);
  json::Value& owner = OwnerOf(root, pointer);
  const std::string& name = pointer.back();
  if (owner.is_object() && owner.erase(name) == 0) {
    Fail(fmt::format("\"{}\" is missing", name));
  } else if (owner.is_array()) {
    owner.erase(Index(name, owner.size()));
  } else if (!owner.is_object()) {
    Fail(fmt::format("nothing can be removed from a {}", json::KindOf(owner)));
  }
}

void Replace(json::Value& root, const Pointer& pointer, json::Value value) {
  json::Value* found = Find(root, pointer);
  if (found == nullptr) {
    return Add(root, pointer, std::move(value));
  }
  *found = std::move(value);
}

void Move(json::Value& root, const Pointer& from, const Pointer& to) {
  if (to.size() > from.size() && std::equal(from.begin(), from.end(), to.begin())) {
    Fail("a value cannot be moved into itself");
  }
  json::Value* const found = Find(root, from);
  json::Value value = found == nullptr ? json::Value() : std::exchange(*found, nullptr);
  Remove(root, from);  // throws if the member is missing
  Add(root, to, std::move(value));
}

void Test(json::Value& root, const Pointer& pointer, const json::Value& want) {
  if (At(root, pointer) != want) {
    Fail("the value is another one");
  }
}

std::string Member(const json::Value& operation, const std::string& name) {
  const auto found = operation.find(name);
  if (found == operation.end() || !found->is_string()) {
    Fail(fmt::format("\"{}\" has to be a text", name));
  }
  return found->get<std::string>();
}

Pointer From(const json::Value& operation) {
  Pointer from = ParsePointer(Member(operation, "from"));
  ExpectName(from);
  return from;
}

void Apply(json::Value& root, const json::Value& operation, json::Budget& budget) {
  const std::string name = Member(operation, "op");
  const Pointer path = ParsePointer(Member(operation, "path"));
  const json::Value& value = json::At(operation, {"value"});
  if (name == "add") {
    Add(root, path, Copied(value, budget));
  } else if (name == "remove") {
    Remove(root, path);
  } else if (name == "replace") {
    Replace(root, path, Copied(value, budget));
  } else if (name == "test") {
    Test(root, path, value);
  } else if (name == "move") {
    Move(root, From(operation), path);
  } else if (name == "copy") {
    Add(root, path, Copied(At(root, From(operation)), budget));
  } else {
    Fail("no such operation: it is one of add, remove, replace, move, copy, test");
  }
}

// Removes null members of objects in lists: Kubernetes' library does so, although the RFC leaves
// lists unchanged.
json::Value WithoutNullsInLists(const json::Value& value, bool in_list) {
  if (value.is_array()) {
    json::Value list = json::Value::array();
    for (const json::Value& element : value) {
      list.push_back(WithoutNullsInLists(element, true));
    }
    return list;
  }
  if (!value.is_object()) {
    return value;
  }
  json::Value object = json::Value::object();
  for (const auto& [name, member] : value.items()) {
    if (!in_list || !member.is_null()) {
      object[name] = WithoutNullsInLists(member, in_list);
    }
  }
  return object;
}

}  // namespace

json::Value ApplyJsonPatch(const json::Value& value, const json::Value& operations) {
  if (!operations.is_array()) {
    Fail("a JSON patch has to be a list of operations");
  }
  if (operations.size() > kMostOperations) {
    Fail(fmt::format("a JSON patch has at most {} operations", kMostOperations));
  }
  json::Value result = value;
  json::Budget budget;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const json::Value& operation = operations[i];
    if (!operation.is_object()) {
      Fail(fmt::format("operation {}: an operation has to be an object", i));
    }
    try {
      Apply(result, operation, budget);
    } catch (base::Error& error) {
      error.Prepend(fmt::format("operation {} ({} {})", i, json::TextAt(operation, {"op"}),
                                json::TextAt(operation, {"path"})));
      throw;
    }
  }
  return result;
}

json::Value ApplyMergePatch(const json::Value& value, const json::Value& patch) {
  json::Value result = value;
  result.merge_patch(WithoutNullsInLists(patch, false));
  return result;
}

}  // namespace patch
