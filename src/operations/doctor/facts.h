// SPDX-License-Identifier: Apache-2.0
// Facts about a node and its cluster that `kubeadm doctor` collects. A fact that could not be
// collected is std::nullopt, or a string says why. The rules are in judge_*.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backup/daily.h"
#include "base/error.h"
#include "checks/finding.h"
#include "components/diagnosis.h"
#include "components/strays.h"
#include "json/value.h"

namespace doctor {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// The machine's role according to its files. Each role includes the previous ones.
enum class Role { kNone, kWorker, kControlPlane };

// One file system, identified by the first of kDiskPaths on it.
struct Disk {
  std::string path;
  std::uint64_t total = 0;      // bytes
  std::uint64_t available = 0;  // bytes
  std::uint64_t inodes = 0;     // 0: not counted
  std::uint64_t inodes_available = 0;
};

// A network interface with its MTU.
struct NetworkLink {
  std::string name;
  int mtu = 0;
  bool default_route = false;
};

// An operation of kubeadm that has begun on this node and is not complete.
struct UnfinishedOperation {
  std::string name;  // "restore"
  std::string step;  // the last step that has begun; "" before the first one
  std::string journal;
};

// Facts of the machine itself. A missing entry could not be read.
struct MachineFacts {
  std::string hostname;
  bool root = true;
  bool has_systemd = false;        // as pid 1
  std::vector<std::string> swaps;  // devices in use
  // The kernel's switches that exist: "net/ipv4/ip_forward" → "1".
  std::map<std::string, std::string> switches;
  std::vector<Disk> disks;
  std::vector<NetworkLink> links;
  // The newest time at which a file was written or a container ended on this machine, and a
  // sentence that describes this event.
  std::optional<sys_seconds> newest;
  std::string newest_what;
  std::vector<UnfinishedOperation> unfinished;
};

// The container runtime's own reports, and systemd's about its service.
struct RuntimeFacts {
  std::string endpoint;
  std::optional<std::string> problem;  // why it does not answer
  bool service_known = false;
  bool service_active = false;
  std::string service;  // "containerd"
  bool ready = true;
  bool network_ready = true;
  std::string message;
  std::string driver;             // "systemd", "cgroupfs"; "" if the runtime does not report it
  std::string configured_driver;  // from its configuration file; "" if unknown
  std::string sandbox_image;      // "" if the runtime does not report it
};

// Facts of the kubelet's service and its configuration.
struct KubeletFacts {
  bool service_known = false;  // an init system is available
  std::string state;           // "active", "activating", "inactive", "failed"
  bool enabled = true;
  int restarts = 0;
  std::optional<std::string> unhealthy;       // why its health check fails
  std::vector<std::string> last_lines;        // of its log, while it is unhealthy
  std::optional<json::Value> config;          // /var/lib/kubelet/config.yaml
  std::optional<std::string> config_problem;  // why it is unreadable
  std::string resolv_conf_path;
  std::vector<std::string> name_servers;  // in that file
};

// A certificate in a file.
struct CertificateFact {
  std::string name;  // "apiserver", "kubelet.conf"
  std::string path;
  std::string ca;       // name of the CA that must have signed it; "" for a CA
  std::string ca_path;  // its file
  bool missing = false;
  bool by_kubeconfig = false;
  std::optional<std::string> problem;  // why it is unreadable
  // Why the CA `ca` has not signed the certificate. Validity periods are ignored.
  std::optional<std::string> chain_problem;
  std::optional<std::string> key_problem;  // why its key does not match, or is unreadable
  std::string issuer;
  std::string serial;
  std::string pin;  // of its public key (pki::Pin)
  std::optional<sys_seconds> not_before, not_after;
};

// A file with a private key that any user of this machine may read or write.
struct ExposedFile {
  std::string path;
  unsigned mode = 0;
};

// One of the files in /etc/kubernetes.
struct KubeconfigFact {
  std::string name;  // "admin.conf"
  std::string path;
  bool missing = false;
  std::optional<std::string> problem;  // why it is unreadable or unusable
  std::string server;
  bool knows_ca = true;      // whether its CA is that of pki/ca.crt
  bool ca_is_known = false;  // whether both CAs were readable for the comparison
};

// One address of the API and its answer.
struct EndpointFact {
  std::string url;
  std::vector<std::string>
      used_by;         // "kubelet.conf", "controlPlaneEndpoint", "this node's API server"
  bool local = false;  // this node's API server
  // True for one of several API servers that this node does not use.
  bool of_other_node = false;
  std::optional<std::string> problem;                  // why no HTTP response was received
  base::Error::Kind kind = base::Error::Kind::kOther;  // of the problem
  int status = 0;                                      // of /readyz
  std::vector<std::string> failing_checks;             // "[-]etcd failed: …"
  bool logged_in = true;                               // the credentials were accepted
  std::optional<seconds> ahead;                        // the server's clock minus ours
  std::optional<sys_seconds> shown_until;              // expiry of the server's certificate
  std::string shown_serial;
  std::string shown_issuer;
};

// One member of etcd, according to the other members and to itself.
struct EtcdMemberFact {
  std::string name;
  std::string url;
  std::optional<std::string> problem;  // why it is unhealthy; not set if it is healthy
  bool learner = false;
  bool started = true;
  std::string removal;              // the command that removes it
  std::vector<std::string> alarms;  // its own: "memberID:… alarm:NOSPACE"
};

// etcd's own reports. If `asked` is false, the other fields have no meaning.
struct EtcdFacts {
  bool external = false;
  bool asked = false;
  std::optional<std::string> problem;  // why no member has answered
  std::vector<EtcdMemberFact> members;
  bool quorum = true;
};

// A difference between a static Pod and the wanted Pod.
struct PodDifference {
  std::string where;   // "--secure-port", "image"
  std::string wanted;  // "" for a missing value
  std::string found;
};

// A static Pod: its file, the Pod of the configuration, and the running process.
struct ManifestFact {
  std::string component;
  std::string path;
  bool expected = true;
  bool missing = false;
  std::optional<std::string> problem;  // why it is unreadable
  // True if kubeadm wrote the file in its present form; std::nullopt if no record of the file
  // exists.
  std::optional<bool> as_written;
  bool rendered = false;                       // whether the differences are known
  std::vector<PodDifference> differences;      // between the file and the configuration's Pod
  std::vector<PodDifference> not_running_yet;  // between the running process and the file
};

// A bootstrap token of the cluster, without its secret.
struct TokenFact {
  std::string id;
  std::optional<sys_seconds> expires;
  std::optional<std::string> problem;  // why it is unreadable
  bool for_joining = false;            // whether its usages include authentication and signing
};

// A Node of the cluster.
struct NodeFact {
  std::string name;
  bool ready = true;
  std::string reason;
  std::set<std::string> pressures;     // "DiskPressure"
  std::optional<sys_seconds> renewed;  // renewal of its Lease, by the node's clock
};

// A Pod that does not run, with the reason.
struct PodFact {
  std::string name;
  std::string reason;  // "CrashLoopBackOff"
  std::string message;
};

// A published object with the CAs of kubelets (objects::KubeletTrust).
struct KubeletTrustFact {
  std::string object;             // "ConfigMap kube-system/kubelet-serving-ca"
  std::vector<std::string> pins;  // of its certificates, as CertificateFact::pin
};

// Facts from the API. `asked` is true if it answered.
struct ClusterFacts {
  bool asked = false;
  std::optional<std::string> problem;  // why it has not answered
  // The missing ConfigMaps of kubeadm: "kube-system/kubeadm-config".
  std::vector<std::string> missing_maps;
  std::vector<std::string> broken_maps;  // with the reason: "kubeadm-config: …"
  bool tokens_seen = false;
  std::vector<TokenFact> tokens;
  bool certs_uploaded = false;
  // The ClusterRoleBinding with which kube-controller-manager approves requests with any bootstrap
  // token, although the cluster allows only bound tokens. "" without such a contradiction.
  std::string blanket_rule;
  std::vector<KubeletTrustFact> kubelet_trust;
  bool nodes_seen = false;
  std::vector<NodeFact> nodes;
  std::vector<PodFact> failing_pods;
  std::optional<sys_seconds> server_time;
};

// A kubeconfig with a token, left by an incomplete join.
struct BootstrapFact {
  bool there = false;
  std::string token_id;
  bool refused = false;  // whether the API no longer knows the token
};

// Facts about the suitability of a machine that is not a node yet. The checks of `init` ignore
// these properties: with bad values a cluster works, but slowly or only for some time.
struct SuitabilityFacts {
  std::string etcd_disk;                               // the directory that was measured
  std::optional<std::chrono::microseconds> sync_time;  // host::SyncTime of it
  // True if a daemon keeps the host's clock synchronized (host::IsClockKept).
  std::optional<bool> clock_kept;
  bool is_x86 = false;
  std::set<std::string> processor;           // its features, as /proc/cpuinfo names them
  std::vector<std::string> missing_modules;  // kernel modules that are neither loaded nor built in
  bool has_name_server = true;               // whether /etc/resolv.conf names one
  // The name in the query to the name servers. "" if no query was sent.
  std::string asked_name;
  // The servers in /etc/resolv.conf that the resolver queries.
  std::vector<std::string> name_servers;
  std::vector<std::string> silent_servers;  // servers that did not answer (host::SilentNameServers)
  std::string pause_image;                  // the image that kubeadm would pull
};

// All facts; each part is empty if it was not queried.
struct Facts {
  sys_seconds now;
  Role role = Role::kNone;
  std::string node_name;
  MachineFacts machine;
  RuntimeFacts runtime;
  KubeletFacts kubelet;
  components::ControlPlaneFacts control_plane;
  std::map<std::string, std::string> unhealthy;  // component → the failure of its health check
  std::vector<CertificateFact> certificates;
  std::vector<KubeconfigFact> kubeconfigs;
  std::vector<EndpointFact> endpoints;
  EtcdFacts etcd;
  std::vector<ExposedFile> exposed;
  std::vector<ManifestFact> manifests;
  std::vector<components::Stray> strays;  // second Pods of components
  ClusterFacts cluster;
  BootstrapFact bootstrap;
  backup::ScheduleStatus backup;
  // Only for a machine that is not a node (CollectBeforeInit).
  SuitabilityFacts suitability;
  checks::Findings obstacles;          // defaults of init that this host cannot use
  checks::Findings of_init;            // findings of the checks of init
  std::vector<std::string> looked_at;  // "kubelet", "3 endpoints of the API"
  std::vector<std::string> unseen;     // parts that could not be queried, with the reason
};

}  // namespace doctor
