// Patches: the input is a JSON list of two values. Both are tried as value and patch in each of the
// three kinds, and the strategic difference between them has to lead from one to the other.
#include <algorithm>

#include "data/patch.h"
#include "fuzz.h"

namespace {

constexpr data::PatchSchema kSchemas[] = {data::PatchSchema::kPod, data::PatchSchema::kDeployment,
                                          data::PatchSchema::kNode,
                                          data::PatchSchema::kKubeletConfiguration};

// IsOrdinary leaves out what a strategic patch cannot express: nulls, names that look like
// directives, and lists that hold a value twice.
bool IsOrdinary(const data::Json& value) {
  if (value.is_null()) {
    return false;
  }
  if (!value.is_structured()) {
    return true;
  }
  for (const auto& [key, member] : value.items()) {
    const bool twice = value.is_array() && std::count(value.begin(), value.end(), member) > 1;
    if (key.starts_with('$') || twice || !IsOrdinary(member)) {
      return false;
    }
  }
  return true;
}

void CheckDifference(const data::Json& from, const data::Json& to) {
  if (!from.is_object() || !to.is_object() || !IsOrdinary(from) || !IsOrdinary(to)) {
    return;
  }
  for (const data::PatchSchema schema : kSchemas) {
    const data::Json patch = data::StrategicMergeDiff(from, to, schema);
    data::Json result;
    // A list that lacks its keys is replaced as a whole, which a patch may not do with new ones.
    if (!fuzz::Refused([&] { result = data::StrategicMergePatch(from, patch, schema); })) {
      fuzz::Require(result == to, "the difference leads to the goal");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  data::Json pair;
  if (fuzz::Refused([&] { pair = data::ParseJson(fuzz::Text(bytes, size)); }) || !pair.is_array() ||
      pair.size() != 2) {
    return 0;
  }
  fuzz::Refused([&] { data::JsonPatch(pair[0], pair[1]); });
  data::MergePatch(pair[0], pair[1]);
  for (const data::PatchSchema schema : kSchemas) {
    fuzz::Refused([&] { data::StrategicMergePatch(pair[0], pair[1], schema); });
  }
  CheckDifference(pair[0], pair[1]);
  return 0;
}
