// SPDX-License-Identifier: Apache-2.0
// ServiceAccounts of the controllers in kube-controller-manager.
//
// With --use-service-account-credentials the controller manager looks each of them up when it has
// become the leader, and makes those that are missing: three requests for an account instead of
// one, all through its limit of 20 requests a second. That takes five seconds, in which no
// certificate is signed and no Pod is made. Where the accounts are there before, it takes one.
#pragma once

#include <string_view>
#include <vector>

#include "base/version.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace controller_accounts {

// ControllerAccounts are the names, in namespace kube-system, of the accounts that the controller
// manager of the static Pod `pod`, which is of this version, makes. None when its arguments are
// not kubeadm's own where they decide which controllers run and whose credentials they use: then
// only the controller manager knows.
std::vector<std::string_view> ControllerAccounts(const json::Value& pod,
                                                 const base::Version& version);

// MakeControllerAccounts creates those that are missing, just as the controller manager would.
void MakeControllerAccounts(kube::Client& client, const std::vector<std::string_view>& names);

}  // namespace controller_accounts
