// SPDX-License-Identifier: Apache-2.0
// The common parts of static Pods.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "json/value.h"
#include "static_pods/static_pod.h"

namespace static_pods {

// Queries `path` at the container's probe port. Path and scheme are literals. Zero values are
// omitted, as in the API.
struct HttpProbe {
  std::string host;  // "" is the Pod's own address
  std::string_view path;
  std::string_view scheme = "HTTPS";
  int initial_delay_seconds = 10;
  int period_seconds = 10;
  int failure_threshold = 8;
};
json::Value ProbeObject(const HttpProbe& probe);

// The three kinds of probes of a component, each by its path, a literal.
struct ProbeTable {
  std::string_view liveness;
  std::string_view readiness;  // "" for none
  std::string_view startup;
};

// The address of the probes. The scheme is a literal.
struct ProbeTarget {
  std::string host;
  std::string_view scheme = "HTTPS";
  int port = 0;
};

// Returns the loopback address of the API server's family: "127.0.0.1" or "::1".
std::string Loopback(const config::ApiEndpoint& local);

// Returns the failureThreshold of a startup probe that allows a start within `limit`. The probe
// runs every ten seconds; the result is rounded up. Without a limit it is 24 (four minutes).
int StartupFailureThreshold(const std::optional<config::Timeouts>& timeouts);

// Returns the probe's address for a server with bind address `address`: "" for all addresses.
std::string ProbeHost(const std::string& address);

// A directory or file of the host and its path in the container.
struct Volume {
  std::string name;
  std::string host_path;
  std::string mount_path;
  std::string type;
  bool read_only = true;
};

// Returns the host's directories of trusted CAs.
std::vector<Volume> CaVolumes(const HostFacts& facts);

// Adds the user's volumes, which replace those of the same name, and sorts by name.
std::vector<Volume> SortedVolumes(std::vector<Volume> volumes,
                                  const std::vector<config::HostPathMount>& extra);

// Merges the variables and sorts them by name. The last variable of a name takes precedence. An
// empty "value" is omitted and fieldRef and resourceFieldRef get the API's defaults.
std::vector<json::Value> Environment(const std::map<std::string, std::string>& proxies,
                                     const std::vector<json::Value>& extra);

// The specific parts of a Pod; PodObject adds the common ones (reference: manifests.md §1).
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

// Returns the directories of external etcd's certificate files that no other volume of the API
// server covers, sorted. A volume covers its directory and all directories below it.
std::vector<std::string> ExternalEtcdDirectories(const config::ClusterConfiguration& cluster);

// Returns the address of etcd's metrics and health check: the first URL of --listen-metrics-urls,
// or port 2381 of the loopback address.
ProbeTarget EtcdProbeTarget(const config::LocalEtcd& etcd, const config::ApiEndpoint& local);

}  // namespace static_pods
