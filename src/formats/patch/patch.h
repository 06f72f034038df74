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
// member, a missing "value" is null, "test" and "copy" take a missing member for null, and a
// negative index counts from a list's end. Throws as well for more than 10,000 operations (the API
// server's bound) and where what they copy would take more than json::kMostMemory.
json::Value ApplyJsonPatch(const json::Value& value, const json::Value& operations);

// ApplyMergePatch merges objects, removes what is null, and replaces the rest. Of objects in lists
// it leaves null members out, as Kubernetes does.
json::Value ApplyMergePatch(const json::Value& value, const json::Value& patch);

// Schema of a strategic merge patch: which lists are merged, and by which key.
enum class Schema { kPod, kDeployment, kDaemonSet, kNode, kKubeletConfiguration };

// ApplyStrategicPatch throws base::Error(kInvalid) when an element lacks its list's merge key or a
// directive says what it cannot. Elements of merged lists come in the order of the patch (or of
// $setElementOrder); those the patch does not name keep their place before the elements that
// followed them. A null removes a field. Directives count only where something is merged: what the
// patch puts where nothing was comes without nulls and without objects that hold a "$patch", and
// what it adds to a merged list, or puts in the place of another, stays as it is.
json::Value ApplyStrategicPatch(const json::Value& value, const json::Value& patch, Schema schema);

// StrategicDiff is the patch that turns `from` into `to`: applied to `from` it gives `to`,
// provided that `to` holds no nulls and no lists of plain values that repeat one.
json::Value StrategicDiff(const json::Value& from, const json::Value& to, Schema schema);

}  // namespace patch
