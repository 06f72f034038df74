// SPDX-License-Identifier: Apache-2.0
// Patches of JSON values: JSON patch (RFC 6902), merge patch (RFC 7386), and Kubernetes' strategic
// merge patch (lists merged by key, $patch and $retainKeys and $deleteFromPrimitiveList
// directives).
#pragma once

#include <string_view>

#include "json/fwd.h"

namespace patch {

// Applies an array of operations. Throws base::Error(kInvalid) naming the operation by its index
// and path. More lenient than the RFC where Kubernetes is: "replace" creates a missing member, and
// a missing "value" is null. "test" and "copy" treat a missing member as null, and a negative index
// counts from a list's end. Throws kInvalid for more than 10,000 operations (the API server's
// limit), and if copies would take more than json::kMostMemory.
json::Value ApplyJsonPatch(const json::Value& value, const json::Value& operations);

// Merges objects, removes fields that are null in the patch, and replaces the rest. Omits null
// members of objects in lists, as Kubernetes does.
json::Value ApplyMergePatch(const json::Value& value, const json::Value& patch);

// The schema of a strategic merge patch: which lists are merged, and by which key.
enum class Schema { kPod, kDeployment, kDaemonSet, kNode, kKubeletConfiguration };

// Applies a strategic merge patch. Throws base::Error(kInvalid) if an element lacks its list's
// merge key or a directive is invalid. In a merged list, the elements of the patch get the order of
// the patch (or of $setElementOrder). Each other element stays before the elements that followed
// it. A null removes a field. Directives apply only where something is merged. Nulls, and objects
// with a member "$patch", are removed from a new value. An element that is added to a merged list,
// or replaces an element, is taken unchanged.
json::Value ApplyStrategicPatch(const json::Value& value, const json::Value& patch, Schema schema);

// Returns a patch that turns `from` into `to`. Precondition: `to` has no nulls, and no list of
// plain values with a repeated value.
json::Value StrategicDiff(const json::Value& from, const json::Value& to, Schema schema);

}  // namespace patch
