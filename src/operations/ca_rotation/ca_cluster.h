// What a cluster keeps of rotations of its authorities, and what in it trusts them.
//
// ConfigMap kube-system/kubeadm-rotate-ca holds for each authority its new one (a certificate or a
// public key, nothing secret) and the last step that has begun; nodes may read it. Each node says
// in an annotation of its own Node object how far it is.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ca_rotation/authority.h"
#include "ca_rotation/ca_files.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace ca_rotation {

inline constexpr std::string_view kRecordConfigMap = "kubeadm-rotate-ca";

// MarkAnnotation is "rotate-ca.kubeadm.slipway/<authority>".
std::string MarkAnnotation(const Authority& authority);

std::optional<Record> FindRecord(kube::Client& client, const Authority& authority);

// Claim makes `anchor` the new authority of a rotation that begins, and lets nodes read that.
// `before` is the record that was found. Throws base::Error(kConflict) when another node was
// quicker.
void Claim(kube::Client& client, const Authority& authority, const Anchor& anchor,
           const std::optional<Record>& before);

// SetStep notes that a step has begun; never an earlier one than is there.
void SetStep(kube::Client& client, const Authority& authority, Step step);

// StatesOf are the nodes whose progress counts: all, or those of the control plane for an authority
// that is none of the workers' business. Marks of other rotations count as none.
std::vector<NodeState> StatesOf(kube::Client& client, const Authority& authority,
                                std::string_view pin);
// StateOf is one node alone: all that a worker may see.
NodeState StateOf(kube::Client& client, const std::string& node, const Authority& authority,
                  std::string_view pin);
void SetMark(kube::Client& client, const std::string& node, const Authority& authority,
             const Mark& mark);

// PublishCa puts the certificates into ConfigMap cluster-info, for nodes that join. One that is
// missing stays missing.
void PublishCa(kube::Client& client, const std::vector<Anchor>& anchors);

// PodsTrustProbe: every namespace's ConfigMap kube-root-ca.crt, which Pods see, has the
// certificate.
kube::Probe PodsTrustProbe(kube::Client& client, std::string pin);

// RestartAddons lets kube-proxy and CoreDNS start anew, once for each new CA: they read it when
// they start.
void RestartAddons(kube::Client& client, const std::string& pin);
// AddonsProbe: their new Pods have taken the old ones' places.
kube::Probe AddonsProbe(kube::Client& client);

// ForgetOldCa takes a certificate out of ConfigMap extension-apiserver-authentication, into which
// API servers only ever add.
void ForgetOldCa(kube::Client& client, const Authority& authority, std::string_view old_pin);

// OldTokenSecrets names the Secrets ("namespace/name") whose service account token the key with
// that pin has signed. Nobody renews those.
std::vector<std::string> OldTokenSecrets(kube::Client& client, std::string_view pin);

// KeepUnless is a PEM text without the certificate of that pin.
std::string WithoutAnchor(const std::string& pem, std::string_view pin);

// KeyIdOf is the id that Kubernetes gives the key with that pin in the header of a token;
// TokenKeyId the one that a token names, "" when it is none.
std::string KeyIdOf(std::string_view pin);
std::string TokenKeyId(std::string_view token);

}  // namespace ca_rotation
