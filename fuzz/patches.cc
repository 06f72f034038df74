// SPDX-License-Identifier: Apache-2.0
// Patches: the input is a JSON list of two values. Both are tried as value and as patch, in each of
// the three kinds. The strategic difference between them must lead from one to the other.
#include <algorithm>

#include "fuzz.h"
#include "json/value.h"
#include "patch/patch.h"

namespace {

constexpr patch::Schema kSchemas[] = {patch::Schema::kPod, patch::Schema::kDeployment,
                                      patch::Schema::kNode, patch::Schema::kKubeletConfiguration};

// The key of list members (x-kubernetes-patch-merge-key).
constexpr const char* kMergeKeys[] = {"name",      "type",       "uid",           "ip",
                                      "mountPath", "devicePath", "containerPort", "topologyKey"};

// Returns true if a patch cannot tell two members of a list apart.
bool AreOne(const json::Value& a, const json::Value& b) {
  return a == b ||
         (a.is_object() && b.is_object() && std::ranges::any_of(kMergeKeys, [&](const char* key) {
            return a.contains(key) && b.contains(key) && a[key] == b[key];
          }));
}

// Excludes inputs that a strategic patch cannot express: nulls, names that look like directives,
// and lists that contain a member twice.
bool IsOrdinary(const json::Value& value) {
  if (value.is_null()) {
    return false;
  }
  if (!value.is_structured()) {
    return true;
  }
  for (const auto& [key, member] : value.items()) {
    const bool twice =
        value.is_array() && std::ranges::count_if(value, [&](const json::Value& other) {
                              return AreOne(member, other);
                            }) > 1;
    if (key.starts_with('$') || twice || !IsOrdinary(member)) {
      return false;
    }
  }
  return true;
}

void CheckDifference(const json::Value& from, const json::Value& to) {
  if (!from.is_object() || !to.is_object() || !IsOrdinary(from) || !IsOrdinary(to)) {
    return;
  }
  for (const patch::Schema schema : kSchemas) {
    const json::Value patch = patch::StrategicDiff(from, to, schema);
    json::Value result;
    // A list that lacks its keys is replaced as a whole, which a patch must not do with new ones.
    if (!fuzz::Refused([&] { result = patch::ApplyStrategicPatch(from, patch, schema); })) {
      fuzz::Require(result == to, "the difference leads to the goal");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  json::Value pair;
  if (fuzz::Refused([&] { pair = json::Parse(fuzz::Text(bytes, size)); }) || !pair.is_array() ||
      pair.size() != 2) {
    return 0;
  }
  fuzz::Refused([&] { patch::ApplyJsonPatch(pair[0], pair[1]); });
  patch::ApplyMergePatch(pair[0], pair[1]);
  for (const patch::Schema schema : kSchemas) {
    fuzz::Refused([&] { patch::ApplyStrategicPatch(pair[0], pair[1], schema); });
  }
  CheckDifference(pair[0], pair[1]);
  return 0;
}
