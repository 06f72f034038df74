// SPDX-License-Identifier: Apache-2.0
// The occurrences of a node's old address, and the handling of each: occurrences in, steps out.
// Pure.
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
#include "readdress/address.h"

namespace readdress {

// This node according to its own files.
struct Node {
  bool control_plane = false;
  bool etcd = false;  // a member runs here
  // The inputs of waits for static Pods and the kubelet: the certificates directory, the kubelet's
  // configuration, name, socket and old endpoint.
  config::Init config;
  std::optional<net::IpAddress> address;  // that the API server, or the kubelet, is told
  std::vector<net::IpAddress> node_ips;   // that the kubelet is told: one of each family
};

// The user's request.
struct Request {
  net::IpAddress to;
  std::optional<net::IpAddress> from;  // not set: as the node's own files say
};

// Takes the previous address from the request, else from the interrupted move, else from the node's
// files. Throws base::Error: kUsage if none of them has it or the node has the new one already,
// kOther if a different move was interrupted here.
Move ChooseMove(const Request& request, const Node& node, const std::optional<Move>& interrupted);

// A searched file.
struct SeenFile {
  std::filesystem::path path;
  std::string text;
  // Why it, or the directory, was not searched; "": it was.
  std::string unread = {};
};

// The searched files and objects. Objects have kind and metadata.
struct Seen {
  std::vector<SeenFile> files;
  std::vector<json::Value> objects;
  std::filesystem::path certificates_dir;  // of the control plane here
  std::string node;                        // this one's name
};

// The handling of an occurrence.
enum class Handling {
  kReplaced,  // it is replaced by the new address
  kReissued,  // the certificate is issued again
  kByItself,  // a component writes it, and rewrites it
  kLeft       // not kubeadm's: the user decides
};

// One occurrence of the old address.
struct Occurrence {
  std::string
      place;  // "/etc/kubernetes/admin.conf:5", "ConfigMap kube-system/kube-proxy: data.x:7"
  Handling handling = Handling::kLeft;
  std::string why;  // of kByItself and kLeft; "": not given
  bool operator==(const Occurrence&) const = default;
};

// FileChange and ObjectChange are written texts and objects. PodChange is a manifest.
struct FileChange {
  std::filesystem::path path;
  std::string text;
};
struct PodChange {
  components::Component component;
  json::Value pod;
};

// The required changes of a move.
struct Plan {
  std::vector<Occurrence> occurrences;         // in the order of the search
  std::vector<SeenFile> unread;                // skipped files, with the reason
  std::vector<std::string_view> certificates;  // names of certs::Renewables
  std::vector<FileChange> files;               // kubeconfig files, the kubelet's settings
  std::vector<PodChange> pods;                 // in the order of components::kComponents
  std::vector<json::Value> objects;            // the wanted ConfigMaps
};

// Changes nothing: returns the required changes for the searched files and objects.
Plan MakePlan(const Seen& seen, const Move& move);

// Returns the plan for humans, a line for each occurrence and for each skipped place.
std::string ToString(const Plan& plan, const Move& move);

// Returns instructions for other nodes after the move; std::nullopt if none are left.
std::optional<std::string> FindNextStep(const Node& node, const Plan& plan, const Move& move);

// Returns whether the static Pods must be restarted: they, their certificates or their kubeconfig
// files change.
bool MovesPods(const Plan& plan);

}  // namespace readdress
