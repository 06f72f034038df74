// SPDX-License-Identifier: Apache-2.0
// What another control-plane endpoint takes on a node and in the cluster. Pure.
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

// SeenFile is a kubeconfig file of this node, and the server that it names.
struct SeenFile {
  std::filesystem::path path;
  std::string server;  // "https://10.0.0.10:6443"
};

// Seen is what there is.
struct Seen {
  bool control_plane = false;
  config::Init config;  // the cluster's as it is stored, for this node
  std::vector<SeenFile> files;
  std::string mark;                   // of this Node (kMark)
  std::chrono::sys_seconds now = {};  // when the endpoint is changed, if it is
  // On a control plane, besides:
  pki::SubjectAltNames names;  // of the API server's certificate
  std::optional<Record> record = {};
  std::vector<std::string> unprepared;  // other API servers that do not serve the name, and why
  std::optional<std::string> cluster_info_server;  // nothing: there is no such ConfigMap
  std::optional<std::string> proxy_server;
  std::chrono::sys_seconds proxy_restarted = {};
};

// FileChange is a kubeconfig file that is led to the endpoint.
struct FileChange {
  std::filesystem::path path;
  std::optional<components::Component> reader = {};  // is restarted
  bool operator==(const FileChange&) const = default;
};

// Plan is what is to be done.
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
  bool kubelet = false;  // is restarted
  bool mark = false;     // the Node is to tell that it has taken the endpoint over
};

// MakePlan leads to that endpoint. On a control plane: certificate, cluster, files; as long as
// another API server does not serve the endpoint's name, the certificate alone. admin.conf,
// super-admin.conf and a worker's kubelet.conf become the endpoint's; other files that name this
// node's own API server stay. Steps that are done are in no plan.
Plan MakePlan(const Seen& seen, const net::HostPort& to);

// IsEmpty: nothing is to be done.
bool IsEmpty(const Plan& plan);

// TextOf is for people: a step in each line.
std::string TextOf(const Plan& plan);

// NextSteps are what is to be done on other nodes after the plan, for people.
std::vector<std::string> NextSteps(const Plan& plan, const Seen& seen);

// RecordToFinish is std::nullopt when no change is in progress: it was finished on another control
// plane, or by a run before. Throws base::Error when it cannot be finished here: kUsage on a
// worker, kOther when the cluster has not been led to the new endpoint yet.
std::optional<Record> RecordToFinish(const Seen& seen);

// FinishPlan is what it takes to give the previous endpoint up.
struct FinishPlan {
  std::vector<std::string> behind;  // nodes that have not taken the new one over
  std::vector<std::string> left;    // of such nodes those that the user leaves behind
  std::optional<config::ClusterConfiguration> cluster;
  std::optional<pki::SubjectAltNames> names;  // of the API server's new certificate here
};

// MakeFinishPlan: a node that came after the change knows the new endpoint only. A name that the
// configuration gives this node by another rule (its own address) stays. Throws
// base::Error(kUsage) where `leave_behind` names a node that the cluster does not have.
FinishPlan MakeFinishPlan(const Seen& seen, const Record& record,
                          const std::vector<NodeState>& nodes,
                          const std::vector<std::string>& leave_behind = {});
std::string TextOf(const FinishPlan& plan);

// UrlOf is "https://host:port".
std::string UrlOf(std::string_view endpoint);

}  // namespace endpoint
