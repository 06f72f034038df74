// SPDX-License-Identifier: Apache-2.0
// Completes a generated Pod for its manifest: the user that it runs as, and the user's patches.
#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "node_input/patches.h"
#include "static_pods/accounts.h"
#include "static_pods/static_pod.h"

namespace static_pods {

// Options of FinishPod; both may be null.
struct CreateOptions {
  const node_input::PatchSet* patches = nullptr;
  const static_pods::RootlessIds* rootless = nullptr;  // null: the Pod runs as root
};

// Returns the prefix of errors about the patches of a component's Pod.
std::string PatchingContext(components::Component component);

// Sets the Pod's user, then applies the configuration's patches. Throws base::Error(kInvalid) for a
// patch that does not apply.
node_input::Patched FinishPod(components::Component component, json::Value pod,
                              const CreateOptions& options);

}  // namespace static_pods
