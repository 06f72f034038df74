// SPDX-License-Identifier: Apache-2.0
#include "config_change/kubelet_defaults.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/strings.h"

namespace config_change {
namespace {

// Source: the defaults of kubelet.config.k8s.io/v1beta1, as in a kubelet's /configz.
struct Row {
  std::string_view field;
  std::string_view value;      // JSON
  std::string_view flag = {};  // if it differs from the field's name: "pod-max-pids"
};
constexpr std::array kRows = std::to_array<Row>({
    {"address", R"("0.0.0.0")"},
    {"authentication.anonymous.enabled", "false", "anonymous-auth"},
    {"authentication.webhook.cacheTTL", R"("2m0s")", "authentication-token-webhook-cache-ttl"},
    {"authentication.webhook.enabled", "true", "authentication-token-webhook"},
    {"authorization.mode", R"("Webhook")", "authorization-mode"},
    {"authorization.webhook.cacheAuthorizedTTL", R"("5m0s")",
     "authorization-webhook-cache-authorized-ttl"},
    {"authorization.webhook.cacheUnauthorizedTTL", R"("30s")",
     "authorization-webhook-cache-unauthorized-ttl"},
    {"cgroupsPerQOS", "true"},
    {"configMapAndSecretChangeDetectionStrategy", R"("Watch")"},
    {"containerLogMaxFiles", "5"},
    {"containerLogMaxSize", R"("10Mi")"},
    {"containerLogMaxWorkers", "1"},
    {"containerLogMonitorInterval", R"("10s")"},
    {"contentType", R"("application/vnd.kubernetes.protobuf")", "kube-api-content-type"},
    {"cpuCFSQuota", "true"},
    {"cpuCFSQuotaPeriod", R"("100ms")"},
    {"cpuManagerPolicy", R"("none")"},
    {"cpuManagerReconcilePeriod", R"("10s")"},
    {"enableControllerAttachDetach", "true"},
    {"enableDebugFlagsHandler", "true"},
    {"enableDebuggingHandlers", "true"},
    {"enableProfilingHandler", "true"},
    {"enableServer", "true"},
    {"enableSystemLogHandler", "true"},
    {"enforceNodeAllocatable", R"(["pods"])"},
    {"eventBurst", "100"},
    {"eventRecordQPS", "50", "event-qps"},
    {"evictionHard.imagefs.available", R"("15%")"},
    {"evictionHard.imagefs.inodesFree", R"("5%")"},
    {"evictionHard.memory.available", R"("100Mi")"},
    {"evictionHard.nodefs.available", R"("10%")"},
    {"evictionHard.nodefs.inodesFree", R"("5%")"},
    {"evictionPressureTransitionPeriod", R"("5m0s")"},
    {"failSwapOn", "true"},
    {"fileCheckFrequency", R"("20s")"},
    {"hairpinMode", R"("promiscuous-bridge")"},
    {"healthzBindAddress", R"("127.0.0.1")"},
    {"healthzPort", "10248"},
    {"httpCheckFrequency", R"("20s")"},
    {"imageGCHighThresholdPercent", "85", "image-gc-high-threshold"},
    {"imageGCLowThresholdPercent", "80", "image-gc-low-threshold"},
    {"imageMinimumGCAge", R"("2m0s")", "minimum-image-ttl-duration"},
    {"iptablesDropBit", "15"},
    {"iptablesMasqueradeBit", "14"},
    {"kubeAPIBurst", "100"},
    {"kubeAPIQPS", "50"},
    {"localStorageCapacityIsolation", "true"},
    {"logging.format", R"("text")", "logging-format"},
    {"makeIPTablesUtilChains", "true", "make-iptables-util-chains"},
    {"maxOpenFiles", "1000000"},
    {"maxPods", "110"},
    {"memoryManagerPolicy", R"("None")"},
    {"memoryThrottlingFactor", "0.9"},
    {"nodeLeaseDurationSeconds", "40"},
    {"nodeStatusMaxImages", "50"},
    {"nodeStatusReportFrequency", R"("5m0s")"},
    {"nodeStatusUpdateFrequency", R"("10s")"},
    {"oomScoreAdj", "-999"},
    {"podPidsLimit", "-1", "pod-max-pids"},
    {"port", "10250"},
    {"registerNode", "true"},
    {"registryBurst", "10"},
    {"registryPullQPS", "5", "registry-qps"},
    {"runtimeRequestTimeout", R"("2m0s")"},
    {"serializeImagePulls", "true"},
    {"streamingConnectionIdleTimeout", R"("4h0m0s")"},
    {"syncFrequency", R"("1m0s")"},
    {"topologyManagerPolicy", R"("none")"},
    {"topologyManagerScope", R"("container")"},
    {"volumePluginDir", R"("/usr/libexec/kubernetes/kubelet-plugins/volume/exec/")"},
    {"volumeStatsAggPeriod", R"("1m0s")"},
    // These fields are not set by default. The name of an object includes all fields below it.
    {"allowedUnsafeSysctls", "null"},
    {"authentication.x509.clientCAFile", "null", "client-ca-file"},
    {"clusterDNS", "null", "cluster-dns"},
    {"clusterDomain", "null"},
    {"evictionMinimumReclaim", "null"},
    {"evictionSoft", "null"},
    {"evictionSoftGracePeriod", "null"},
    {"featureGates", "null"},
    {"imageMaximumGCAge", "null"},
    {"kubeReserved", "null"},
    {"kubeReservedCgroup", "null"},
    {"maxParallelImagePulls", "null"},
    {"podsPerCore", "null"},
    {"protectKernelDefaults", "null"},
    {"readOnlyPort", "null"},
    {"reservedSystemCPUs", "null", "reserved-cpus"},
    {"rotateCertificates", "null"},
    {"seccompDefault", "null"},
    {"serverTLSBootstrap", "null", "rotate-server-certificates"},
    {"shutdownGracePeriod", "null"},
    {"shutdownGracePeriodCriticalPods", "null"},
    {"staticPodPath", "null", "pod-manifest-path"},
    {"systemReserved", "null"},
    {"systemReservedCgroup", "null"},
    {"tlsCipherSuites", "null"},
    {"tlsMinVersion", "null"},
});

const Row* FindRow(std::string_view field) {
  const auto* row = std::ranges::find(kRows, field, &Row::field);
  return row == kRows.end() ? nullptr : row;
}

// Returns the field's row; without one, the row of the object that contains the field.
const Row* FindRowOf(std::string_view field) {
  const Row* row = FindRow(field);
  return row != nullptr ? row : FindRow(field.substr(0, field.find('.')));
}

// Returns the name in lower case without "-": "maxpods" for both "max-pods" and "maxPods".
std::string Plain(std::string_view name) {
  return base::ToLower(base::ReplaceAll(std::string(name), "-", ""));
}

}  // namespace

std::optional<json::Value> FindKubeletDefault(const std::string& field) {
  const Row* row = FindRowOf(field);
  return row == nullptr ? std::nullopt : std::optional(json::Parse(row->value));
}

bool IsGivenByFlag(const std::string& field, const std::set<std::string>& flags) {
  const Row* row = FindRowOf(field);
  const std::string first = Plain(field.substr(0, field.find('.')));
  return std::ranges::any_of(flags, [&](const std::string& flag) {
    return Plain(flag) == first ||
           (row != nullptr && !row->flag.empty() && Plain(flag) == Plain(row->flag));
  });
}

}  // namespace config_change
