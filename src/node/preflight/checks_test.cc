// SPDX-License-Identifier: Apache-2.0
#include "preflight/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "pki/certificate.h"
#include "pki/key.h"

namespace preflight {
namespace {

using checks::Check;
using checks::Finding;
using checks::RunChecks;
using checks::Severity;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Lets several connections share one fake.
class Borrowed : public cri::Runtime {
 public:
  explicit Borrowed(cri::FakeRuntime& fake) : fake_(fake) {}
  cri::RuntimeVersion Version() override { return fake_.Version(); }
  cri::RuntimeStatus Status() override { return fake_.Status(); }
  std::optional<cri::CgroupDriver> PreferredCgroupDriver() override {
    return fake_.PreferredCgroupDriver();
  }
  bool HasImage(const std::string& image) override { return fake_.HasImage(image); }
  void PullImage(const std::string& image, std::stop_token stop) override {
    fake_.PullImage(image, std::move(stop));
  }
  std::vector<cri::Sandbox> Sandboxes() override { return fake_.Sandboxes(); }
  std::vector<cri::Container> Containers(const cri::Wanted& wanted) override {
    return fake_.Containers(wanted);
  }
  std::optional<std::string> ContainerInfo(const std::string& id) override {
    return fake_.ContainerInfo(id);
  }
  cri::Started Start(const cri::OneOff& container) override { return fake_.Start(container); }
  void StopSandbox(const std::string& id) override { fake_.StopSandbox(id); }
  void StopContainer(const std::string& id, std::chrono::seconds grace) override {
    fake_.StopContainer(id, grace);
  }
  void RemoveContainer(const std::string& id) override { fake_.RemoveContainer(id); }
  void RemoveSandbox(const std::string& id) override { fake_.RemoveSandbox(id); }

 private:
  cri::FakeRuntime& fake_;
};

constexpr const char* kKernelConfig =
    "CONFIG_NAMESPACES=y\nCONFIG_NET_NS=y\nCONFIG_PID_NS=y\nCONFIG_IPC_NS=y\nCONFIG_UTS_NS=y\n"
    "CONFIG_CPUSETS=y\nCONFIG_MEMCG=y\nCONFIG_INET=y\nCONFIG_EXT4_FS=m\nCONFIG_PROC_FS=y\n"
    "CONFIG_NETFILTER_XT_TARGET_REDIRECT=m\nCONFIG_NETFILTER_XT_MATCH_COMMENT=m\n"
    "CONFIG_FAIR_GROUP_SCHED=y\nCONFIG_CGROUPS=y\nCONFIG_CGROUP_BPF=y\nCONFIG_CGROUP_PIDS=y\n"
    "CONFIG_CGROUP_SCHED=y\n";

class ChecksTest : public testing::Test {
 protected:
  // Sets up a machine on which the checks find nothing.
  ChecksTest() {
    host::FakeFiles& files = fake_.files;
    files.Write("/boot/config-6.1.0-40-amd64", kKernelConfig, {});
    files.Write("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", {});
    files.Write("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids\n", {});
    files.Write("/sys/fs/cgroup/init.scope/cgroup.freeze", "0\n", {});
    files.Write("/proc/swaps", "Filename\n", {});
    files.Write("/proc/sys/net/ipv4/ip_forward", "1\n", {});
    files.Write("/proc/sys/net/ipv6/conf/default/forwarding", "1\n", {});
    fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.36.3\n"});
    fake_.processes.On("systemctl is-active firewalld", {.exit_code = 3, .out = "inactive\n"});
    fake_.processes.AddExecutable("systemctl");
    for (const char* name : {"losetup", "mount", "getent", "cp"}) {
      fake_.processes.AddExecutable(name);
    }
    fake_.network.hosts["cp-one"] = {"192.0.2.10"};
    init_.init.local_api_endpoint = {.advertise_address = "192.0.2.10", .bind_port = 6443};
    init_.init.node_registration.name = "cp-one";
    init_.init.node_registration.cri_socket = "unix:///run/x.sock";
    init_.cluster.kubernetes_version = "v1.36.3";
    init_.cluster.networking = {.service_subnet = "10.96.0.0/12", .dns_domain = "cluster.local"};
    init_.cluster.etcd.local = config::LocalEtcd{.data_dir = "/var/lib/etcd"};
    join_.node_registration = init_.init.node_registration;
    join_.ca_cert_path = "/etc/kubernetes/pki/ca.crt";
    join_.discovery.bootstrap_token =
        config::BootstrapTokenDiscovery{.api_server_endpoint = "192.0.2.1:6443"};
  }

  static std::vector<std::string> Complaints(const std::vector<Check>& checks) {
    std::vector<std::string> complaints;
    for (const Finding& finding : RunChecks(checks)) {
      complaints.push_back((finding.severity == Severity::kError ? "E " : "W ") + finding.id);
      EXPECT_FALSE(finding.remedy.empty()) << finding.id;
    }
    return complaints;
  }

  static std::vector<std::string> Names(const std::vector<Check>& checks) {
    std::vector<std::string> names;
    for (const Check& check : checks) {
      names.push_back(check.id);
    }
    return names;
  }

  host::FakeHost fake_;
  cri::FakeRuntime runtime_;
  std::string endpoint_;
  Sources sources_{fake_.host,
                   [this](const std::string&) { return std::make_unique<Borrowed>(runtime_); }};
  config::Init init_;
  config::JoinConfiguration join_;
};

TEST_F(ChecksTest, FindNothingOnASuitableHost) {
  EXPECT_THAT(Complaints(RootChecks(fake_.host)), IsEmpty());
  EXPECT_THAT(Complaints(InitChecks(sources_, init_)), IsEmpty());
  EXPECT_THAT(Complaints(JoinChecks(sources_, join_)), IsEmpty());
  EXPECT_THAT(Complaints(JoinControlPlaneChecks(sources_, init_, Certificates::kOnDisk)),
              IsEmpty());
  EXPECT_THAT(Complaints(UpgradeChecks(sources_, "unix:///x", "v1.37.2")), IsEmpty());
}

TEST_F(ChecksTest, InitListsItsChecksInUpstreamsOrder) {
  init_.cluster.networking.pod_subnet = "10.244.0.0/16,fd00::/64";
  EXPECT_THAT(Names(InitChecks(sources_, init_)),
              ElementsAre("NumCPU", "Mem", "KubernetesVersion", "IPFamilies", "SigningCertificate",
                          "Firewalld", "Port-6443", "Port-10259", "Port-10257",
                          "FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml",
                          "FileAvailable--etc-kubernetes-manifests-kube-controller-manager.yaml",
                          "FileAvailable--etc-kubernetes-manifests-kube-scheduler.yaml",
                          "FileAvailable--etc-kubernetes-manifests-etcd.yaml", "StrayManifests",
                          "HTTPProxy", "HTTPProxyCIDR", "HTTPProxyCIDR", "HTTPProxyCIDR", "CRI",
                          "ContainerRuntimeVersion", "Swap", "FileExisting-losetup",
                          "FileExisting-mount", "FileExisting-getent", "FileExisting-cp",
                          "SystemVerification", "Hostname", "KubeletVersion", "Service-kubelet",
                          "Port-10250", "FileContent--proc-sys-net-ipv4-ip_forward",
                          "FileContent--proc-sys-net-ipv6-conf-default-forwarding", "Port-2379",
                          "Port-2380", "DirAvailable--var-lib-etcd"));
}

TEST_F(ChecksTest, ExternalEtcdHasChecksOfItsOwn) {
  init_.cluster.etcd.local.reset();
  init_.cluster.etcd.external = config::ExternalEtcd{
      .endpoints = {"https://e:2379"}, .ca_file = "/a", .cert_file = "/b", .key_file = "/c"};
  const std::vector<std::string> names = Names(InitChecks(sources_, init_));
  EXPECT_THAT(std::vector(names.end() - 5, names.end()),
              ElementsAre("FileContent--proc-sys-net-ipv4-ip_forward", "ExternalEtcdVersion",
                          "ExternalEtcdClientCertificates", "ExternalEtcdClientCertificates",
                          "ExternalEtcdClientCertificates"));
  const auto with = JoinControlPlaneChecks(sources_, init_, Certificates::kOnDisk);
  const auto without = JoinControlPlaneChecks(sources_, init_, Certificates::kDownloaded);
  EXPECT_EQ(with.size(), without.size() + 3);
}

TEST_F(ChecksTest, JoinListsItsChecksInUpstreamsOrder) {
  const std::vector<std::string> node = {"CRI",
                                         "ContainerRuntimeVersion",
                                         "Swap",
                                         "FileExisting-losetup",
                                         "FileExisting-mount",
                                         "FileExisting-getent",
                                         "FileExisting-cp",
                                         "SystemVerification",
                                         "Hostname",
                                         "KubeletVersion",
                                         "Service-kubelet",
                                         "Port-10250"};
  std::vector<std::string> want = {"FileAvailable--etc-kubernetes-kubelet.conf",
                                   "FileAvailable--etc-kubernetes-bootstrap-kubelet.conf"};
  want.insert(want.end(), node.begin(), node.end());
  std::vector<std::string> control_plane = want;
  want.insert(want.end(), {"FileAvailable--etc-kubernetes-pki-ca.crt", "HTTPProxy",
                           "FileContent--proc-sys-net-ipv4-ip_forward"});
  EXPECT_THAT(Names(JoinChecks(sources_, join_)), ElementsAreArray(want));

  join_.control_plane.emplace();
  join_.discovery.bootstrap_token->api_server_endpoint = "[fd00::1]:6443";
  control_plane.insert(control_plane.end(),
                       {"HTTPProxy", "FileContent--proc-sys-net-ipv6-conf-default-forwarding"});
  EXPECT_THAT(Names(JoinChecks(sources_, join_)), ElementsAreArray(control_plane));
}

TEST_F(ChecksTest, AnIpv4NetworkInTheFormOfIpv6IsNotIpv6) {
  init_.cluster.networking.pod_subnet = "::ffff:10.244.0.0/112";
  EXPECT_THAT(Names(InitChecks(sources_, init_)),
              Not(Contains("FileContent--proc-sys-net-ipv6-conf-default-forwarding")));
}

TEST_F(ChecksTest, JoinByNameOrFileDoesNotCheckForwarding) {
  join_.discovery.bootstrap_token->api_server_endpoint = "cluster.example.org:6443";
  EXPECT_EQ(Names(JoinChecks(sources_, join_)).back(), "HTTPProxy");
  join_.discovery.bootstrap_token.reset();
  EXPECT_EQ(Names(JoinChecks(sources_, join_)).back(), "FileAvailable--etc-kubernetes-pki-ca.crt");
}

TEST_F(ChecksTest, AJoiningControlPlaneChecksTheMachine) {
  std::vector<std::string> want = Names(InitChecks(sources_, init_));
  // Leaves out the checks of every node: JoinChecks contains them.
  const auto of_node = std::ranges::find(want, "CRI");
  want.erase(of_node, std::ranges::find(want, "Port-2379"));
  EXPECT_THAT(Names(JoinControlPlaneChecks(sources_, init_, Certificates::kOnDisk)),
              ElementsAreArray(want));
}

// Each row puts one defect into the suitable machine, and lists exactly the findings that follow.
struct Machine {
  host::FakeHost& fake;
  cri::FakeRuntime& runtime;
  config::Init& init;
};
struct Row {
  std::string name;
  std::function<void(Machine& m)> spoil;
  std::vector<std::string> complaints;
  std::string says = {};  // part of the first finding
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      {"processors",
       [](Machine& m) { m.fake.machine.processors = 1; },
       {"E NumCPU"},
       "1 is less than the required 2"},
      {"memory", [](Machine& m) { m.fake.machine.memory_bytes = 1; }, {"E Mem"}, "0 MB"},
      {"memory unknown", [](Machine& m) { m.fake.machine.memory_bytes.reset(); }, {"E Mem"}},
      {"new version",
       [](Machine& m) { m.init.cluster.kubernetes_version = "v1.38.0"; },
       {"W KubernetesVersion"}},
      {"firewall",
       [](Machine& m) {
         m.fake.processes.On("systemctl is-active firewalld", {.out = "active\n"});
       },
       {"W Firewalld"},
       "6443, 10250"},
      {"ports",
       [](Machine& m) {
         for (const int port : {6443, 10259, 10257, 10250}) {
           m.fake.network.port_problems[static_cast<std::uint16_t>(port)] = "in use";
         }
         for (const int port : {2379, 2380}) {
           m.fake.network.address_problems[m.init.init.local_api_endpoint.advertise_address + ":" +
                                           std::to_string(port)] = "in use";
         }
       },
       {"E Port-6443", "E Port-10259", "E Port-10257", "E Port-10250", "E Port-2379",
        "E Port-2380"},
       "in use (`ss -ltnp` shows"},
      {"ports at addresses of their own",
       [](Machine& m) {
         m.init.cluster.api_server.component.extra_args = {{"bind-address", "10.0.0.1"},
                                                           {"advertise-address", "10.0.0.2"}};
         m.init.cluster.scheduler.extra_args = {{"bind-address", "::1"}};
         m.fake.network.port_problems = {{6443, "in use"}, {10259, "in use"}};
         m.fake.network.address_problems = {{"10.0.0.1:6443", "in use"},
                                            {"10.0.0.2:2380", "in use"}};
       },
       {"E Port-6443", "E Port-2380"}},
      {"another port",
       [](Machine& m) {
         m.init.init.local_api_endpoint.bind_port = 443;
         m.fake.network.port_problems[443] = "in use";
       },
       {"E Port-443"}},
      {"manifest",
       [](Machine& m) { m.fake.files.Write("/etc/kubernetes/manifests/etcd.yaml", "", {}); },
       {"E FileAvailable--etc-kubernetes-manifests-etcd.yaml"},
       "etcd.yaml already exists"},
      {"a copy of a manifest",
       [](Machine& m) {
         m.fake.files.Write("/etc/kubernetes/manifests/etcd.yaml.backup",
                            "kind: Pod\nmetadata: {name: etcd}\n", {});
       },
       {"W StrayManifests"}},
      {"proxy",
       [](Machine& m) {
         m.fake.environment.variables = {{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", "10.96.0.1"}};
       },
       {"W HTTPProxy"},
       "http://p:1"},
      {"proxy for Services",
       [](Machine& m) {
         m.fake.environment.variables = {{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", "192.0.2.10"}};
       },
       {"W HTTPProxyCIDR"}},
      {"unusable proxy",
       [](Machine& m) { m.fake.environment.variables = {{"HTTPS_PROXY", "http://a b"}}; },
       {}},
      {"bad network",
       [](Machine& m) { m.init.cluster.networking.pod_subnet = "x"; },
       {"E HTTPProxyCIDR"}},
      {"no runtime",
       [](Machine& m) {
         m.runtime.Fail("Status", base::Error("nobody answers"), 9);
         m.runtime.Fail("PreferredCgroupDriver", base::Error("nobody answers"), 9);
       },
       {"E CRI", "E ContainerRuntimeVersion"}},
      {"runtime not ready",
       [](Machine& m) { m.runtime.status = {.runtime_ready = false, .runtime_message = "why"}; },
       {"E CRI"}},
      {"network not ready", [](Machine& m) { m.runtime.status.network_ready = false; }, {}},
      {"old runtime",
       [](Machine& m) { m.runtime.cgroup_driver.reset(); },
       {"W ContainerRuntimeVersion"}},
      {"swap",
       [](Machine& m) { m.fake.files.Write("/proc/swaps", "Filename\n/swap file\n", {}); },
       {"W Swap"},
       "failSwapOn: false in its"},
      {"programs",
       [](Machine& m) { m.init.cluster.kubernetes_version = "v1.35.0"; },
       {"E KubeletVersion"}},
      {"kernel",
       [](Machine& m) { m.fake.machine.kernel_release = "4.19.0"; },
       {"W SystemVerification", "E SystemVerification"}},
      {"name",
       [](Machine& m) { m.init.init.node_registration.name = "nobody"; },
       {"W Hostname", "W Hostname"}},
      {"old kubelet",
       [](Machine& m) {
         m.fake.processes.On("kubelet --version", {.out = "Kubernetes v1.31.0\n"});
       },
       {"E KubeletVersion"}},
      {"new kubelet",
       [](Machine& m) {
         m.fake.processes.On("kubelet --version", {.out = "Kubernetes v1.37.0\n"});
       },
       {"E KubeletVersion"}},
      {"broken kubelet",
       [](Machine& m) { m.fake.processes.On("kubelet --version", {.exit_code = 4}); },
       {"E SystemVerification", "E KubeletVersion"}},
      {"no kubelet service",
       [](Machine& m) {
         m.fake.processes.On("systemctl status kubelet", {.err = "could not be found."});
       },
       {"W Service-kubelet"},
       "does not exist"},
      {"disabled kubelet service",
       [](Machine& m) { m.fake.processes.On("systemctl is-enabled kubelet", {.exit_code = 1}); },
       {"W Service-kubelet"},
       "systemctl enable kubelet.service"},
      {"no forwarding",
       [](Machine& m) { m.fake.files.Write("/proc/sys/net/ipv4/ip_forward", "0\n", {}); },
       {"E FileContent--proc-sys-net-ipv4-ip_forward"},
       "sysctl -w net.ipv4.ip_forward=1"},
      {"no forwarding of IPv6",
       [](Machine& m) {
         m.init.cluster.networking.pod_subnet = "10.244.0.0/16,fd00::/64";
         m.fake.files.Remove("/proc/sys/net/ipv6/conf/default/forwarding");
       },
       {"E FileContent--proc-sys-net-ipv6-conf-default-forwarding"}},
      {"etcd data",
       [](Machine& m) { m.fake.files.Write("/var/lib/etcd/member/x", "", {}); },
       {"E DirAvailable--var-lib-etcd"},
       "not empty"},
      {"empty etcd directory",
       [](Machine& m) { m.fake.files.MakeDirectories("/var/lib/etcd", 0700); },
       {}},
      {"etcd directory that is a file system of its own",
       [](Machine& m) { m.fake.files.MakeDirectories("/var/lib/etcd/lost+found", 0700); },
       {}},
      {"linked etcd directory",
       [](Machine& m) {
         m.fake.files.Write("/data/etcd/member", "", {});
         std::filesystem::create_symlink("../../data/etcd",
                                         m.fake.directory.path() / "var/lib/etcd");
       },
       {"E DirAvailable--var-lib-etcd"}},
      {"etcd's certificates",
       [](Machine& m) {
         m.init.cluster.etcd.local.reset();
         m.init.cluster.etcd.external = config::ExternalEtcd{.ca_file = "/a", .key_file = "/c"};
       },
       {"E ExternalEtcdClientCertificates", "E ExternalEtcdClientCertificates"},
       "/a doesn't exist"},
      {"memory that is a byte too small",
       [](Machine& m) { m.fake.machine.memory_bytes = (1700ULL << 20U) - 1; },
       {"E Mem"},
       "1699 MB"},
      {"just enough memory and processors",
       [](Machine& m) {
         m.fake.machine.memory_bytes = 1700ULL << 20U;
         m.fake.machine.processors = 2;
       },
       {}},
      {"a file in the place of etcd's directory",
       [](Machine& m) { m.fake.files.Write("/var/lib/etcd", "", {}); },
       {"E DirAvailable--var-lib-etcd"},
       "not a directory"}};
  return rows;
}

class RowTest : public ChecksTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(RowTest, ReportsEachDefectOnce) {
  const Row& row = Rows()[GetParam()];
  std::filesystem::create_directories(fake_.directory.path() / "var/lib");
  Machine machine{fake_, runtime_, init_};
  row.spoil(machine);
  const auto checks = InitChecks(sources_, init_);
  EXPECT_THAT(Complaints(checks), ElementsAreArray(row.complaints)) << row.name;
  if (!row.says.empty()) {
    EXPECT_THAT(RunChecks(checks).at(0).what, HasSubstr(row.says)) << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Checks, RowTest, testing::Range<std::size_t>(0, Rows().size()));

TEST_F(ChecksTest, AnUpgradeRefusesACopyOfAManifest) {
  fake_.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml.bak",
                    "kind: Pod\nmetadata: {name: kube-apiserver}\n", {});
  EXPECT_THAT(Complaints(UpgradeChecks(sources_, "unix:///x", "v1.37.2")),
              ElementsAre("E StrayManifests"));
}

TEST_F(ChecksTest, NamesAProgramOnlyForAPortInUse) {
  fake_.network.port_problems[6443] = "no interface has it";
  const auto findings = RunChecks(InitChecks(sources_, init_));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].what, AllOf(HasSubstr("6443"), Not(HasSubstr("ss -ltnp"))));
}

TEST_F(ChecksTest, RefuseUsersOtherThanRoot) {
  fake_.machine.effective_user = 1000;
  EXPECT_THAT(Complaints(RootChecks(fake_.host)), ElementsAre("E IsPrivilegedUser"));
}

TEST_F(ChecksTest, RunTheKubeletOnlyOnce) {
  RunChecks(InitChecks(sources_, init_));
  const std::vector<std::string> calls = fake_.processes.calls();
  EXPECT_EQ(std::ranges::count(calls, "kubelet --version"), 1);
  EXPECT_THAT(fake_.processes.changes(), IsEmpty()) << "checks change nothing";
}

TEST_F(ChecksTest, WithoutAnInitSystemThereAreTwoWarnings) {
  host::FakeHost bare;
  const auto findings = RunChecks(InitChecks({bare.host, sources_.connect}, init_));
  std::vector<std::string> warned;
  for (const Finding& finding : findings) {
    if (finding.what.find("init system") != std::string::npos) {
      warned.push_back(finding.id);
    }
  }
  EXPECT_THAT(warned, ElementsAre("Firewalld", "Service-kubelet"));
}

TEST_F(ChecksTest, ReportsAMissingKubelet) {
  host::FakeHost bare;
  const auto findings = RunChecks(InitChecks({bare.host, sources_.connect}, init_));
  const auto found = std::ranges::find(findings, "KubeletVersion", &Finding::id);
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->what, HasSubstr("not installed"));
}

TEST_F(ChecksTest, WarnsOfMissingGetentIfTheKubeletUsesIt) {
  for (const auto& [version, count] : {std::pair{"v1.37.2", 0}, {"v1.38.0", 1}}) {
    host::FakeHost bare;
    bare.processes.On("kubelet --version", {.out = std::string("Kubernetes ") + version + "\n"});
    const auto findings = RunChecks(JoinChecks({bare.host, sources_.connect}, join_));
    EXPECT_EQ(std::ranges::count(findings, "FileExisting-getent", &Finding::id), count) << version;
  }
}

TEST_F(ChecksTest, RefusesAKubeletThatCannotUseTheClustersKeys) {
  init_.cluster.encryption_algorithm = "ML-DSA-65";
  init_.cluster.kubelet.value = {{"serverCertificateKeyAlgorithm", "ML-DSA-44"}};
  for (const auto& [version, named] :
       {std::pair{"v1.37.2", "of ML-DSA-65"}, {"v1.38.0", "tlsMinVersion to VersionTLS13"}}) {
    fake_.processes.On("kubelet --version", {.out = std::string("Kubernetes ") + version + "\n"});
    for (const auto& list :
         {InitChecks(sources_, init_), JoinClusterChecks(fake_.host, init_.cluster, "")}) {
      const auto findings = RunChecks(list);
      const auto found = std::ranges::find(findings, "KubeletKeyAlgorithm", &Finding::id);
      ASSERT_NE(found, findings.end()) << version;
      EXPECT_EQ(found->severity, Severity::kError);
      EXPECT_THAT(found->what, HasSubstr(named));
    }
  }
  EXPECT_THAT(JoinClusterChecks(fake_.host, {}, ""), IsEmpty());
}

TEST_F(ChecksTest, RefusesAKubeletThatCannotUseTheKeyOfTheDiscoveredCa) {
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.37.2\n"});
  const auto ca_of = [](pki::Algorithm algorithm) {
    return pki::NewSelfSignedCa({.subject = {.common_name = "a"}},
                                pki::PrivateKey::Generate(algorithm))
        .Pem();
  };
  const auto findings =
      RunChecks(JoinClusterChecks(fake_.host, init_.cluster, ca_of(pki::Algorithm::kMlDsa65)));
  ASSERT_THAT(findings, testing::SizeIs(1));
  EXPECT_THAT(findings.front().what, HasSubstr("cannot use keys of ML-DSA-65"));
  EXPECT_THAT(JoinClusterChecks(fake_.host, init_.cluster, ca_of(pki::Algorithm::kEcdsaP256)),
              IsEmpty());
}

TEST_F(ChecksTest, RefusesAnAlgorithmThatKubeletsDoNotKnow) {
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.38.0\n"});
  init_.cluster.kubelet.value = {{"clientCertificateKeyAlgorithm", "RSA-1"}};
  const auto findings = RunChecks(JoinClusterChecks(fake_.host, init_.cluster, ""));
  ASSERT_THAT(findings, testing::SizeIs(1));
  EXPECT_THAT(findings.front().what,
              AllOf(HasSubstr("clientCertificateKeyAlgorithm: "), HasSubstr("\"RSA-1\"")));
}

TEST_F(ChecksTest, AMissingProgramIsNamed) {
  host::FakeHost bare;
  const auto findings = RunChecks(InitChecks({bare.host, sources_.connect}, init_));
  const auto found = std::ranges::find(findings, "FileExisting-losetup", &Finding::id);
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->what, HasSubstr("losetup not found"));
}

TEST_F(ChecksTest, JoinDoesNotCompareTheKubeletWithTheControlPlane) {
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.99.0\n"});
  EXPECT_THAT(Complaints(JoinChecks(sources_, join_)), IsEmpty());
}

TEST_F(ChecksTest, JoinFindsLeftovers) {
  fake_.files.Write("/etc/kubernetes/kubelet.conf", "", {});
  fake_.files.Write("/etc/kubernetes/bootstrap-kubelet.conf", "", {});
  fake_.files.Write("/etc/kubernetes/pki/ca.crt", "", {});
  EXPECT_THAT(Complaints(JoinChecks(sources_, join_)),
              ElementsAre("E FileAvailable--etc-kubernetes-kubelet.conf",
                          "E FileAvailable--etc-kubernetes-bootstrap-kubelet.conf",
                          "E FileAvailable--etc-kubernetes-pki-ca.crt"));
}

TEST_F(ChecksTest, TreatTheKubeletAsOneMinorNewerInAnUpgrade) {
  fake_.files.Write("/proc/mounts", "tmpfs /sys/fs/cgroup tmpfs ro 0 0\n", {});
  fake_.files.MakeDirectories("/sys/fs/cgroup/memory", 0755);
  std::string controllers;
  for (const char* name :
       {"cpu", "cpuacct", "cpuset", "devices", "freezer", "memory", "pids", "hugetlb", "blkio"}) {
    controllers += std::string(name) + "\t1\t1\t1\n";
  }
  fake_.files.Write("/proc/cgroups", controllers, {});
  fake_.files.Write(
      "/boot/config-6.1.0-40-amd64",
      std::string(kKernelConfig) +
          "CONFIG_CGROUP_CPUACCT=y\nCONFIG_CGROUP_DEVICE=y\nCONFIG_CGROUP_FREEZER=y\n",
      {});
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.34.1\n"});
  EXPECT_THAT(Complaints(InitChecks(sources_, init_)), ElementsAre("W SystemVerification"));
  EXPECT_THAT(Complaints(UpgradeChecks(sources_, "unix:///x", "v1.37.2")),
              ElementsAre("E SystemVerification"));
  // The kubelet is not treated as newer than its control plane.
  EXPECT_THAT(Complaints(UpgradeChecks(sources_, "unix:///x", "v1.34.4")),
              ElementsAre("W SystemVerification"));
}

TEST_F(ChecksTest, WarnOfARuntimeThatIsTooOldAfterTheUpgrade) {
  runtime_.cgroup_driver.reset();
  const auto told = [&](const std::vector<Check>& checks) {
    std::string text;
    for (const Finding& finding : RunChecks(checks)) {
      text += finding.what;
    }
    return text;
  };
  EXPECT_EQ(told(UpgradeChecks(sources_, "unix:///x", "v1.34.4")), "");
  EXPECT_THAT(told(UpgradeChecks(sources_, "unix:///x", "v1.35.4")), HasSubstr("kubelet of 1.36"));
  EXPECT_THAT(told(UpgradeChecks(sources_, "unix:///x", "v1.37.2")), HasSubstr("kubelet of 1.38"));
  fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.36.3\n"});
  EXPECT_THAT(told(JoinChecks(sources_, join_)), HasSubstr("kubelet of 1.37"));
}

}  // namespace
}  // namespace preflight
