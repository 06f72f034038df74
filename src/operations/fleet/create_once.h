// SPDX-License-Identifier: Apache-2.0
// Creation of objects that another driver may create at the same time.
#pragma once

#include "json/fwd.h"
#include "kube/client.h"

namespace fleet {

// Creates the object. Has no effect if the object already exists. Throws the errors of kube::Client
// except kAlreadyExists.
void CreateOnce(kube::Client& client, const kube::Resource& resource, const json::Value& object);

}  // namespace fleet
