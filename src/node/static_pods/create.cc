// SPDX-License-Identifier: Apache-2.0
#include "static_pods/create.h"

#include <fmt/core.h>

#include "base/error.h"
#include "static_pods/rootless.h"

namespace static_pods {

using components::Component;

std::string PatchingContext(Component component) {
  return fmt::format("could not patch the static Pod \"{}\"", Name(component));
}

node_input::Patched FinishPod(Component component, json::Value pod, const CreateOptions& options) {
  if (options.rootless != nullptr) {
    RunAs(pod, component, *options.rootless);
  }
  node_input::Patched patched{.value = std::move(pod)};
  if (options.patches == nullptr) {
    return patched;
  }
  return base::WithContext(PatchingContext(component), [&] {
    patched = node_input::ApplyPatches(*options.patches, Name(component), std::move(patched.value),
                                       patch::Schema::kPod);
    patched.value = Normalized(patched.value);
    return std::move(patched);
  });
}

}  // namespace static_pods
