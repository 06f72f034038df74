// Patches of JSON values: JSON patch (RFC 6902), merge patch (RFC 7386), and Kubernetes' strategic
// merge patch (lists merged by key, $patch and $retainKeys and $deleteFromPrimitiveList
// directives).
#pragma once

#include <string_view>

#include "data/json.h"

namespace data {

// JsonPatch applies an array of operations. Throws base::Error(kInvalid) naming the operation.
Json JsonPatch(const Json& value, const Json& operations);

Json MergePatch(const Json& value, const Json& patch);

// Schema of a strategic merge patch: which lists are merged, and by which key.
enum class PatchSchema { kPod, kDeployment, kNode, kKubeletConfiguration };

// StrategicMergePatch throws base::Error(kInvalid) when a list element lacks its merge key or a
// directive is unknown.
Json StrategicMergePatch(const Json& value, const Json& patch, PatchSchema schema);

// StrategicMergeDiff is the patch that turns `from` into `to`.
Json StrategicMergeDiff(const Json& from, const Json& to, PatchSchema schema);

}  // namespace data
