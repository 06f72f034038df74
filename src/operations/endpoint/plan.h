// SPDX-License-Identifier: Apache-2.0
// Pure plan of the changes to a node and its cluster for another control-plane endpoint.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "components/table.h"
#include "config/types.h"
#include "endpoint/record.h"
#include "net/host_port.h"
#include "pki/certificate.h"

namespace endpoint {

// A kubeconfig file of this node, and its server.
struct KubeconfigFile {
  std::filesystem::path path;
  std::string server;  // "https://10.0.0.10:6443"
};

// The present state.
struct EndpointFacts {
  bool control_plane = false;
  config::Init config;  // the cluster's configuration for this node
  std::vector<KubeconfigFile> files;
  std::string mark;                   // annotation kMark of this Node
  std::chrono::sys_seconds now = {};  // when the facts were collected
  // The fields from here on are set only for a control plane.
  pki::SubjectAltNames names;  // of the API server's certificate
  std::optional<ChangeRecord> record = {};
  // Other API servers that do not serve the new name, each with the reason.
  std::vector<std::string> unprepared;
  std::optional<std::string> cluster_info_server;  // std::nullopt: the ConfigMap does not exist
  std::optional<std::string> proxy_server;
  std::chrono::sys_seconds proxy_restarted = {};
};

// A kubeconfig file whose server becomes the new endpoint.
struct KubeconfigChange {
  std::filesystem::path path;
  // The component that reads the file only when it starts, and so must be restarted.
  std::optional<components::Component> reader = {};
  bool operator==(const KubeconfigChange&) const = default;
};

// The required actions.
struct SetPlan {
  std::string endpoint;                       // "host:port"
  std::optional<pki::SubjectAltNames> names;  // of the API server's new certificate
  std::optional<ChangeRecord> record;         // to store
  // The API servers that do not serve the new name yet, each with the reason. The steps for the
  // cluster and the nodes cannot begin before these API servers serve it.
  std::vector<std::string> unprepared;
  std::optional<config::ClusterConfiguration> cluster;  // to store
  bool cluster_info = false;
  bool kube_proxy = false;
  std::vector<KubeconfigChange> files;
  bool rewrites = false;  // whether a file has another server
  bool kubelet = false;   // whether it is restarted
  bool mark = false;      // whether to annotate the Node
};

// Plans the change to endpoint `to`; leaves out completed steps. A control-plane node changes its
// certificate, the cluster's objects and its files. While another API server does not serve the
// endpoint's name, it changes only the certificate. The files are admin.conf and super-admin.conf;
// on a worker kubelet.conf. Files with the URL of this node's own API server stay unchanged.
SetPlan MakePlan(const EndpointFacts& seen, const net::HostPort& to);

// Returns whether no action is needed.
bool IsEmpty(const SetPlan& plan);

// Formats the plan for users: one step per line.
std::string TextOf(const SetPlan& plan);

// Returns instructions for the other nodes, to follow after the plan.
std::vector<std::string> NextSteps(const SetPlan& plan, const EndpointFacts& seen);

// Returns the record of the change to finish. Returns std::nullopt if no change is in progress: an
// earlier run or another control-plane node has finished it. Throws base::Error(kUsage) on a
// worker, and base::Error(kOther) if the cluster does not use the new endpoint yet.
std::optional<ChangeRecord> RecordToFinish(const EndpointFacts& seen);

// Plan that drops the previous endpoint.
struct FinishPlan {
  std::vector<std::string> behind;  // nodes without the new endpoint
  std::vector<std::string> left;    // nodes of `behind` that the user excludes
  std::optional<config::ClusterConfiguration> cluster;
  std::optional<pki::SubjectAltNames> names;  // of the API server's new certificate here
};

// Plans the removal of the previous endpoint. A node that joined after the change counts as
// changed. Keeps names that this node's certificate needs for another reason, such as the node's
// own address. Throws base::Error(kUsage) if `leave_behind` names an unknown node.
FinishPlan MakeFinishPlan(const EndpointFacts& seen, const ChangeRecord& record,
                          const std::vector<NodeEndpoint>& nodes,
                          const std::vector<std::string>& leave_behind = {});
std::string TextOf(const FinishPlan& plan);

// Returns "https://host:port".
std::string UrlOf(std::string_view endpoint);

}  // namespace endpoint
