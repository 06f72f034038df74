// SPDX-License-Identifier: Apache-2.0
// The facts of the approver's judgement: the request, the requester, the trusted machines, and
// facts about the node (reference: approver.md §5 to §9).
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

// Resolution of a second, as in objects. kNoTime is a missing time: year 1, as in Go, so that two
// missing times are equal.
using Time = std::chrono::sys_seconds;
inline constexpr Time kNoTime{std::chrono::seconds(-62135596800)};

// The reason why something is false or unknown; std::nullopt otherwise.
using Problem = std::optional<std::string>;

// A fact that was looked up, or why it is unknown.
template <typename Fact>
using Known = std::expected<Fact, std::string>;

// An address of a Node or Machine (core/v1 NodeAddress).
struct Address {
  std::string type;  // "InternalDNS", "InternalIP", …, as in Node and Machine
  std::string address;
  bool operator==(const Address&) const = default;
};

// The inventory of a machine.
// kWithdrawn is not an inventory: its entries are names that get no certificate.
// kIdentity is the requester itself: its credentials name its node.
enum class Source {
  kApi,
  kFile,
  kConfigMap,
  kNodes,
  kTokens,
  kWithdrawn,
  kHttp,
  kExec,
  kDns,
  kIdentity
};
// Returns "file", "configmap", "nodes", "tokens", "withdrawn", "http", "exec", "dns" or "identity";
// "" for kApi, whose machines are named by their API group.
std::string_view NameOf(Source source);

// The trusted object for a node: a Machine of either API group, or an entry of another inventory in
// the same shape.
struct Machine {
  Source source = Source::kApi;
  std::string api_group = {};  // empty for other sources
  std::string name_space;
  std::string name;
  Time created = kNoTime;
  bool deleting = false;
  std::optional<std::string> node_ref;  // the node's name; "" for a reference without one
  std::optional<std::string> path;      // in its API; std::nullopt if it is not an API object
  std::string cluster;                  // spec.clusterName of Cluster API; "" for others
  std::string resource_version;
  std::vector<Address> addresses;

  // Entries of inventories attest for owners of bootstrap tokens as well as for the machine
  // bootstrapper. Only entries of kHttp and kExec may have a creation time that is judged.
  bool is_entry = false;
  bool one_time = false;  // attests one client certificate only
  // The request that used the entry: the request's UID, or for a bound token the public key
  // (UseIdOf).
  std::optional<std::string> used_by;
  std::string provider_id;   // for humans; not judged
  bool is_node = false;      // a Node that attests itself: it wrote its addresses (node_rules.h)
  bool client_only = false;  // attests no serving certificate
  // The bound token (kTokens), whose node is `name` and whose binding was created at `created`; the
  // user's name (kIdentity).
  std::string token_id = {};
  std::vector<net::Cidr> cidrs = {};  // the networks of the node's addresses; empty: not bounded

  // Returns whether its first certificate must be requested soon after its creation.
  bool HasWindow() const {
    const bool queried = source == Source::kHttp || source == Source::kExec;
    return !is_entry || (queried && created != kNoTime);
  }
  // Returns the API group, or the name of another source.
  std::string_view SourceName() const {
    return source == Source::kApi ? std::string_view(api_group) : NameOf(source);
  }
};

// The known facts of a Node.
struct Node {
  std::string name;
  std::vector<Address> addresses;
  std::optional<std::uint16_t> kubelet_port;  // std::nullopt: unknown
  std::string resource_version;
};

// A condition of a request (certificates.k8s.io/v1), of which only the type counts, whatever its
// status.
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
  // The node of the user's identity (node_identities::kIdentityNodeKey); std::nullopt for other
  // users, "" if the identity does not name exactly one node.
  std::optional<std::string> identity_node = {};
};

// The PKCS #10 request, or its defect.
using ParsedRequest = std::expected<pki::Request, pki::RequestFault>;

// Result of a search for a Node by name, case-insensitive.
enum class NodeLookup { kAbsent, kPresent, kFailed };

// The serving certificate of the node's kubelet.
struct CurrentCertificate {
  std::string common_name;
  pki::RequestNames names;
  Problem chain_problem;  // why the bundle does not verify it
};

// The result of dialling the kubelet.
using Dialled = Known<CurrentCertificate>;

// Additional addresses that the node may carry.
struct Egress {
  std::vector<std::string> ips;
  std::vector<std::string> cidrs;  // as written: a malformed one makes all unknown
};

// A name or address of the request that another object has.
struct Claim {
  std::string name;  // as in the request
  std::string by;    // "Node a"
  bool by_node = false;
  bool operator==(const Claim&) const = default;
};

// Names and addresses that the cluster reserves.
struct Reserved {
  std::vector<net::Cidr> cidrs;        // of Services and Pods
  std::vector<std::string> endpoints;  // the API servers' names and addresses
};

// The approver's record of a Node at its first approved serving certificate.
struct NodeBinding {
  std::string uid;             // of the Node, now
  bool control_plane = false;  // its label, which kubelets may not set (NodeRestriction)
  std::optional<std::vector<std::string>> addresses;  // canonical; std::nullopt: not approved yet
  std::vector<Claim> others;  // addresses of the request that are bound to other Nodes
  bool operator==(const NodeBinding&) const = default;
};

// ApprovedRequest is a request that was approved less than an hour ago.
struct ApprovedRequest {
  std::string name;
  Time created = kNoTime;
  bool issued = false;      // it has its certificate
  std::string key_id = {};  // pki::Request
};

// Facts of one verdict. Optional ones are looked up only when the judgement needs them.
struct Facts {
  const Csr* csr = nullptr;  // null: no request
  const ParsedRequest* request = nullptr;
  Problem machines_problem;  // why the machines are unknown
  NodeLookup node = NodeLookup::kAbsent;
  Problem node_problem;
  // Machines in list order, compared without regard to case. `named` have the node's name as an
  // InternalDNS address; `owning` have a nodeRef to the node.
  std::vector<const Machine*> named;
  std::vector<const Machine*> owning;
  // The binding of the requester's bootstrap token or identity, to whatever node; null: it has
  // none.
  const Machine* bound = nullptr;
  std::vector<Claim> claims;               // of other owners; only if Nodes attest themselves
  std::vector<ApprovedRequest> in_flight;  // other requests of the node, of the same kind
  // The name of a later pending request of the same user for the node.
  std::optional<std::string> newer;
  bool has_ca = false;
  std::optional<Dialled> current;
  std::optional<Known<std::string>> network;  // its type: "OVNKubernetes", …
  std::optional<Known<Egress>> host_subnet;   // OpenShift SDN
  std::optional<Known<Egress>> egress_ips;    // OVN-Kubernetes
  std::optional<Known<Reserved>> reserved;    // if a Node attests itself
  std::optional<Known<NodeBinding>> binding;
};

// The settings of the judgement.
struct Policy {
  bool client_disabled = false;
  // Use of the kubelet's present certificate as evidence. kFallback: before the Machine.
  // kWithoutMachine: only if no Machine owns the node. kOff: never.
  enum class Renewal { kFallback, kWithoutMachine, kOff } renewal = Renewal::kFallback;
  bool ovn_egress = false;
  // entries of inventories may attest for owners of bootstrap tokens
  bool bootstrap_tokens = false;
  // Bound tokens are known (inventory `tokens`).
  bool bound_tokens = false;
  // For Nodes that attest themselves. node_cidrs: the networks in which nodes may change their
  // addresses; if empty, a node's first addresses are final. node_subdomains: whether names below
  // the node's own ("a.example.com" for "a") are also its own.
  std::vector<net::Cidr> node_cidrs;
  bool node_subdomains = false;
  // kAsUpstream requests facts in upstream's order, so that verdicts have upstream's reasons;
  // kCheapest requests facts that cost a connection only while they can change the decision.
  enum class Order { kAsUpstream, kCheapest } order = Order::kAsUpstream;

  // Returns this policy with kCheapest.
  Policy InCheapestOrder() const {
    Policy policy = *this;
    policy.order = Order::kCheapest;
    return policy;
  }
};

}  // namespace judgement
