#include "doctor/judge.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace doctor {
namespace {

using cluster::Severity;
using testing::HasSubstr;

constexpr sys_seconds kNow{seconds(1'767'225'600)};  // 2026-01-01
constexpr std::uint64_t kGib = 1024ULL * 1024 * 1024;
constexpr const char* kPki = "/etc/kubernetes/pki/";

CertificateFact Leaf(const std::string& name, const std::string& ca = "ca") {
  return {.name = name,
          .path = kPki + name + ".crt",
          .ca = ca,
          .ca_path = kPki + ca + ".crt",
          .issuer = "CN=kubernetes",
          .serial = "0" + name,
          .not_before = kNow - std::chrono::days(30),
          .not_after = kNow + std::chrono::days(335)};
}

CertificateFact Ca(const std::string& name) {
  CertificateFact ca = Leaf(name, "");
  ca.ca_path = "";
  ca.not_after = kNow + std::chrono::days(3'000);
  return ca;
}

ManifestFact Manifest(const std::string& component) {
  return {.component = component,
          .path = "/etc/kubernetes/manifests/" + component + ".yaml",
          .as_written = true,
          .rendered = true,
          .seen_running = true};
}

EndpointFact Endpoint(const std::string& url, const std::string& used_by) {
  return {.url = url, .used_by = {used_by}, .status = 200, .ahead = seconds(0)};
}

const std::vector<std::string> kComponents = {"etcd", "kube-apiserver", "kube-controller-manager",
                                              "kube-scheduler"};

// A control-plane node where all is well.
Facts Healthy() {
  Facts facts{.now = kNow, .role = Role::kControlPlane, .node_name = "alpha"};
  facts.machine.disks = {{.path = "/", .total = 100 * kGib, .available = 50 * kGib}};
  facts.machine.switches = {{"net/ipv4/ip_forward", "1"}};
  facts.machine.links = {{.name = "eth0", .mtu = 1500, .default_route = true},
                         {.name = "flannel.1", .mtu = 1450}};
  facts.machine.newest = kNow - seconds(60);
  facts.runtime = {.endpoint = "unix:///run/containerd/containerd.sock", .driver = "systemd"};
  facts.machine.has_systemd = true;
  facts.kubelet.service_known = true;
  facts.kubelet.state = "active";
  facts.kubelet.config = data::Json{{"cgroupDriver", "systemd"}, {"clusterDNS", {"10.96.0.10"}}};
  facts.kubelet.name_servers = {"192.0.2.53"};
  facts.kubelet.resolv_conf_path = "/etc/resolv.conf";
  facts.certificates = {Ca("ca"),
                        Leaf("apiserver"),
                        Leaf("apiserver-kubelet-client"),
                        Leaf("kubelet.conf"),
                        Ca("etcd-ca"),
                        Leaf("etcd-server", "etcd-ca"),
                        Leaf("etcd-peer", "etcd-ca")};
  for (const std::string& component : kComponents) {
    facts.manifests.push_back(Manifest(component));
    facts.control_plane.containers[component] = {.name = component, .running = true, .exits = 1};
    facts.control_plane.healthy.insert(component);
  }
  facts.kubeconfigs = {{.name = "admin.conf", .path = "/etc/kubernetes/admin.conf"},
                       {.name = "kubelet.conf", .path = "/etc/kubernetes/kubelet.conf"}};
  for (KubeconfigFact& file : facts.kubeconfigs) {
    file.ca_is_known = true;
  }
  facts.endpoints = {Endpoint("https://api.example:6443", "admin.conf"),
                     Endpoint("https://192.0.2.10:6443", "this node's API server")};
  facts.endpoints[1].local = true;
  facts.endpoints[1].shown_serial = "0apiserver";
  facts.etcd.members = {{.name = "alpha", .url = "https://192.0.2.10:2379"}};
  facts.cluster.asked = facts.cluster.tokens_seen = facts.cluster.nodes_seen = true;
  facts.cluster.certs_uploaded = true;
  facts.cluster.tokens = {
      {.id = "abcdef", .expires = kNow + seconds(3'600), .problem = "", .for_joining = true}};
  facts.cluster.nodes = {{.name = "alpha", .ready = true, .renewed = kNow}};
  return facts;
}

void Fail(Facts& facts, const std::string& component, const std::string& words = "") {
  facts.unhealthy[component] = "connection refused";
  facts.control_plane.healthy.erase(component);
  if (!words.empty()) {
    facts.control_plane.containers[component] = {
        .name = component, .exits = 3, .exit_code = 1, .last_lines = {words}};
  }
}

// What a node looks like whose API server is gone.
void LoseApi(Facts& facts) {
  facts.cluster = {};
  for (EndpointFact& endpoint : facts.endpoints) {
    endpoint.problem = "connection refused";
    endpoint.kind = base::Error::Kind::kUnavailable;
    endpoint.ahead = std::nullopt;
    endpoint.shown_serial = "";
  }
  for (ManifestFact& manifest : facts.manifests) {
    manifest.rendered = false;
  }
}

CertificateFact& Certificate(Facts& facts, const std::string& name) {
  return *std::ranges::find(facts.certificates, name, &CertificateFact::name);
}
ManifestFact& ManifestOf(Facts& facts, const std::string& component) {
  return *std::ranges::find(facts.manifests, component, &ManifestFact::component);
}

struct Case {
  std::string name;
  std::function<void(Facts& facts)> change;
  std::string id, culprit;
  Severity severity = Severity::kBroken;
};

// The manual has a row for every finding.
std::string Manual() {
  const std::filesystem::path room = std::filesystem::path(TESTDATA_DIR).parent_path();
  std::ifstream file(room.parent_path().parent_path() / "docs/doctor.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

void ExpectFirst(const std::vector<Case>& cases) {
  const std::string manual = Manual();
  for (const Case& c : cases) {
    Facts facts = Healthy();
    c.change(facts);
    const std::vector<Finding> findings = Judge(facts);
    ASSERT_FALSE(findings.empty()) << c.name;
    EXPECT_EQ(findings[0].id, c.id) << c.name << "\n" << findings[0].Text();
    EXPECT_THAT(findings[0].culprit, HasSubstr(c.culprit)) << c.name;
    EXPECT_EQ(findings[0].severity, c.severity) << c.name;
    EXPECT_EQ(ExitStatus(findings), static_cast<int>(c.severity)) << c.name;
    for (const Finding& finding : findings) {
      EXPECT_FALSE(finding.what.empty() || finding.remedy.empty() || finding.culprit.empty())
          << c.name << ": " << finding.id;
      EXPECT_THAT(manual, HasSubstr("`" + finding.id + "`"));
    }
  }
}

TEST(Judge, FindsNothingWhereAllIsWell) {
  const std::vector<Finding> findings = Judge(Healthy());
  EXPECT_TRUE(findings.empty()) << findings.front().Text();
  EXPECT_EQ(ExitStatus(findings), 0);
}

TEST(Judge, NotesDoNoHarm) {
  Facts facts = Healthy();
  facts.cluster.certs_uploaded = false;
  facts.cluster.tokens.clear();
  const std::vector<Finding> findings = Judge(facts);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, "no-token");
  EXPECT_EQ(findings[1].id, "certs-not-uploaded");
  EXPECT_EQ(ExitStatus(findings), 0);
}

TEST(Judge, SaysThatThisIsNoNode) {
  const std::vector<Finding> findings = Judge(Facts{.now = kNow});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "no-node");
  EXPECT_EQ(ExitStatus(findings), 0);
}

TEST(Judge, NamesTheCauseOfTheMachineFirst) {
  ExpectFirst({
      {"a full disk stops etcd and all above it",
       [](Facts& facts) {
         facts.machine.disks.push_back(
             {.path = "/var/lib/etcd", .total = 10 * kGib, .available = 4096});
         Fail(facts, "etcd", "no space left on device");
         Fail(facts, "kube-apiserver", "connection refused");
         LoseApi(facts);
       },
       "disk-full", "/var/lib/etcd"},
      {"no inodes", [](Facts& facts) { facts.machine.disks[0].inodes = 1'000; }, "disk-full", "/"},
      {"a disk that fills", [](Facts& facts) { facts.machine.disks[0].available = kGib; },
       "disk-nearly-full", "/", Severity::kWarning},
      {"a clock behind the server's makes certificates invalid",
       [](Facts& facts) {
         for (EndpointFact& endpoint : facts.endpoints) {
           endpoint.ahead = seconds(7'200);
           endpoint.problem = "certificate is not yet valid";
           endpoint.kind = base::Error::Kind::kUnauthorized;
         }
         Certificate(facts, "apiserver").not_before = kNow + seconds(3'600);
         facts.cluster = {};
       },
       "clock-off", "clock"},
      {"a clock ahead of the server's",
       [](Facts& facts) { facts.endpoints[0].ahead = facts.endpoints[1].ahead = seconds(-7'200); },
       "clock-off", "clock"},
      {"a clock that is a little off",
       [](Facts& facts) { facts.endpoints[0].ahead = facts.endpoints[1].ahead = seconds(90); },
       "clock-off", "clock", Severity::kWarning},
      {"a clock that was put back, and nobody to compare with",
       [](Facts& facts) {
         LoseApi(facts);
         facts.machine.newest = kNow + seconds(7'200);
         facts.machine.newest_what = "a container ended";
       },
       "clock-behind", "clock"},
      {"another node's clock",
       [](Facts& facts) {
         facts.cluster.nodes.push_back(
             {.name = "beta", .ready = true, .renewed = kNow + seconds(7'200)});
       },
       "clock-of-other-node", "beta", Severity::kWarning},
      {"a stopped runtime silences kubelet and containers",
       [](Facts& facts) {
         facts.runtime.problem = "connection refused";
         facts.runtime.service_known = true;
         facts.runtime.service = "containerd";
         facts.kubelet.healthz = "connection refused";
         facts.kubelet.state = "activating";
         facts.kubelet.restarts = 4;
         LoseApi(facts);
       },
       "runtime-not-answering", "container runtime"},
      {"a cgroup driver that keeps containers from starting",
       [](Facts& facts) {
         facts.runtime.driver = "cgroupfs";
         Fail(facts, "kube-apiserver", "x");
         LoseApi(facts);
       },
       "cgroup-driver-mismatch", "cgroup driver"},
      {"a cgroup driver that was changed since",
       [](Facts& facts) { facts.runtime.driver = "cgroupfs"; }, "cgroup-driver-mismatch",
       "cgroup driver", Severity::kWarning},
      {"cgroups by a systemd that is not there",
       [](Facts& facts) { facts.machine.has_systemd = false; }, "cgroup-driver-without-systemd",
       "container runtime"},
      {"no network add-on",
       [](Facts& facts) {
         facts.runtime.network_ready = false;
         facts.cluster.nodes[0].ready = false;
       },
       "network-not-ready", "network"},
      {"swap, and a kubelet that died of it",
       [](Facts& facts) {
         facts.machine.swaps = {"/dev/sda2"};
         facts.kubelet.healthz = "connection refused";
         facts.kubelet.state = "activating";
       },
       "swap-on", "swap"},
      {"swap that the kubelet has not met yet",
       [](Facts& facts) { facts.machine.swaps = {"/dev/sda2"}; }, "swap-on", "swap",
       Severity::kWarning},
      {"no forwarding", [](Facts& facts) { facts.machine.switches["net/ipv4/ip_forward"] = "0"; },
       "forwarding-off", "net.ipv4.ip_forward"},
      {"packets too large for the tunnel", [](Facts& facts) { facts.machine.links[1].mtu = 1500; },
       "mtu-too-large", "flannel.1", Severity::kWarning},
      {"name servers only for this machine",
       [](Facts& facts) { facts.kubelet.name_servers = {"127.0.0.53"}; }, "resolv-conf-loop",
       "/etc/resolv.conf", Severity::kWarning},
      {"the cluster's DNS asks itself",
       [](Facts& facts) { facts.kubelet.name_servers = {"10.96.0.10"}; }, "resolv-conf-loop",
       "/etc/resolv.conf", Severity::kWarning},
  });
}

TEST(Judge, SwapIsFineForAKubeletThatBearsIt) {
  Facts facts = Healthy();
  facts.machine.swaps = {"/dev/sda2"};
  (*facts.kubelet.config)["failSwapOn"] = false;
  EXPECT_TRUE(Judge(facts).empty());
}

TEST(Judge, NamesTheCertificateFirst) {
  ExpectFirst({
      {"the API server's has expired",
       [](Facts& facts) {
         Certificate(facts, "apiserver").not_after = kNow - seconds(1);
         LoseApi(facts);
         facts.endpoints[0].kind = base::Error::Kind::kUnauthorized;
       },
       "certificate-expired", "apiserver.crt"},
      {"the kubelet's has expired, so it ends",
       [](Facts& facts) {
         Certificate(facts, "kubelet.conf").not_after = kNow - seconds(1);
         facts.kubelet.state = "activating";
         facts.kubelet.healthz = "connection refused";
         facts.cluster.nodes[0].ready = false;
       },
       "certificate-expired", "kubelet.conf"},
      {"etcd's has expired",
       [](Facts& facts) {
         Certificate(facts, "etcd-server").not_after = kNow - seconds(1);
         facts.etcd.problem = "certificate has expired";
         Fail(facts, "kube-apiserver", "x509: certificate has expired");
         LoseApi(facts);
       },
       "certificate-expired", "etcd-server.crt"},
      {"one will expire",
       [](Facts& facts) { Certificate(facts, "apiserver").not_after = kNow + seconds(86'400); },
       "certificate-expires-soon", "apiserver.crt", Severity::kWarning},
      {"one is of the future",
       [](Facts& facts) { Certificate(facts, "apiserver").not_before = kNow + seconds(86'400); },
       "certificate-not-valid-yet", "apiserver.crt"},
      {"one is another CA's",
       [](Facts& facts) { Certificate(facts, "apiserver").chain_problem = "unknown issuer"; },
       "certificate-of-another-ca", "apiserver.crt"},
      {"all are another CA's: it is the CA that was changed",
       [](Facts& facts) {
         for (const char* name : {"apiserver", "apiserver-kubelet-client", "kubelet.conf"}) {
           Certificate(facts, name).chain_problem = "unknown issuer";
         }
         for (KubeconfigFact& file : facts.kubeconfigs) {
           file.knows_ca = false;
         }
         Certificate(facts, "ca").key_problem = "another key";
       },
       "ca-replaced", "ca.crt"},
      {"a key that is not its own",
       [](Facts& facts) { Certificate(facts, "apiserver").key_problem = "another key"; },
       "key-mismatch", "apiserver.crt"},
      {"one that is gone",
       [](Facts& facts) {
         CertificateFact& gone = Certificate(facts, "etcd-peer");
         gone = {.name = gone.name, .path = gone.path, .ca = gone.ca, .missing = true};
       },
       "certificate-missing", "etcd-peer.crt"},
      {"one that is garbage",
       [](Facts& facts) { Certificate(facts, "apiserver").problem = "no PEM block"; },
       "certificate-unreadable", "apiserver.crt"},
      {"renewed, but not in use", [](Facts& facts) { facts.endpoints[1].shown_serial = "07"; },
       "certificate-not-in-use", "kube-apiserver", Severity::kWarning},
      {"renewed, and the old one has expired",
       [](Facts& facts) {
         facts.endpoints[1].shown_serial = "07";
         facts.endpoints[1].shown_until = kNow - seconds(1);
       },
       "certificate-not-in-use", "kube-apiserver"},
      {"a kubeconfig that trusts another CA",
       [](Facts& facts) {
         facts.kubeconfigs[1].knows_ca = false;
         facts.cluster.nodes[0].ready = false;
       },
       "kubeconfig-wrong-ca", "kubelet.conf"},
      {"a kubeconfig that is gone",
       [](Facts& facts) {
         facts.kubeconfigs[1].missing = true;
         facts.kubelet.state = "activating";
       },
       "kubeconfig-missing", "kubelet.conf"},
      {"a token that expired before the node had joined",
       [](Facts& facts) {
         facts.kubeconfigs[1].missing = true;
         facts.bootstrap = {.there = true, .token_id = "abcdef", .refused = true};
         facts.kubelet.state = "activating";
         facts.kubelet.restarts = 3;
       },
       "bootstrap-token-refused", "abcdef"},
  });
}

TEST(Judge, NamesTheComponentFirst) {
  ExpectFirst({
      {"a kubelet that ends again and again",
       [](Facts& facts) {
         facts.kubelet.state = "activating";
         facts.kubelet.restarts = 5;
         facts.kubelet.healthz = "connection refused";
         facts.cluster.nodes[0].ready = false;
       },
       "kubelet-crash-loop", "kubelet"},
      {"a stopped kubelet",
       [](Facts& facts) {
         facts.kubelet.state = "inactive";
         facts.kubelet.healthz = "connection refused";
       },
       "kubelet-not-running", "kubelet"},
      {"a configuration that cannot be read",
       [](Facts& facts) {
         facts.kubelet.config.reset();
         facts.kubelet.config_problem = "yaml: line 3";
         facts.kubelet.state = "activating";
       },
       "kubelet-config-invalid", "config.yaml"},
      {"a kubelet that boots no more", [](Facts& facts) { facts.kubelet.enabled = false; },
       "kubelet-not-enabled", "kubelet", Severity::kWarning},
      {"a manifest that was edited, and its component died",
       [](Facts& facts) {
         ManifestOf(facts, "kube-apiserver").as_written = false;
         Fail(facts, "kube-apiserver", "Error: unknown flag: --foo");
         LoseApi(facts);
       },
       "manifest-edited", "kube-apiserver.yaml"},
      {"a manifest that was edited and still runs",
       [](Facts& facts) {
         ManifestFact& manifest = ManifestOf(facts, "kube-scheduler");
         manifest.as_written = false;
         manifest.differences = {{.where = "--v", .wanted = "", .found = "9"}};
       },
       "manifest-edited", "kube-scheduler.yaml", Severity::kWarning},
      {"a manifest that was edited, and nobody finds the API server where it is now",
       [](Facts& facts) {
         LoseApi(facts);
         ManifestOf(facts, "kube-apiserver").as_written = false;
       },
       "manifest-edited", "kube-apiserver.yaml"},
      {"a manifest that is gone",
       [](Facts& facts) {
         ManifestOf(facts, "kube-apiserver").missing = true;
         LoseApi(facts);
       },
       "manifest-missing", "kube-apiserver.yaml"},
      {"a manifest that is no YAML",
       [](Facts& facts) {
         ManifestOf(facts, "etcd").problem = "yaml: line 3";
         Fail(facts, "etcd");
         LoseApi(facts);
       },
       "manifest-invalid", "etcd.yaml"},
      {"an etcd that crashes takes the API server with it",
       [](Facts& facts) {
         Fail(facts, "etcd", "panic: freepages: failed to get all reachable pages");
         Fail(facts, "kube-apiserver", "connection refused");
         LoseApi(facts);
       },
       "component-exits", "etcd"},
      {"a member that is dead while the others go on",
       [](Facts& facts) {
         facts.etcd.members.push_back(
             {.name = "beta", .problem = "connection refused", .removal = "etcdctl …"});
       },
       "etcd-member-down", "beta", Severity::kWarning},
      {"a node of the control plane that is down",
       [](Facts& facts) {
         facts.etcd.members.push_back({.name = "beta", .problem = "connection refused"});
         facts.endpoints.push_back(Endpoint("https://192.0.2.11:6443", "another"));
         facts.endpoints.back().of_other_node = true;
         facts.endpoints.back().problem = "connection refused";
         facts.cluster.nodes.push_back({.name = "beta", .ready = false});
       },
       "etcd-member-down", "beta", Severity::kWarning},
      {"a member that is missed",
       [](Facts& facts) {
         facts.etcd.members.push_back({.name = "beta", .problem = "connection refused"});
         facts.etcd.quorum = false;
         Fail(facts, "kube-apiserver", "context deadline exceeded");
         LoseApi(facts);
       },
       "etcd-member-down", "beta"},
      {"an etcd that is full",
       [](Facts& facts) {
         facts.etcd.members[0].problem = "alarm:NOSPACE";
         facts.etcd.members[0].alarms = {"NOSPACE"};
       },
       "etcd-alarm", "alpha"},
      {"a scheduler that crashes", [](Facts& facts) { Fail(facts, "kube-scheduler", "panic"); },
       "component-exits", "kube-scheduler"},
      {"a component that has no container",
       [](Facts& facts) {
         Fail(facts, "kube-scheduler");
         facts.control_plane.containers.erase("kube-scheduler");
       },
       "component-not-running", "kube-scheduler"},
  });
}

TEST(Judge, AFileOfBeforeTheLastUpgradeIsNotSuspicious) {
  Facts facts = Healthy();
  ManifestOf(facts, "kube-scheduler").as_written = false;
  EXPECT_TRUE(Judge(facts).empty());
  LoseApi(facts);
  for (const Finding& finding : Judge(facts)) {
    EXPECT_NE(finding.id, "manifest-edited");
  }
}

TEST(Judge, AConfigurationThatHasChangedSinceIsANote) {
  Facts facts = Healthy();
  ManifestOf(facts, "kube-apiserver").differences = {{"--v", "2", ""}};
  const std::vector<Finding> findings = Judge(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "manifest-not-of-config");
  EXPECT_EQ(findings[0].evidence, "--v 2 is missing");
}

TEST(Judge, NamesTheClustersTroubleFirst) {
  ExpectFirst({
      {"an endpoint that does not answer, while this node's API server does",
       [](Facts& facts) {
         facts.endpoints[0].problem = "connection timed out";
         facts.endpoints[0].kind = base::Error::Kind::kTimeout;
       },
       "endpoint-unreachable", "api.example"},
      {"a name that nobody knows",
       [](Facts& facts) {
         facts.endpoints[0].problem = "no such host";
         facts.endpoints[0].kind = base::Error::Kind::kNotFound;
         facts.cluster.nodes[0].ready = false;
       },
       "endpoint-unreachable", "api.example"},
      {"somebody else answers there",
       [](Facts& facts) {
         facts.endpoints[0].problem = "certificate not trusted";
         facts.endpoints[0].kind = base::Error::Kind::kUnauthorized;
       },
       "endpoint-not-trusted", "api.example"},
      {"a user that is not known", [](Facts& facts) { facts.endpoints[0].logged_in = false; },
       "credentials-refused", "admin.conf"},
      {"the configuration is gone",
       [](Facts& facts) { facts.cluster.missing_maps = {"kube-system/kubeadm-config"}; },
       "kubeadm-config-missing", "kubeadm-config"},
      {"cluster-info is gone",
       [](Facts& facts) { facts.cluster.missing_maps = {"kube-public/cluster-info"}; },
       "cluster-info-missing", "cluster-info"},
      {"the configuration is garbage",
       [](Facts& facts) { facts.cluster.broken_maps = {"kubeadm-config: yaml: line 1"}; },
       "kubeadm-config-invalid", "kubeadm-config"},
      {"the node was deleted", [](Facts& facts) { facts.cluster.nodes[0].name = "beta"; },
       "node-missing", "alpha"},
      {"another node is down",
       [](Facts& facts) { facts.cluster.nodes.push_back({.name = "beta", .ready = false}); },
       "other-node-not-ready", "beta", Severity::kWarning},
      {"a Pod that crashes",
       [](Facts& facts) { facts.cluster.failing_pods = {{"coredns-x", "CrashLoopBackOff", "y"}}; },
       "pod-failing", "coredns-x", Severity::kWarning},
      {"a token that has expired",
       [](Facts& facts) { facts.cluster.tokens[0].expires = kNow - seconds(1); }, "token-expired",
       "abcdef", Severity::kWarning},
  });
}

TEST(Judge, AWorkerIsJudgedByWhatItHas) {
  Facts facts = Healthy();
  facts.role = Role::kWorker;
  facts.manifests.clear();
  facts.control_plane = {};
  facts.etcd = {};
  facts.certificates = {Ca("ca"), Leaf("kubelet.conf")};
  facts.kubeconfigs.erase(facts.kubeconfigs.begin());
  facts.endpoints.pop_back();
  EXPECT_TRUE(Judge(facts).empty());
  {
    Facts changed = facts;
    Certificate(changed, "kubelet.conf").chain_problem = "unknown issuer";
    changed.kubeconfigs[0].knows_ca = false;
    EXPECT_EQ(Judge(changed).at(0).id, "ca-replaced");
  }
  LoseApi(facts);
  const std::vector<Finding> findings = Judge(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "endpoint-unreachable");
}

}  // namespace
}  // namespace doctor
