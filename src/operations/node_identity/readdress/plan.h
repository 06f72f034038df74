// SPDX-License-Identifier: Apache-2.0
// Pure plan of an address change: from the occurrences of the old address to the changes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "components/table.h"
#include "config/types.h"
#include "json/value.h"
#include "net/ip_address.h"
#include "node_identity/readdress/address.h"

namespace readdress {

// This node according to its own files.
struct NodeFacts {
  bool control_plane = false;
  bool etcd = false;  // an etcd member runs on this node
  // The configuration for waits for static Pods and the kubelet. It contains the certificates
  // directory, the kubelet's configuration, the node's name, the runtime's socket and the old
  // endpoint.
  config::Init config;
  std::optional<net::IpAddress> address;  // of the API server, or of the kubelet on a worker
  std::vector<net::IpAddress> node_ips;   // in the kubelet's arguments: one per family
};

// The user's request.
struct Request {
  net::IpAddress to;
  std::optional<net::IpAddress> from;  // not set: from the node's files
};

// Chooses the old address: from the request, else from the interrupted move, else from the node's
// files. Throws base::Error(kUsage) if none of them contains an old address, or if the node already
// has the new address. Throws base::Error(kOther) if a different move was interrupted on this node.
Move ChooseMove(const Request& request, const NodeFacts& node,
                const std::optional<Move>& interrupted);

// A searched file.
struct SearchedFile {
  std::filesystem::path path;
  std::string text;
  // Why the file or directory was not read. "" if it was read.
  std::string unread = {};
};

// The searched files and objects. Objects have kind and metadata.
struct SearchedState {
  std::vector<SearchedFile> files;
  std::vector<json::Value> objects;
  std::filesystem::path certificates_dir;  // of this node's control plane
  std::string node;                        // this node's name
};

// The handling of an occurrence.
enum class Handling {
  kReplaced,  // the new address replaces it
  kReissued,  // the certificate is reissued
  kByItself,  // a component updates it
  kLeft       // stays: the text does not belong to kubeadm
};

// One occurrence of the old address.
struct Occurrence {
  std::string
      place;  // "/etc/kubernetes/admin.conf:5", "ConfigMap kube-system/kube-proxy: data.x:7"
  Handling handling = Handling::kLeft;
  std::string why;  // the reason of kByItself or kLeft; may be empty
  bool operator==(const Occurrence&) const = default;
};

// FileChange is the new content of a file. ManifestChange is the new manifest of a static Pod.
struct FileChange {
  std::filesystem::path path;
  std::string text;
};
struct ManifestChange {
  components::Component component;
  json::Value pod;
};

// The required changes of a move.
struct MovePlan {
  std::vector<Occurrence> occurrences;         // in the order of the search
  std::vector<SearchedFile> unread;            // skipped files, with the reason
  std::vector<std::string_view> certificates;  // names of certs::Renewables
  std::vector<FileChange> files;               // kubeconfig files, the kubelet's settings
  std::vector<ManifestChange> pods;            // in the order of components::kComponents
  std::vector<json::Value> objects;            // the wanted ConfigMaps
};

// Plans the changes for the searched files and objects.
MovePlan MakePlan(const SearchedState& seen, const Move& move);

// Formats the plan for users: a line for each occurrence and for each skipped file.
std::string ToString(const MovePlan& plan, const Move& move);

// Returns the instructions for other nodes after the move, or std::nullopt if none remain.
std::optional<std::string> FindNextStep(const NodeFacts& node, const MovePlan& plan,
                                        const Move& move);

// Returns whether static Pods must restart, because manifests, certificates or kubeconfig files
// change.
bool MovesPods(const MovePlan& plan);

}  // namespace readdress
