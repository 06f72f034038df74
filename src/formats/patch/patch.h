// SPDX-License-Identifier: Apache-2.0
// Patches of JSON values: JSON patch (RFC 6902), merge patch (RFC 7386), and Kubernetes' strategic
// merge patch (lists merged by key, $patch and $retainKeys and $deleteFromPrimitiveList
// directives).
#pragma once

#include <string_view>

#include "json/fwd.h"

namespace patch {

// ApplyJsonPatch applies an array of operations. Throws base::Error(kInvalid) naming the operation
// by its index and path. More lenient than the RFC where Kubernetes is: "replace" creates a missing
// member, a missing "value" is null, "test" takes a missing member for null, and a negative index
// counts from a list's end.
json::Value ApplyJsonPatch(const json::Value& value, const json::Value& operations);

json::Value ApplyMergePatch(const json::Value& value, const json::Value& patch);

// Schema of a strategic merge patch: which lists are merged, and by which key.
enum class Schema { kPod, kDeployment, kDaemonSet, kNode, kKubeletConfiguration };

// ApplyStrategicPatch throws base::Error(kInvalid) when a list element lacks its merge key or a
// directive is unknown or malformed. Elements of merged lists come in the order of the patch (or of
// $setElementOrder); those the patch does not name keep their place before the elements that
// followed them. A null removes a field.
json::Value ApplyStrategicPatch(const json::Value& value, const json::Value& patch, Schema schema);

// StrategicDiff is the patch that turns `from` into `to`: applied to `from` it gives `to`,
// provided that `to` holds no nulls and no lists of plain values that repeat one.
json::Value StrategicDiff(const json::Value& from, const json::Value& to, Schema schema);

}  // namespace patch
