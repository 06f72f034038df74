// SPDX-License-Identifier: Apache-2.0
// The published CAs of kubelets' serving certificates, with which clients such as metrics-server
// and Prometheus verify kubelets. They are in a ClusterTrustBundle of the signer
// kubernetes.io/kubelet-serving (KEP-3257). If the API server does not serve ClusterTrustBundles,
// they are in a ConfigMap.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"

namespace objects {

// The name of a signer's bundle must begin with the signer's name, in which ':' replaces '/'.
inline constexpr std::string_view kKubeletTrustBundle = "kubernetes.io:kubelet-serving:cluster-ca";
// The name of the ConfigMap in kube-system. The certificates are in its key ca.crt, as in ConfigMap
// kube-root-ca.crt.
inline constexpr std::string_view kKubeletTrustConfigMap = "kubelet-serving-ca";

// The versions of the ClusterTrustBundle API that PublishKubeletTrust uses, the preferred one
// first. v1 is served by default since v1.37. v1beta1 must be enabled in older API servers.
inline constexpr std::array<kube::Resource, 2> kClusterTrustBundles{
    {{"certificates.k8s.io", "v1", "clustertrustbundles", "ClusterTrustBundle", false},
     {"certificates.k8s.io", "v1beta1", "clustertrustbundles", "ClusterTrustBundle", false}}};

// Publishes the CA certificates (PEM): creates or updates the ClusterTrustBundle, or the ConfigMap
// if the API server does not serve ClusterTrustBundles. If both exist, updates both. Idempotent.
// Needs the right to attest for the signer. Throws the errors of kube::Client.
void PublishKubeletTrust(kube::Client& client, const std::string& pem);

// Replaces the certificates in the published objects. Creates no object. Throws the errors of
// PublishKubeletTrust.
void UpdateKubeletTrust(kube::Client& client, const std::string& pem);

// The certificates of one published object.
struct KubeletTrust {
  std::string object;  // "ConfigMap kube-system/kubelet-serving-ca"
  std::string pem;
};
// Returns the published certificates of each existing object. Throws the errors of
// PublishKubeletTrust.
std::vector<KubeletTrust> CollectKubeletTrust(kube::Client& client);

}  // namespace objects
