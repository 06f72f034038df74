// SPDX-License-Identifier: Apache-2.0
// Types of the fields of Kubernetes objects.
#pragma once

#include "json/fwd.h"
#include "kube/client.h"

namespace kube {

// RequireShape erases null members of objects, which the API treats as missing, and of lists, which
// it never has. Throws base::Error(kInvalid), naming object and field, when a field that this
// program reads has another type than the API gives it. Fields may still be missing.
void RequireShape(const Resource& resource, json::Value& object);

// RequireShape does the same for what the API server has answered, of a list for each item. An API
// server sends no other types, but something else may answer at its address.
void RequireShape(const Call& call, json::Value& answer);

}  // namespace kube
