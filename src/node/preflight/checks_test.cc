// SPDX-License-Identifier: Apache-2.0
#include "preflight/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "preflight/fake_checks.h"

namespace preflight {
namespace {

using checks::Finding;
using checks::RunChecks;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

TEST_F(ChecksTest, AMissingProgramIsNamed) {
  host::FakeHost bare;
  const auto findings = RunChecks(InitChecks({bare.host, sources_.connect}, init_));
  const auto found = std::ranges::find(findings, "FileExisting-losetup", &Finding::id);
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->what, HasSubstr("losetup not found"));
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

}  // namespace
}  // namespace preflight
