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

// Time has a resolution of a second, as in API objects. kNoTime is a missing time. It is
// year 1, as in Go, so that two missing times are equal.
using Time = std::chrono::sys_seconds;
inline constexpr Time kNoTime{std::chrono::seconds(-62135596800)};

// The reason why a check fails or a fact is unknown; std::nullopt otherwise.
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
  // The name in status.nodeRef, which may be empty; std::nullopt without a nodeRef.
  std::optional<std::string> node_ref;
  // The path in the URL of the API object; std::nullopt if the machine is not an API object.
  std::optional<std::string> path;
  std::string cluster;  // spec.clusterName of Cluster API; "" for others
  std::string resource_version;
  std::vector<Address> addresses;

  // True for an entry of an inventory. Entries attest for owners of bootstrap tokens as well as for
  // the machine bootstrapper. The creation time is judged only for entries of kHttp, kExec and
  // kIdentity.
  bool is_entry = false;
  bool one_time = false;  // attests one client certificate only
  // The user of a one-time entry (UseIdOf): the UID of its request, or for a bound token the public
  // key.
  std::optional<std::string> used_by;
  std::string provider_id;  // for humans; not judged
  // A Node that attests itself with addresses that its own kubelet wrote (node_rules.h).
  bool is_node = false;
  bool client_only = false;  // attests no serving certificate
  // For kTokens, the id of the bound token. Its `name` is then the node, and `created` is the
  // creation time of the binding. For kIdentity, the user's name.
  std::string token_id = {};
  // The endorsement key of the machine's TPM: "sha256:" and the hash of its SubjectPublicKeyInfo.
  // A machine with a key gets its client certificate only by proving that it has this TPM.
  std::string endorsement_key = {};
  // The networks that the node's addresses must be in; empty: any network.
  std::vector<net::Cidr> cidrs = {};

  // Returns whether the machine's first certificate must be requested soon after the machine's
  // creation.
  bool HasWindow() const {
    const bool dated =
        source == Source::kHttp || source == Source::kExec || source == Source::kIdentity;
    return !is_entry || (dated && created != kNoTime);
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
  Time created = kNoTime;
};

// A condition of a request (certificates.k8s.io/v1). The condition's field `status` is ignored.
struct Condition {
  std::string type;
  Time last_transition = kNoTime;
};

// Csr is a CertificateSigningRequest without its PKCS #10 request.
struct Csr {
  std::string name, uid, resource_version;
  std::string username, signer;
  std::vector<std::string> groups, usages;
  Time created = kNoTime;
  std::vector<Condition> conditions;
  // The node of the user's identity (node_identities::kIdentityNodeKey); std::nullopt for other
  // users, "" if the identity does not name exactly one node.
  std::optional<std::string> identity_node = {};
  // The creation time of the identity's machine, and its IP addresses in canonical form.
  // kNoTime and an empty list: not stated.
  Time identity_created = kNoTime;
  std::vector<std::string> identity_addresses = {};
  std::string identity_endorsement_key = {};  // Machine::endorsement_key; "": none was proved
};

// The PKCS #10 request, or its defect.
using ParsedRequest = std::expected<pki::Request, pki::RequestFault>;

// The result of a search for a Node by name, case-insensitive.
enum class NodeLookup { kAbsent, kPresent, kFailed };

// The serving certificate of the node's kubelet.
struct CurrentCertificate {
  std::string common_name;
  pki::RequestNames names;
  // The reason why the bundle does not verify the certificate.
  Problem chain_problem;
};

// The result of dialling the kubelet.
using Dialled = Known<CurrentCertificate>;

// The egress addresses of a node, which it may have in addition to its own addresses.
struct Egress {
  std::vector<std::string> ips;
  std::vector<std::string> cidrs;  // not parsed yet
};

// A name or address of the request that belongs to another object.
struct Claim {
  std::string name;  // as in the request
  std::string by;    // the other owner: "Node a"
  bool by_node = false;
  bool operator==(const Claim&) const = default;
};

// Names and addresses that the cluster reserves.
struct Reserved {
  std::vector<net::Cidr> cidrs;        // of Services and Pods
  std::vector<std::string> endpoints;  // the API servers' names and addresses
};

// The addresses bound to a Node by its approved serving certificates (evidence/node_bindings.h).
struct NodeBinding {
  std::string uid;  // the Node's present UID
  // True if the Node has a label that kubelets may not set (NodeRestriction).
  bool control_plane = false;
  std::optional<std::vector<std::string>> addresses;  // canonical; std::nullopt: none is bound yet
  // True if the addresses were recorded before the Node existed, so that the record has no UID yet.
  bool reserved = false;
  // The addresses of the request that are bound to other Nodes.
  std::vector<Claim> others;
  bool operator==(const NodeBinding&) const = default;
};

// ApprovedRequest is a request that was approved less than an hour ago.
struct ApprovedRequest {
  std::string name;
  Time created = kNoTime;
  bool issued = false;      // its certificate was issued
  std::string key_id = {};  // as pki::Request::key_id
};

// The facts of one verdict. Optional facts are looked up only when the judgement needs them.
struct Facts {
  const Csr* csr = nullptr;  // null: no request
  const ParsedRequest* request = nullptr;
  Problem machines_problem;  // why the machines are unknown
  NodeLookup node = NodeLookup::kAbsent;
  Problem node_problem;
  // Machines and entries. `named` have the node's name as an InternalDNS address. `owning` have a
  // nodeRef to the node, or are entries of the node. Names are compared case-insensitively.
  std::vector<const Machine*> named;
  std::vector<const Machine*> owning;
  // The binding of the requester's bootstrap token or identity, to any node. Null if the requester
  // has no binding.
  const Machine* bound = nullptr;
  // The claims of other owners; set only if Nodes attest themselves.
  std::vector<Claim> claims;
  std::vector<ApprovedRequest> in_flight;  // other requests of the node, of the same kind
  // The name of a later pending request of the same user for the node.
  std::optional<std::string> newer;
  bool has_ca = false;
  std::optional<Dialled> current;
  std::optional<Known<std::string>> network;  // its type: "OVNKubernetes", …
  std::optional<Known<Egress>> host_subnet;   // OpenShift SDN
  std::optional<Known<Egress>> egress_ips;    // OVN-Kubernetes
  std::optional<Known<Reserved>> reserved;    // only if a Node attests itself
  std::optional<Known<NodeBinding>> binding;
};

// The settings of the judgement.
struct Policy {
  bool client_disabled = false;
  // The use of the kubelet's present certificate as evidence. kFallback: tried before the Machine.
  // kWithoutMachine: tried only if no Machine owns the node. kOff: never.
  enum class Renewal { kFallback, kWithoutMachine, kOff } renewal = Renewal::kFallback;
  bool ovn_egress = false;
  // Entries of inventories may attest for owners of bootstrap tokens.
  bool bootstrap_tokens = false;
  // The inventory `tokens` is in use, so that bound tokens are known.
  bool bound_tokens = false;
  // For Nodes that attest themselves. node_cidrs contains the networks in which nodes may change
  // their addresses; if empty, a node's first addresses are final. node_subdomains states whether a
  // node also owns names below its own name ("a.example.com" for "a").
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
