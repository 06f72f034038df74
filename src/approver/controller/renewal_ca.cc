// SPDX-License-Identifier: Apache-2.0
#include "controller/renewal_ca.h"

#include "inventories/machine_source.h"

namespace controller {

bool RenewalCaCounts(const Settings& settings, kube::Transport& management,
                     const std::stop_token& stop) {
  return !settings.renewal_ca_needs ||
         inventories::FindMachineApi(management, *settings.renewal_ca_needs, stop).has_value();
}

}  // namespace controller
