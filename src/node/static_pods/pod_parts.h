// SPDX-License-Identifier: Apache-2.0
// The parts that the static Pods are put together from.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "json/value.h"
#include "static_pods/static_pod.h"

namespace static_pods {

// HttpProbe asks `path` at the container's probe port. Path and scheme are literals. Zero values
// are left out, as the API does.
struct HttpProbe {
  std::string host;  // "" is the Pod's own address
  std::string_view path;
  std::string_view scheme = "HTTPS";
  int initial_delay_seconds = 10;
  int period_seconds = 10;
  int failure_threshold = 8;
};
json::Value ProbeObject(const HttpProbe& probe);

// ProbeTable says which of the three kinds a component has, each by its path, a literal.
struct ProbeTable {
  std::string_view liveness;
  std::string_view readiness;  // "" for none
  std::string_view startup;
};

// ProbeTarget is where the probes go. The scheme is a literal.
struct ProbeTarget {
  std::string host;
  std::string_view scheme = "HTTPS";
  int port = 0;
};

// Loopback is the loopback address of the family of the API server's: "127.0.0.1" or "::1".
std::string Loopback(const config::ApiEndpoint& local);

// StartupFailureThreshold is how often a startup probe may fail within `limit`: one failure each
// ten seconds, rounded up. Without a limit it is 24 (four minutes).
int StartupFailureThreshold(const std::optional<config::Timeouts>& timeouts);

// ProbeHost is the address to ask a server that listens on `address`: "" for all addresses.
std::string ProbeHost(const std::string& address);

// Volume is a directory or file of the host and where the container sees it.
struct Volume {
  std::string name;
  std::string host_path;
  std::string mount_path;
  std::string type;
  bool read_only = true;
};

// CaVolumes are the host's directories of trusted CAs.
std::vector<Volume> CaVolumes(const HostFacts& facts);

// SortedVolumes adds the user's volumes, which replace those of the same name, and sorts by name.
std::vector<Volume> SortedVolumes(std::vector<Volume> volumes,
                                  const std::vector<config::HostPathMount>& extra);

// Environment merges variables and sorts them by name; the last of a name wins. An empty "value" is
// left out and fieldRef and resourceFieldRef get the API's defaults.
std::vector<json::Value> Environment(const std::map<std::string, std::string>& proxies,
                                     const std::vector<json::Value>& extra);

// PodSpec is what differs from Pod to Pod; PodObject adds what they share (reference: manifests.md
// §1).
struct PodSpec {
  components::Component component;
  std::map<std::string, std::string> annotations;
  std::vector<std::string> command;
  std::string image;
  std::vector<json::Value> environment;
  json::Value requests;  // "cpu", "memory"
  ProbeTable probes;
  ProbeTarget target;
  int startup_failures = 24;
  std::vector<Volume> volumes;
  std::vector<Volume> mounts;
};
json::Value PodObject(const PodSpec& spec);

// The components' tables. etcd's is in static_pod.h.
json::Value ApiServerPod(const config::Init& config, const HostFacts& facts);
json::Value ControllerManagerPod(const config::Init& config, const HostFacts& facts);
json::Value SchedulerPod(const config::Init& config, const HostFacts& facts);
json::Value EtcdPod(const config::Init& config);

// ExternalEtcdDirectories are the directories of external etcd's certificate files that no other
// volume of the API server shows; a directory stands for those below it. Sorted.
std::vector<std::string> ExternalEtcdDirectories(const config::ClusterConfiguration& cluster);

// EtcdProbeTarget is where etcd serves metrics and health: --listen-metrics-urls' first URL, or
// port 2381 of the loopback address.
ProbeTarget EtcdProbeTarget(const config::LocalEtcd& etcd, const config::ApiEndpoint& local);

}  // namespace static_pods
