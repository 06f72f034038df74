// SPDX-License-Identifier: Apache-2.0
// The fields of kubeproxy.config.k8s.io/v1alpha1 as Kubernetes 1.38 has them (its API reference).
#include "config/schema.h"

namespace config {
namespace {

constexpr SchemaRow kRows[] = {
    {"KubeProxyConfiguration", "bindAddress", "!string"},
    {"KubeProxyConfiguration", "bindAddressHardFail", "!bool"},
    {"KubeProxyConfiguration", "clientConnection", "!ClientConnectionConfiguration"},
    {"KubeProxyConfiguration", "clusterCIDR", "!string"},
    {"KubeProxyConfiguration", "configSyncPeriod", "!dur"},
    {"KubeProxyConfiguration", "conntrack", "!KubeProxyConntrackConfiguration"},
    {"KubeProxyConfiguration", "detectLocal", "!DetectLocalConfiguration"},
    {"KubeProxyConfiguration", "detectLocalMode", "!string"},
    {"KubeProxyConfiguration", "enableProfiling", "!bool"},
    {"KubeProxyConfiguration", "featureGates", "map[]bool"},
    {"KubeProxyConfiguration", "healthzBindAddress", "!string"},
    {"KubeProxyConfiguration", "hostnameOverride", "!string"},
    {"KubeProxyConfiguration", "iptables", "!KubeProxyIPTablesConfiguration"},
    {"KubeProxyConfiguration", "ipvs", "!KubeProxyIPVSConfiguration"},
    {"KubeProxyConfiguration", "logging", "!LoggingConfiguration"},
    {"KubeProxyConfiguration", "metricsBindAddress", "!string"},
    {"KubeProxyConfiguration", "mode", "!string"},
    {"KubeProxyConfiguration", "nftables", "!KubeProxyNFTablesConfiguration"},
    {"KubeProxyConfiguration", "nodePortAddresses", "![]string"},
    {"KubeProxyConfiguration", "oomScoreAdj", "!*int32"},
    {"KubeProxyConfiguration", "portRange", "!string"},
    {"KubeProxyConfiguration", "showHiddenMetricsForVersion", "!string"},
    {"KubeProxyConfiguration", "windowsRunAsService", "bool"},
    {"KubeProxyConfiguration", "winkernel", "!KubeProxyWinkernelConfiguration"},
    {"ClientConnectionConfiguration", "acceptContentTypes", "!string"},
    {"ClientConnectionConfiguration", "burst", "!int32"},
    {"ClientConnectionConfiguration", "contentType", "!string"},
    {"ClientConnectionConfiguration", "kubeconfig", "!string"},
    {"ClientConnectionConfiguration", "qps", "!float32"},
    {"KubeProxyConntrackConfiguration", "maxPerCore", "!*int32"},
    {"KubeProxyConntrackConfiguration", "min", "!*int32"},
    {"KubeProxyConntrackConfiguration", "tcpBeLiberal", "!bool"},
    {"KubeProxyConntrackConfiguration", "tcpCloseWaitTimeout", "!*dur"},
    {"KubeProxyConntrackConfiguration", "tcpEstablishedTimeout", "!*dur"},
    {"KubeProxyConntrackConfiguration", "udpStreamTimeout", "!dur"},
    {"KubeProxyConntrackConfiguration", "udpTimeout", "!dur"},
    {"DetectLocalConfiguration", "bridgeInterface", "!string"},
    {"DetectLocalConfiguration", "interfaceNamePrefix", "!string"},
    {"KubeProxyIPTablesConfiguration", "localhostNodePorts", "!*bool"},
    {"KubeProxyIPTablesConfiguration", "masqueradeAll", "!bool"},
    {"KubeProxyIPTablesConfiguration", "masqueradeBit", "!*int32"},
    {"KubeProxyIPTablesConfiguration", "minSyncPeriod", "!dur"},
    {"KubeProxyIPTablesConfiguration", "syncPeriod", "!dur"},
    {"KubeProxyIPVSConfiguration", "excludeCIDRs", "![]string"},
    {"KubeProxyIPVSConfiguration", "minSyncPeriod", "!dur"},
    {"KubeProxyIPVSConfiguration", "scheduler", "!string"},
    {"KubeProxyIPVSConfiguration", "strictARP", "!bool"},
    {"KubeProxyIPVSConfiguration", "syncPeriod", "!dur"},
    {"KubeProxyIPVSConfiguration", "tcpFinTimeout", "!dur"},
    {"KubeProxyIPVSConfiguration", "tcpTimeout", "!dur"},
    {"KubeProxyIPVSConfiguration", "udpTimeout", "!dur"},
    {"KubeProxyNFTablesConfiguration", "masqueradeAll", "!bool"},
    {"KubeProxyNFTablesConfiguration", "masqueradeBit", "!*int32"},
    {"KubeProxyNFTablesConfiguration", "minSyncPeriod", "!dur"},
    {"KubeProxyNFTablesConfiguration", "syncPeriod", "!dur"},
    {"KubeProxyWinkernelConfiguration", "enableDSR", "!bool"},
    {"KubeProxyWinkernelConfiguration", "forwardHealthCheckVip", "!bool"},
    {"KubeProxyWinkernelConfiguration", "networkName", "!string"},
    {"KubeProxyWinkernelConfiguration", "rootHnsEndpointName", "!string"},
    {"KubeProxyWinkernelConfiguration", "sourceVip", "!string"},
};

}  // namespace

std::span<const SchemaRow> KubeProxyRows() { return kRows; }

}  // namespace config
