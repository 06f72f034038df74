// SPDX-License-Identifier: Apache-2.0
// ServiceAccounts of the controllers in kube-controller-manager, created ahead of its start.
//
// With --use-service-account-credentials, the controller manager looks up each account when it
// becomes the leader. It creates each missing account with three requests, limited to 20 requests
// per second. Creation takes about five seconds, in which no certificate is signed and no Pod is
// created. With existing accounts the look-up takes one second.
#pragma once

#include <string_view>
#include <vector>

#include "base/version.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace objects {

// Returns the names of the accounts in namespace kube-system that a controller manager of `version`
// creates. `pod` is the controller manager's static Pod. Returns an empty list if the user changed
// arguments that select controllers or their credentials.
std::vector<std::string_view> ControllerAccounts(const json::Value& pod,
                                                 const base::Version& version);

// Creates the missing accounts, as the controller manager would. Throws the errors of kube::Client.
void MakeControllerAccounts(kube::Client& client, const std::vector<std::string_view>& names);

}  // namespace objects
