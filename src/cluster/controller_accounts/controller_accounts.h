// SPDX-License-Identifier: Apache-2.0
// ServiceAccounts of the controllers in kube-controller-manager.
//
// With --use-service-account-credentials the controller manager looks each of them up when it
// becomes the leader, and creates missing ones: three requests per account instead of one, all
// through its limit of 20 requests a second. That takes five seconds, in which no certificate is
// signed and no Pod is created. If the accounts already exist, it takes one.
#pragma once

#include <string_view>
#include <vector>

#include "base/version.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace controller_accounts {

// Returns the names, in namespace kube-system, of the accounts that the controller manager of the
// static Pod `pod`, of this version, creates. Returns an empty list if its arguments are not
// kubeadm's own where they decide about the controllers or their credentials.
std::vector<std::string_view> ControllerAccounts(const json::Value& pod,
                                                 const base::Version& version);

// Creates missing ones, as the controller manager would.
void MakeControllerAccounts(kube::Client& client, const std::vector<std::string_view>& names);

}  // namespace controller_accounts
