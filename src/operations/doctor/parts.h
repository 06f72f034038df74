// SPDX-License-Identifier: Apache-2.0
// The parts of the collection. Each function queries one kind of source and may throw; its result
// stores the answer in the facts. After a stop request, each function ends soon: it obeys its stop
// token, or the host kills its child processes. Internal to this library.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "config/types.h"
#include "doctor/gather.h"
#include "kube/kubeconfig.h"
#include "static_pods/static_pod.h"

namespace doctor {

// Stores the result of a query in the facts. Answers are called by one thread at a time.
using Answer = std::function<void(Facts& facts)>;

Answer CollectMachine(const DoctorSources& sources);
Answer CollectRuntime(const DoctorSources& sources, const std::stop_token& stop = {});
Answer CollectKubelet(const DoctorSources& sources, const std::stop_token& stop = {});
Answer CollectHealth(const DoctorSources& sources, const std::stop_token& stop = {});
Answer CollectCertificates(const DoctorSources& sources);
Answer CollectEtcd(const DoctorSources& sources);
Answer CollectManifests(const DoctorSources& sources);
Answer CollectBackup(const DoctorSources& sources);
Answer CollectApi(const DoctorSources& sources, const CollectOptions& options,
                  const std::stop_token& stop = {});

struct ClusterAnswer {
  ClusterFacts facts;
  std::map<std::string, json::Value> rendered;  // static Pods of the configuration, by component
  // URLs in objects of the cluster. They receive no credentials.
  std::vector<std::string> api_servers;
  std::string control_plane_endpoint;  // one of api_servers, if it is configured
  std::vector<std::string> unseen;
};

// Queries the cluster as the user of the kubeconfig. Objects that this user may not read are added
// to `unseen`.
ClusterAnswer CollectCluster(const DoctorSources& sources, const kube::Kubeconfig& kubeconfig,
                             const std::stop_token& stop);

// NodeFactOf and PodFactOf convert objects of the API. PodFactOf returns std::nullopt for a healthy
// Pod.
NodeFact NodeFactOf(const json::Value& node);
std::optional<PodFact> PodFactOf(const json::Value& pod);

// The limits that the parts share.
inline constexpr std::chrono::milliseconds kShort{2'500};    // of one query over the network
inline constexpr std::chrono::milliseconds kCommand{3'000};  // of one command

// Returns the address of this node's API server, according to its manifest; std::nullopt without a
// manifest.
std::optional<config::ApiEndpoint> LocalEndpoint(const host::Files& files);

// Returns this node's name, according to the kubelet's certificate; std::nullopt if the certificate
// is unreadable.
std::optional<std::string> NodeName(const host::Files& files);

// ConfiguredDriver returns the cgroup driver in containerd's configuration; DriverName returns the
// one that the runtime reports ("systemd", "cgroupfs"). Both return "" if it is unknown.
std::string ConfiguredDriver(const host::Files& files);
std::string DriverName(cri::Runtime& runtime);

// Returns whether systemd runs as pid 1.
bool HasSystemd(const host::Files& files);

// Returns whether the error means that only another user may read the source.
bool IsForbidden(const base::Error& error);

// Truncates to seconds.
inline sys_seconds Seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<seconds>(time);
}

// Adds the differences of the manifests from the cluster's configuration.
void AddRendered(const std::map<std::string, json::Value>& rendered, const host::Files& files,
                 Facts& facts);

}  // namespace doctor
