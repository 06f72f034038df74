// SPDX-License-Identifier: Apache-2.0
// Types of the fields of Kubernetes objects.
#pragma once

#include "json/fwd.h"
#include "kube/client.h"

namespace kube {

// Removes null members of objects, which the API treats as missing, and null items of lists, which
// the API never sends. Throws base::Error(kInvalid), naming object and field, if a field that this
// program reads has another type than in the API. Fields may be missing.
void RequireShape(const Resource& resource, json::Value& object);

// Checks an answer of the API server in the same way, or each item if the answer is a list. Ignores
// the answers to deletions, and those about subresources. API servers never send other types, but a
// different server may answer at that address.
void RequireShape(const Call& call, json::Value& answer);

}  // namespace kube
