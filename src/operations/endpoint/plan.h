// SPDX-License-Identifier: Apache-2.0
// The required changes to a node and the cluster for another control-plane endpoint. Pure.
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
struct SeenFile {
  std::filesystem::path path;
  std::string server;  // "https://10.0.0.10:6443"
};

// The present state.
struct Seen {
  bool control_plane = false;
  config::Init config;  // the cluster's stored one, for this node
  std::vector<SeenFile> files;
  std::string mark;                   // of this Node (kMark)
  std::chrono::sys_seconds now = {};  // during a change of the endpoint
  // Only on a control plane:
  pki::SubjectAltNames names;  // of the API server's certificate
  std::optional<Record> record = {};
  std::vector<std::string> unprepared;  // other API servers that do not serve the name, and why
  std::optional<std::string> cluster_info_server;  // std::nullopt: the ConfigMap does not exist
  std::optional<std::string> proxy_server;
  std::chrono::sys_seconds proxy_restarted = {};
};

// A kubeconfig file that gets the endpoint.
struct FileChange {
  std::filesystem::path path;
  std::optional<components::Component> reader = {};  // is restarted
  bool operator==(const FileChange&) const = default;
};

// The required actions.
struct Plan {
  std::string endpoint;                       // "host:port"
  std::optional<pki::SubjectAltNames> names;  // of the API server's new certificate
  std::optional<Record> record;               // to be stored
  // The first of the steps of the cluster and its nodes have to wait for these.
  std::vector<std::string> unprepared;
  std::optional<config::ClusterConfiguration> cluster;  // to be stored
  bool cluster_info = false;
  bool kube_proxy = false;
  std::vector<FileChange> files;
  bool rewrites = false;  // some of the files have another server; the others are to be read
  bool kubelet = false;   // is restarted
  bool mark = false;      // the Node is marked with the new endpoint
};

// Plans the change to that endpoint. On a control plane: certificate, cluster, files; while another
// API server does not serve the endpoint's name, only the certificate. admin.conf, super-admin.conf
// and a worker's kubelet.conf get the endpoint; other files with this node's own API server stay.
// Completed steps are omitted.
Plan MakePlan(const Seen& seen, const net::HostPort& to);

// Returns whether no action is needed.
bool IsEmpty(const Plan& plan);

// Formats it for humans: a step in each line.
std::string TextOf(const Plan& plan);

// Returns instructions for other nodes after the plan, for humans.
std::vector<std::string> NextSteps(const Plan& plan, const Seen& seen);

// Returns std::nullopt without a change in progress: it was finished on another control plane, or
// by an earlier run. Throws base::Error if it cannot be finished here: kUsage on a worker, kOther
// if the cluster does not use the new endpoint yet.
std::optional<Record> RecordToFinish(const Seen& seen);

// The required actions to drop the previous endpoint.
struct FinishPlan {
  std::vector<std::string> behind;  // nodes without the new endpoint
  std::vector<std::string> left;    // those of them that the user ignores
  std::optional<config::ClusterConfiguration> cluster;
  std::optional<pki::SubjectAltNames> names;  // of the API server's new certificate here
};

// A node that joined after the change has only the new endpoint. A name that the configuration
// gives this node by another rule (its own address) stays. Throws base::Error(kUsage) if
// `leave_behind` names an unknown node.
FinishPlan MakeFinishPlan(const Seen& seen, const Record& record,
                          const std::vector<NodeState>& nodes,
                          const std::vector<std::string>& leave_behind = {});
std::string TextOf(const FinishPlan& plan);

// Returns "https://host:port".
std::string UrlOf(std::string_view endpoint);

}  // namespace endpoint
