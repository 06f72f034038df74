// SPDX-License-Identifier: Apache-2.0
// Who in a cluster trusts an authority: joining nodes, Pods, addons and extension API servers, and
// Secrets with tokens of a key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ca_rotation/anchors.h"
#include "ca_rotation/authority.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace ca_rotation {

// PublishCa puts the certificates into ConfigMap cluster-info, for nodes that join. One that is
// missing stays missing.
void PublishCa(kube::Client& client, const std::vector<Anchor>& anchors);

// PodsTrustProbe: every namespace's ConfigMap kube-root-ca.crt, which Pods see, has the
// certificate.
kube::Probe PodsTrustProbe(kube::Client& client, std::string pin);

// RestartAddons has kube-proxy and CoreDNS restarted, once for each new CA: they read it when
// they start.
void RestartAddons(kube::Client& client, const std::string& pin);
// AddonsProbe: their new Pods have taken the old ones' places. A Pod of kube-proxy on a node of
// `left_behind` does not count. It may keep the DaemonSet's controller from replacing the others,
// so where such nodes are named the probe deletes the other old Pods itself, one after the other.
kube::Probe AddonsProbe(kube::Client& client, std::string pin,
                        std::vector<std::string> left_behind = {});

// ForgetOldCa takes a certificate out of ConfigMap extension-apiserver-authentication, into which
// API servers only ever add.
void ForgetOldCa(kube::Client& client, const Authority& authority, std::string_view old_pin);

// OldTokenSecrets names the Secrets ("namespace/name") whose service account token the key with
// that pin has signed. Nobody renews those.
std::vector<std::string> OldTokenSecrets(kube::Client& client, std::string_view pin);

// KeyIdOf is the id that Kubernetes gives the key with that pin in the header of a token;
// TokenKeyId the one that a token names, "" when the text is not a token.
std::string KeyIdOf(std::string_view pin);
std::string TokenKeyId(std::string_view token);

}  // namespace ca_rotation
