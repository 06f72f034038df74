// SPDX-License-Identifier: Apache-2.0
// What the approver's judgement rests on: the request, who asked, the machines that may vouch, and
// what was found out about the node (reference: approver.md §5 to §9).
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "net/cidr.h"
#include "pki/request.h"

namespace judgement {

// Time is by the second, as objects have it. kNoTime stands for a time that an object does not
// have: year 1, as in Go, so that two missing times are equal.
using Time = std::chrono::sys_seconds;
inline constexpr Time kNoTime{std::chrono::seconds(-62135596800)};

// Problem is why something is not so, or not known; nothing when it is.
using Problem = std::optional<std::string>;

// Known is a fact that was looked up, or why it is not known.
template <typename Fact>
using Known = std::expected<Fact, std::string>;

// Address is one of a Node or Machine (core/v1 NodeAddress).
struct Address {
  std::string type;  // "InternalDNS", "InternalIP", …, as in Node and Machine
  std::string address;
};

// Machine is what vouches for a node: a Machine of either API group, or an entry of another
// inventory in the same shape.
struct Machine {
  std::string source;  // the API group, or "file", "configmap", "nodes"
  std::string name_space;
  std::string name;
  Time created = kNoTime;
  bool deleting = false;
  std::optional<std::string> node_ref;  // the node's name; "" for a reference without one
  std::optional<std::string> path;      // in its API; nothing where it is not an object of one
  std::string cluster;                  // spec.clusterName of Cluster API; "" for others
  std::string resource_version;
  std::vector<Address> addresses;

  // Entries of inventories: they have no time of creation that means anything, and are vouched for
  // by a bootstrap token's owner as well as by the machine bootstrapper.
  bool is_entry = false;
  bool one_time = false;               // vouches for one client certificate only
  std::optional<std::string> used_by;  // UID of the request for which it did
  std::string provider_id;             // for people; not judged
  bool is_node = false;  // a Node that vouches for itself: it wrote its addresses (node_rules.h)
  bool client_only = false;  // vouches for no serving certificate
};

// Node is what the approver knows of a Node.
struct Node {
  std::string name;
  std::vector<Address> addresses;
  std::optional<std::uint16_t> kubelet_port;  // nothing: it does not say
  std::string resource_version;
};

// Condition is one of a request (certificates.k8s.io/v1), of which the type alone counts, whatever
// its status.
struct Condition {
  std::string type;
  Time last_transition = kNoTime;
};

// Csr is a CertificateSigningRequest without its request.
struct Csr {
  std::string name, uid, resource_version;
  std::string username, signer;
  std::vector<std::string> groups, usages;
  Time created = kNoTime;
  std::vector<Condition> conditions;
};

// ParsedRequest is the PKCS #10 request, or what is wrong with it.
using ParsedRequest = std::expected<pki::Request, pki::RequestFault>;

// NodeLookup is whether a Node of the name exists, letter case ignored.
enum class NodeLookup { kAbsent, kPresent, kFailed };

// CurrentCertificate is what the node's kubelet serves now.
struct CurrentCertificate {
  std::string common_name;
  pki::RequestNames names;
  Problem chain_problem;  // why the bundle does not vouch for it
};

// Dialled is the outcome of asking the kubelet.
using Dialled = Known<CurrentCertificate>;

// Egress is the addresses that the node may carry besides its own.
struct Egress {
  std::vector<std::string> ips;
  std::vector<std::string> cidrs;  // as written: one that cannot be read makes all unknown
};

// Claim is a name or address of the request that somebody else has.
struct Claim {
  std::string name;  // as in the request
  std::string by;    // "Node a"
  bool by_node = false;
  bool operator==(const Claim&) const = default;
};

// Reserved is what the cluster keeps for itself.
struct Reserved {
  std::vector<net::Cidr> cidrs;        // of Services and Pods
  std::vector<std::string> endpoints;  // names and addresses at which API servers are reached
};

// NodeBinding is what the approver noted when it first approved a serving certificate for a Node.
struct NodeBinding {
  std::string uid;             // of the Node, now
  bool control_plane = false;  // its label, which kubelets may not set (NodeRestriction)
  std::optional<std::vector<std::string>> addresses;  // canonical; nothing: not approved yet
  std::vector<Claim> others;  // addresses of the request that are bound to other Nodes
  bool operator==(const NodeBinding&) const = default;
};

// ApprovedRequest is a request that was approved less than an hour ago.
struct ApprovedRequest {
  std::string name;
  Time created = kNoTime;
  bool issued = false;  // it has its certificate
};

// Facts are for one verdict. What is optional is found out only when the judgement asks for it.
struct Facts {
  const Csr* csr = nullptr;  // null: nothing to judge
  const ParsedRequest* request = nullptr;
  Problem machines_problem;  // why the machines are not known
  NodeLookup node = NodeLookup::kAbsent;
  Problem node_problem;
  // In list order: those with the node's name as an InternalDNS address, and those whose nodeRef
  // names the node, letter case aside.
  std::vector<const Machine*> named;
  std::vector<const Machine*> owning;
  std::vector<Claim> claims;  // of others than the node; only where Nodes vouch for themselves
  std::vector<ApprovedRequest> in_flight;  // other requests of the node, of the same kind
  // The name of a later pending request of the same user for the node.
  std::optional<std::string> newer;
  bool has_ca = false;
  std::optional<Dialled> current;
  std::optional<Known<std::string>> network;  // its type: "OVNKubernetes", …
  std::optional<Known<Egress>> host_subnet;   // OpenShift SDN
  std::optional<Known<Egress>> egress_ips;    // OVN-Kubernetes
  std::optional<Known<Reserved>> reserved;    // where a Node vouches for itself
  std::optional<Known<NodeBinding>> binding;
};

// Policy is how this approver was told to judge.
struct Policy {
  bool client_disabled = false;
  // kFallback: the kubelet's certificate, then the Machine. kWithoutMachine: the certificate only
  // where no Machine owns the node. kOff: never.
  enum class Renewal { kFallback, kWithoutMachine, kOff } renewal = Renewal::kFallback;
  bool ovn_egress = false;
  bool bootstrap_tokens = false;  // entries of inventories may vouch for owners of bootstrap tokens
  // For Nodes that vouch for themselves: the networks that hold all addresses of nodes, in which
  // these may change; none: a node's first addresses are its only ones. And whether names below the
  // node's own ("a.example.com" for "a") are its own, too.
  std::vector<net::Cidr> node_cidrs;
  bool node_subdomains = false;
  // kAsUpstream asks for facts in upstream's order, so that reasons are its own; kCheapest asks for
  // what costs a connection only when it can still change the decision.
  enum class Order { kAsUpstream, kCheapest } order = Order::kAsUpstream;

  // InCheapestOrder is this policy with kCheapest.
  Policy InCheapestOrder() const {
    Policy policy = *this;
    policy.order = Order::kCheapest;
    return policy;
  }
};

}  // namespace judgement
