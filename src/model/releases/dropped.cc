// SPDX-License-Identifier: Apache-2.0
#include "releases/dropped.h"

#include <fmt/format.h>

#include <algorithm>

namespace releases {
namespace {

constexpr std::string_view kGates35[] = {"AllowServiceLBStatusOnNonLB",
                                         "ComponentSLIs",
                                         "CronJobsScheduledAnnotation",
                                         "LoadBalancerIPMode",
                                         "PodIndexLabel",
                                         "ProbeHostPodSecurityStandards",
                                         "SizeMemoryBackedVolumes",
                                         "StatefulSetAutoDeletePVC",
                                         "StrictCostEnforcementForVAP",
                                         "StrictCostEnforcementForWebhooks",
                                         "UserNamespacesPodSecurityStandards"};
constexpr LockedGate kLocked35[] = {{"AggregatedDiscoveryRemoveBetaType", true},
                                    {"AllowOverwriteTerminationGracePeriodSeconds", false},
                                    {"DisableAllocatorDualWrite", true},
                                    {"DynamicResourceAllocation", true},
                                    {"ExecProbeTimeout", true},
                                    {"ImageMaximumGCAge", true},
                                    {"InPlacePodVerticalScaling", true},
                                    {"JobManagedBy", true},
                                    {"PodObservedGenerationTracking", true},
                                    {"PreferSameTrafficDistribution", true},
                                    {"SupplementalGroupsPolicy", true}};
constexpr std::string_view kGates36[] = {"CSIMigrationPortworx",
                                         "HonorPVReclaimPolicy",
                                         "InPlacePodVerticalScalingAllocatedStatus",
                                         "InTreePluginPortworxUnregister",
                                         "MemoryManager",
                                         "ServiceTrafficDistribution",
                                         "StructuredAuthorizationConfiguration",
                                         "TopologyAwareHints",
                                         "WatchFromStorageWithoutResourceVersion"};
constexpr LockedGate kLocked36[] = {{"CSIServiceAccountTokenSecrets", true},
                                    {"DRAAdminAccess", true},
                                    {"DeclarativeValidation", true},
                                    {"DisableNodeKubeProxyVersion", true},
                                    {"ExternalServiceAccountTokenSigner", true},
                                    {"GitRepoVolumeDriver", false},
                                    {"ImageVolume", true},
                                    {"InOrderInformers", true},
                                    {"KubeletFineGrainedAuthz", true},
                                    {"KubeletPSI", true},
                                    {"KubeletPodResourcesDynamicResources", true},
                                    {"KubeletPodResourcesGet", true},
                                    {"MutableCSINodeAllocatableCount", true},
                                    {"NodeLogQuery", true},
                                    {"ProcMountType", true},
                                    {"SELinuxChangePolicy", true},
                                    {"SELinuxMountReadWriteOncePod", true},
                                    {"SeparateCacheWatchRPC", false},
                                    {"TopologyManagerPolicyOptions", true},
                                    {"UserNamespacesSupport", true},
                                    {"VolumeAttributesClass", true}};
constexpr std::string_view kGates37[] = {"APIServerTracing",
                                         "AnonymousAuthConfigurableEndpoints",
                                         "AnyVolumeDataSource",
                                         "AuthorizeNodeWithSelectors",
                                         "AuthorizeWithSelectors",
                                         "BtreeWatchCache",
                                         "ConsistentListFromCache",
                                         "GangScheduling",
                                         "JobBackoffLimitPerIndex",
                                         "JobPodReplacementPolicy",
                                         "JobSuccessPolicy",
                                         "LogarithmicScaleDown",
                                         "OrderedNamespaceDeletion",
                                         "PodLifecycleSleepAction",
                                         "PodLifecycleSleepActionAllowZero",
                                         "PreventStaticPodAPIReferences",
                                         "RelaxedDNSSearchValidation",
                                         "ResilientWatchCacheInitialization",
                                         "RetryGenerateName",
                                         "SchedulerQueueingHints",
                                         "SidecarContainers",
                                         "StreamingCollectionEncodingToJSON",
                                         "StreamingCollectionEncodingToProtobuf",
                                         "StructuredAuthenticationConfiguration",
                                         "WorkloadAwarePreemption"};
constexpr LockedGate kLocked37[] = {{"DRAExtendedResource", true},
                                    {"DRAPrioritizedList", true},
                                    {"DRAResourceClaimDeviceStatus", true},
                                    {"DeclarativeValidationTakeover", false},
                                    {"DisableCPUQuotaWithExclusiveCPUs", true},
                                    {"HPAConfigurableTolerance", true},
                                    {"HostnameOverride", true},
                                    {"InPlacePodVerticalScalingInitContainers", true},
                                    {"NodeDeclaredFeatures", true},
                                    {"PLEGOnDemandRelist", true},
                                    {"PodReadyToStartContainersCondition", true},
                                    {"RelaxedServiceNameValidation", true},
                                    {"WatchCacheInitializationPostStartHook", true}};
constexpr std::string_view kGates38[] = {"AggregatedDiscoveryRemoveBetaType",
                                         "AllowOverwriteTerminationGracePeriodSeconds",
                                         "CRDValidationRatcheting",
                                         "CustomResourceFieldSelectors",
                                         "DisableAllocatorDualWrite",
                                         "DynamicResourceAllocation",
                                         "ExecProbeTimeout",
                                         "InPlacePodVerticalScaling",
                                         "JobManagedBy",
                                         "KubeletTracing",
                                         "MatchLabelKeysInPodAffinity",
                                         "MultiCIDRServiceAllocator",
                                         "NFTablesProxyMode",
                                         "NodeSwap",
                                         "PodGroupPreemptionPolicy",
                                         "PodSchedulingReadiness",
                                         "PreferSameTrafficDistribution",
                                         "RecoverVolumeExpansionFailure",
                                         "SeparateTaintEvictionController",
                                         "ServiceAccountTokenJTI",
                                         "ServiceAccountTokenNodeBinding",
                                         "ServiceAccountTokenNodeBindingValidation",
                                         "ServiceAccountTokenPodNodeInfo",
                                         "SupplementalGroupsPolicy",
                                         "SystemdWatchdog",
                                         "WinDSR",
                                         "WinOverlay",
                                         "WindowsHostNetwork"};
constexpr LockedGate kLocked38[] = {{"AuthorizePodWebsocketUpgradeCreatePermission", true},
                                    {"DRADeviceBindingConditions", true},
                                    {"DRADeviceTaintRules", true},
                                    {"DRADeviceTaints", true},
                                    {"DRAPartitionableDevices", true},
                                    {"EnvFiles", true},
                                    {"ExtendWebSocketsToKubelet", true},
                                    {"HPAGeneration", true},
                                    {"PortForwardWebsockets", true},
                                    {"StrictIPCIDRValidation", true},
                                    {"TranslateStreamCloseWebsocketRequests", true}};

constexpr std::string_view kPodInfra[] = {"pod-infra-container-image"};
constexpr std::string_view kEtcd37[] = {"discovery", "discovery-proxy", "experimental-*"};

constexpr ApiVersion kApis35[] = {{"storagemigration.k8s.io", "v1alpha1"}};
constexpr ApiVersion kApis36[] = {{"scheduling.k8s.io", "v1alpha1"}};
constexpr ApiVersion kApis37[] = {{"scheduling.k8s.io", "v1alpha2"}};
constexpr ApiVersion kUnknown36[] = {
    {"autoscaling", "v2beta1"}, {"autoscaling", "v2beta2"}, {"scheduling.k8s.io", "v1alpha1"}};
constexpr std::string_view kPlugins37[] = {"JobValidation", "PodGroupWorkloadExists"};

// GODEBUG settings that Go 1.27 has removed (internal/godebugs: Removed). Programs of Go 1.27 exit
// at such a setting; programs of older Go releases ignored removed settings.
constexpr GodebugValue kGodebug38[] = {
    {"asynctimerchan", "1"},  {"asynctimerchan", "2"}, {"gotypesalias", "0"}, {"tls10server", "1"},
    {"tls3des", "1"},         {"tlskyber", "0"},       {"tlsrsakex", "1"},    {"tlsunsafeekm", "1"},
    {"x509keypairleaf", "0"}, {"x509sha1", "1"}};

constexpr Dropped kDropped[] = {
    {.minor = 35,
     .gates = kGates35,
     .locked_gates = kLocked35,
     .etcd_arguments = {},
     .kubelet_arguments = kPodInfra,
     .stored_apis = kApis35,
     .unknown_apis = kApis35,
     .admission_plugins = {}},
    {.minor = 36,
     .gates = kGates36,
     .locked_gates = kLocked36,
     .etcd_arguments = {},
     .kubelet_arguments = {},
     .stored_apis = kApis36,
     .unknown_apis = kUnknown36,
     .admission_plugins = {}},
    {.minor = 37,
     .gates = kGates37,
     .locked_gates = kLocked37,
     .etcd_arguments = kEtcd37,
     .kubelet_arguments = {},
     .stored_apis = kApis37,
     .unknown_apis = kApis37,
     .admission_plugins = kPlugins37},
    {.minor = 38,
     .gates = kGates38,
     .locked_gates = kLocked38,
     .etcd_arguments = {},
     .kubelet_arguments = {},
     .stored_apis = {},
     .unknown_apis = {},
     .admission_plugins = {},
     .godebug_values = kGodebug38,
     .checks_id_range = true},
};

}  // namespace

std::span<const Dropped> AllDropped() { return kDropped; }

std::optional<std::string> GateTrouble(int minor, std::string_view name, bool value) {
  for (const Dropped& row : kDropped) {
    if (row.minor > minor) {
      break;
    }
    if (std::ranges::contains(row.gates, name)) {
      return fmt::format("v1.{} has no such feature gate", row.minor);
    }
    const auto locked = std::ranges::find(row.locked_gates, name, &LockedGate::name);
    if (locked != row.locked_gates.end() && locked->value != value) {
      return fmt::format("v1.{} has it locked to {}", row.minor, locked->value);
    }
  }
  return std::nullopt;
}

std::string_view OldestEtcdFor(int minor) {
  // Source: https://etcd.io/docs, upgrading from 3.5 to 3.6, and from 3.6 to 3.7.
  return minor == 6 ? "3.5.26" : minor == 7 ? "3.6.11" : "";
}

bool Matches(std::span<const std::string_view> names, std::string_view argument) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    return name.ends_with('*') ? argument.starts_with(name.substr(0, name.size() - 1))
                               : argument == name;
  });
}

}  // namespace releases
