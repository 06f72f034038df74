// SPDX-License-Identifier: Apache-2.0
// Well-known paths of a node (reference: kubelet.md §1, manifests.md, pki.md §5).
#pragma once

#include <string_view>

namespace config {

inline constexpr std::string_view kKubernetesDir = "/etc/kubernetes";
inline constexpr std::string_view kManifestsDir = "/etc/kubernetes/manifests";
inline constexpr std::string_view kTmpDir = "/etc/kubernetes/tmp";
inline constexpr std::string_view kDefaultCertificatesDir = "/etc/kubernetes/pki";
// The path, below the certificates directory, of the certificate with which the controller manager
// signs during a CA rotation. During a rotation ca.crt contains the old CA and the new CA.
inline constexpr std::string_view kSigningCertificate = "rotate-ca/kubernetes/signing.crt";
inline constexpr std::string_view kKubeletDir = "/var/lib/kubelet";
inline constexpr std::string_view kDefaultEtcdDataDir = "/var/lib/etcd";

inline constexpr std::string_view kAdminConf = "admin.conf";
inline constexpr std::string_view kSuperAdminConf = "super-admin.conf";
inline constexpr std::string_view kKubeletConf = "kubelet.conf";
inline constexpr std::string_view kBootstrapKubeletConf = "bootstrap-kubelet.conf";
inline constexpr std::string_view kControllerManagerConf = "controller-manager.conf";
inline constexpr std::string_view kSchedulerConf = "scheduler.conf";

inline constexpr std::string_view kEtcd = "etcd";
inline constexpr std::string_view kApiServer = "kube-apiserver";
inline constexpr std::string_view kControllerManager = "kube-controller-manager";
inline constexpr std::string_view kScheduler = "kube-scheduler";

inline constexpr std::string_view kContainerdSocket = "unix:///var/run/containerd/containerd.sock";
inline constexpr std::string_view kCrioSocket = "unix:///var/run/crio/crio.sock";
inline constexpr std::string_view kDockerSocket = "unix:///var/run/cri-dockerd.sock";

inline constexpr int kKubeletPort = 10250;
inline constexpr int kSchedulerPort = 10259;
inline constexpr int kControllerManagerPort = 10257;
inline constexpr int kEtcdClientPort = 2379;
inline constexpr int kEtcdPeerPort = 2380;
inline constexpr int kEtcdMetricsPort = 2381;

}  // namespace config
