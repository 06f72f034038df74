// SPDX-License-Identifier: Apache-2.0
// The trust of a cluster in an authority: joining nodes, Pods, addons and extension API servers,
// and Secrets with tokens of a key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ca_rotation/anchors.h"
#include "ca_rotation/authority.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace ca_rotation {

// Writes the certificates into ConfigMap cluster-info, for joining nodes. A missing one stays
// missing.
void PublishCa(kube::Client& client, const std::vector<Anchor>& anchors);

// A probe that succeeds when every namespace's ConfigMap kube-root-ca.crt, which Pods mount, has
// the certificate.
kube::Probe PodsTrustProbe(kube::Client& client, std::string pin);

// Restarts kube-proxy and CoreDNS, once for each new CA: they read it at their start.
void RestartAddons(kube::Client& client, const std::string& pin);
// A probe that succeeds when their new Pods have replaced the old ones. A Pod of kube-proxy on a
// node of `left_behind` is ignored. Such a node may prevent the DaemonSet's controller from
// replacing the others. So if `left_behind` has nodes the probe deletes the other old Pods itself,
// one after the other.
kube::Probe AddonsProbe(kube::Client& client, std::string pin,
                        std::vector<std::string> left_behind = {});

// Removes a certificate from ConfigMap extension-apiserver-authentication, to which API servers
// only add.
void ForgetOldCa(kube::Client& client, const Authority& authority, std::string_view old_pin);

// Returns the Secrets ("namespace/name") whose service account token was signed by the key with
// that pin. Kubernetes does not renew those.
std::vector<std::string> OldTokenSecrets(kube::Client& client, std::string_view pin);

// KeyIdOf returns the id of the key with that pin in the header of Kubernetes' tokens. TokenKeyId
// returns the one in a token, "" if the text is not a token.
std::string KeyIdOf(std::string_view pin);
std::string TokenKeyId(std::string_view token);

}  // namespace ca_rotation
