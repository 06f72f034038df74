// SPDX-License-Identifier: Apache-2.0
#include "fleet/create_once.h"

#include "base/error.h"
#include "json/value.h"

namespace fleet {

void CreateOnce(kube::Client& client, const kube::Resource& resource, const json::Value& object) {
  try {
    client.Create(resource, object);
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kAlreadyExists) {
      throw;
    }
  }
}

}  // namespace fleet
