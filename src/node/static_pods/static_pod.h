// SPDX-License-Identifier: Apache-2.0
// Static Pods of the control plane: from a configuration and facts of the host to the Pod object
// that the kubelet runs (kubernetes.io/docs: "Create static Pods"; reference: manifests.md §1–§7).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "components/table.h"
#include "config/addresses.h"
#include "config/types.h"
#include "host/host.h"
#include "json/value.h"
#include "net/host_port.h"

namespace static_pods {

// The directories in which Linux distributions store trusted CAs. The first is always mounted, the
// others only if they exist.
inline constexpr std::string_view kCaDirectory = "/etc/ssl/certs";
inline constexpr std::array<std::string_view, 5> kExtraCaDirectories = {
    "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/ca-certificates", "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates"};

// The facts that the Pods depend on besides the configuration.
struct HostFacts {
  std::set<std::string> ca_directories;                  // the existing ones of kExtraCaDirectories
  std::map<std::string, std::string> proxy_environment;  // *_proxy variables that have a value
  bool external_ca = false;  // ca.crt without ca.key: the controller manager cannot sign
  bool rotates_ca = false;   // the controller manager signs with config::kSigningCertificate
};

// Reads the machine's files and environment.
HostFacts CollectFacts(const host::Host& host, const config::ClusterConfiguration& cluster);

// Returns the non-empty variables whose names end in "_proxy", in any case.
std::map<std::string, std::string> ProxyEnvironment(const std::map<std::string, std::string>& all);

// Returns the component's Pod. etcd is the first member of a new cluster.
json::Value StaticPod(components::Component component, const config::Init& config,
                      const HostFacts& facts);

// Returns etcd's Pod on a node that joins a running cluster. `initial_cluster` is
// "NAME=PEER_URL,…": all members of etcd, including the new one, whose name is the node's name.
json::Value JoiningEtcdPod(const config::Init& config, const std::string& initial_cluster);

// Return the URLs of this node's member: "https://A:2379" and "https://A:2380".
std::string EtcdClientUrl(const config::ApiEndpoint& local);
std::string EtcdPeerUrl(const config::ApiEndpoint& local);

// The annotations with the addresses of the API server and of etcd for other nodes.
inline constexpr std::string_view kApiServerEndpointAnnotation =
    "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint";
inline constexpr std::string_view kEtcdClientUrlsAnnotation =
    "kubeadm.kubernetes.io/etcd.advertise-client-urls";

// The address that an API server's Pod names for clients on other nodes.
struct AdvertisedEndpoint {
  std::string text;  // "10.0.0.1:6443"; "" if the Pod names none

  bool empty() const { return text.empty(); }
  // Returns "https://10.0.0.1:6443"; "" for none.
  std::string Url() const { return empty() ? "" : "https://" + text; }
  // Returns both parts, "" where they are missing. Throws base::Error(kInvalid) for malformed text.
  net::HostPort Parts() const { return config::ReadEndpoint(text); }
};
AdvertisedEndpoint AdvertisedEndpointOf(const json::Value& pod);

// Returns a patched Pod in the form in which Kubernetes writes it. Throws base::Error(kInvalid) if
// the object is not a Pod.
json::Value Normalized(const json::Value& pod);

// Returns the manifest as it is written: YAML with sorted keys that ends with "status: {}".
std::string Text(const json::Value& pod);

// Writes the Pod into the component's file (mode 0600, directory 0700).
void WriteManifest(host::Files& files, components::Component component, const json::Value& pod);

// Returns the Pod in the component's manifest, or std::nullopt if the manifest does not exist.
// Throws base::Error(kInvalid), naming the file, for content that is not a YAML object.
std::optional<json::Value> ReadManifest(const host::Files& files, components::Component component);

// Returns a container's command: `program`, then --name=value of config::MergedArgs.
std::vector<std::string> CommandLine(std::string_view program, const config::Args& defaults,
                                     const config::Args& extra);

// Returns the image of the Pod's first container; std::nullopt without one.
std::optional<std::string> FirstImage(const json::Value& pod);

// Returns the command and the args of the Pod's container of that name, joined. Returns an empty
// list if the container does not exist. Also returns an empty list for a container without a
// command, which runs the command of its image.
std::vector<std::string> WholeCommand(const json::Value& pod, std::string_view container);

// Returns the value of the last "--name=value" of the Pod's first container.
std::optional<std::string> CommandArg(const json::Value& pod, std::string_view name);

}  // namespace static_pods
