// SPDX-License-Identifier: Apache-2.0
// Changes of a cluster's trust in an authority: cluster-info, the CA of Pods, addons, extension API
// servers and token Secrets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ca_rotation/anchors.h"
#include "ca_rotation/authority.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace ca_rotation {

// Writes the certificates into ConfigMap cluster-info, for joining nodes. If the ConfigMap does not
// exist, does nothing.
void PublishCa(kube::Client& client, const std::vector<Anchor>& anchors);

// Returns a probe that succeeds when ConfigMap kube-root-ca.crt of every namespace contains the
// certificate. Pods mount this ConfigMap.
kube::Probe PodsTrustProbe(kube::Client& client, std::string pin);

// Restarts kube-proxy and CoreDNS once for each new CA, because they read the CA only at start.
void RestartAddons(kube::Client& client, const std::string& pin);
// Returns a probe that succeeds when new Pods of kube-proxy and CoreDNS have replaced the old Pods.
// Ignores kube-proxy Pods on the nodes `left_behind`, because such a node may block the rollout of
// the DaemonSet. If `left_behind` is not empty, the probe deletes the old Pods of the other nodes
// itself, one at a time.
kube::Probe AddonsProbe(kube::Client& client, std::string pin,
                        std::vector<std::string> left_behind = {});

// Removes a certificate from ConfigMap extension-apiserver-authentication. API servers add their
// certificates to this ConfigMap, but never remove any.
void ForgetOldCa(kube::Client& client, const Authority& authority, std::string_view old_pin);

// Returns the Secrets ("namespace/name") whose service account token was signed by the key with
// this pin. Kubernetes does not renew tokens in Secrets.
std::vector<std::string> OldTokenSecrets(kube::Client& client, std::string_view pin);

// KeyIdOf returns the key id (kid) that Kubernetes writes into token headers for the key with this
// pin. TokenKeyId returns the key id in a token, or "" if the text is not a token.
std::string KeyIdOf(std::string_view pin);
std::string TokenKeyId(std::string_view token);

}  // namespace ca_rotation
