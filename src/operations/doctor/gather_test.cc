// SPDX-License-Identifier: Apache-2.0
#include "doctor/gather.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/strings.h"
#include "cri/fake_runtime.h"
#include "doctor/fake_sources.h"
#include "doctor/parts.h"
#include "host/fake_host.h"
#include "pki/certificate.h"
#include "pki/crypto.h"
#include "static_pods/static_pod.h"

namespace doctor {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::StartsWith;

TEST(RoleOf, IsDeterminedByTheFilesOfKubeadm) {
  struct Case {
    std::string path;
    Role want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"/etc/motd", Role::kNone},
           {"/etc/kubernetes/kubelet.conf", Role::kWorker},
           {"/etc/kubernetes/bootstrap-kubelet.conf", Role::kWorker},
           {"/var/lib/kubelet/config.yaml", Role::kWorker},
           {"/etc/kubernetes/admin.conf", Role::kControlPlane},
           {"/etc/kubernetes/manifests/kube-apiserver.yaml", Role::kControlPlane}}) {
    FakeSources node;
    node.Write(c.path, "");
    EXPECT_EQ(RoleOf(node.fake.files), c.want) << c.path;
  }
}

TEST(CollectMachine, SeesEachDiskOnce) {
  FakeSources node;
  node.fake.processes.On("stat", {.exit_code = 1});
  node.HasDisk("/", "1", 9, 5);
  node.HasDisk("/var", "1", 9, 5);
  node.HasDisk("/var/lib/etcd", "2", 7, 1);
  node.HasDisk("/var/lib/kubelet", "1", 9, 5);
  node.Write("/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 9 0 -2\n");
  node.Write("/proc/sys/net/ipv4/ip_forward", "0\n");
  node.Write("/sys/class/net/eth0/mtu", "1400\n");
  const MachineFacts machine = After(CollectMachine(node.From())).machine;
  ASSERT_EQ(machine.disks.size(), 2U);
  EXPECT_EQ(machine.disks[0].path, "/");
  EXPECT_EQ(machine.disks[1].path, "/var/lib/etcd");
  EXPECT_THAT(machine.swaps, ElementsAre("/dev/sda2"));
  EXPECT_EQ(machine.switches.at("net/ipv4/ip_forward"), "0");
  ASSERT_EQ(machine.links.size(), 2U);
  EXPECT_EQ(machine.links[1].mtu, 1400);
  EXPECT_TRUE(machine.links[1].default_route);
  EXPECT_FALSE(machine.has_systemd);
}

TEST(CollectMachine, NamesTheDiskThatDoesNotAnswer) {
  FakeSources node;
  node.fake.processes.On("stat", {.exit_code = 1});
  node.HasDisk("/", "1", 9, 5);
  node.fake.processes.On("stat -f -c %S %b %a %c %d /var/log", {.timed_out = true});
  const Facts facts = After(CollectMachine(node.From()));
  EXPECT_EQ(facts.machine.disks.size(), 1U);
  EXPECT_THAT(facts.unseen,
              ElementsAre("how full /var/log is: the file system of /var/log does not answer"));
}

TEST(CollectRuntime, ReportsTheRuntimesStatus) {
  FakeSources node;
  node.Write("/etc/containerd/config.toml", "[x]\n  SystemdCgroup = true\n");
  const Facts facts = After(CollectRuntime(node.From()));
  EXPECT_EQ(facts.runtime.problem, std::nullopt);
  EXPECT_EQ(facts.runtime.driver, "systemd");
  EXPECT_EQ(facts.runtime.configured_driver, "systemd");
}

TEST(CollectRuntime, ReportsTheReasonAndTheServiceState) {
  FakeSources node;
  node.fake.processes.On("systemctl is-active", {.exit_code = 3, .out = "inactive\n"});
  node.fake.processes.On("systemctl", {});
  DoctorSources sources = node.From();
  sources.connect_runtime = [](const std::string&) -> std::unique_ptr<cri::Runtime> {
    throw base::Error(base::Error::Kind::kUnavailable, "connection refused");
  };
  const Facts facts = After(CollectRuntime(sources));
  EXPECT_EQ(facts.runtime.problem, "connection refused");
  EXPECT_EQ(facts.runtime.service, "containerd");
  EXPECT_FALSE(facts.runtime.service_active);
}

TEST(CollectKubelet, ReadsServiceConfigurationAndNameServers) {
  FakeSources node;
  node.Write("/var/lib/kubelet/config.yaml",
             "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
             "cgroupDriver: systemd\nhealthzPort: 0\nresolvConf: /run/resolv.conf\n");
  node.Write("/run/resolv.conf", "# x\nnameserver 127.0.0.53\nsearch a b\n");
  node.fake.processes.On("systemctl show",
                         {.out = "ActiveState=activating\nNRestarts=4\nUnitFileState=disabled\n"});
  node.fake.processes.On("systemctl", {});
  node.fake.processes.On("journalctl", {.out = "one\nfailed to run Kubelet: x\n"});
  const KubeletFacts kubelet = After(CollectKubelet(node.From())).kubelet;
  EXPECT_EQ(kubelet.state, "activating");
  EXPECT_EQ(kubelet.restarts, 4);
  EXPECT_FALSE(kubelet.enabled);
  EXPECT_EQ(kubelet.config_problem, std::nullopt);
  EXPECT_THAT(kubelet.name_servers, ElementsAre("127.0.0.53"));
  EXPECT_THAT(kubelet.last_lines, Contains("failed to run Kubelet: x"));
}

// Starts a kubelet whose service is active, and whose health check does not answer.
void RunSilentKubelet(FakeSources& node) {
  node.Write("/var/lib/kubelet/config.yaml",
             "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
             "healthzPort: 1\n");  // no process listens on this port
  node.fake.processes.On("systemctl show", {.out = "ActiveState=active\nNRestarts=1\n"});
  node.fake.processes.On("systemctl", {});
  node.fake.processes.On("journalctl", {.out = "unknown flag: --x\n"});
}

// systemd reports a service as "active" right after its start, even if the service is about to
// exit. So CollectKubelet must query a kubelet repeatedly that is active but not healthy.
TEST(CollectKubelet, PollsARunningKubeletThatIsNotHealthy) {
  FakeSources node;
  RunSilentKubelet(node);
  const auto begin = node.fake.clock.Steady();
  EXPECT_EQ(After(CollectKubelet(node.From())).kubelet.state, "active");
  const auto is_look = [](const std::string& call) { return call.starts_with("systemctl show"); };
  EXPECT_GT(std::ranges::count_if(node.fake.processes.calls(), is_look), 10);
  EXPECT_LT(node.fake.clock.Steady() - begin, std::chrono::seconds(3));
}

// A clock whose Sleep simulates the end of the kubelet.
class ClockOfAnEnd : public host::FakeClock {
 public:
  explicit ClockOfAnEnd(host::FakeProcesses& processes) : processes_(processes) {}
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override {
    processes_.On("systemctl show", {.out = "ActiveState=activating\nNRestarts=2\n"});
    return FakeClock::Sleep(duration, std::move(stop));
  }

 private:
  host::FakeProcesses& processes_;
};

TEST(CollectKubelet, ReportsTheEndOfAKubeletThatRanAtFirst) {
  FakeSources node;
  RunSilentKubelet(node);
  ClockOfAnEnd clock(node.fake.processes);
  host::Host host = node.fake.With(clock);
  const DoctorSources known = node.From();
  const KubeletFacts kubelet = After(CollectKubelet({.host = host,
                                                     .config_facts = known.config_facts,
                                                     .cri_socket = known.cri_socket,
                                                     .connect_runtime = known.connect_runtime,
                                                     .connect_etcd = known.connect_etcd}))
                                   .kubelet;
  EXPECT_EQ(kubelet.state, "activating");
  EXPECT_EQ(kubelet.restarts, 2);
}

TEST(CollectKubelet, ReportsWhyAConfigurationIsUnreadable) {
  FakeSources node;
  node.Write("/var/lib/kubelet/config.yaml", "a: [\n");
  EXPECT_NE(After(CollectKubelet(node.From())).kubelet.config_problem, std::nullopt);
}

TEST(CollectManifests, ComparesManifestsWithTheRecordsOfKubeadm) {
  FakeSources node;
  const std::string path = "/etc/kubernetes/manifests/kube-scheduler.yaml";
  const std::string text =
      "kind: Pod\nspec:\n  containers:\n  - command: [kube-scheduler, --v=2]\n";
  const auto record = [&](const std::string& hash) {
    node.Write("/var/lib/slipway/journal-init.json",
               json::Value{{"files", {{path, {{"sha256", hash}}}}}}.dump());
  };
  node.Write(path, text);
  // A process of another user, with the name of a component.
  node.Write("/proc/77/cmdline", std::string("/usr/bin/kube-scheduler\0--v=9\0", 30));
  node.runtime_of_node = [] {
    auto runtime = std::make_unique<cri::FakeRuntime>();
    runtime->containers = {{.id = "c",
                            .sandbox_id = "s",
                            .name = "kube-scheduler",
                            .state = cri::Container::State::kRunning}};
    runtime->infos["c"] = R"({"runtimeSpec": {"process": {"args": ["kube-scheduler", "--v=3"]}}})";
    return runtime;
  };
  const auto scheduler = [&] { return After(CollectManifests(node.From())).manifests.at(3); };
  EXPECT_EQ(scheduler().as_written, std::nullopt);
  record(base::HexEncode(pki::Sha256(text)));
  EXPECT_EQ(scheduler().as_written, true);
  record("0123");
  EXPECT_EQ(scheduler().as_written, false);
  ASSERT_EQ(scheduler().not_running_yet.size(), 1U);
  EXPECT_EQ(scheduler().not_running_yet[0].found, "3");
  node.runtime_of_node = []() -> std::unique_ptr<cri::FakeRuntime> {
    throw base::Error(base::Error::Kind::kUnavailable, "no runtime");
  };
  EXPECT_THAT(scheduler().not_running_yet, IsEmpty());
  EXPECT_THAT(After(CollectManifests(node.From())).unseen,
              ElementsAre("the arguments with which the static Pods run: no runtime"));
  node.Write(path, "- nonsense");
  EXPECT_NE(scheduler().problem, std::nullopt);
  node.fake.files.Remove(path);
  EXPECT_TRUE(scheduler().missing);
}

TEST(AddRendered, ReportsEditsButNotValuesThatDifferPerNode) {
  FakeSources node;
  const auto write = [&](const char* command, const char* image) {
    node.Write("/etc/kubernetes/manifests/etcd.yaml",
               fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: etcd}}\nspec:\n"
                           "  containers:\n  - name: etcd\n    command: [etcd, {}]\n"
                           "    image: {}\n",
                           command, image));
  };
  write("--initial-cluster=a", "etcd:3");
  const std::map<std::string, json::Value> rendered = {
      {"etcd", static_pods::Normalized(
                   *static_pods::ReadManifest(node.fake.files, components::Component::kEtcd))}};
  const auto differences = [&] {
    Facts facts = After(CollectManifests(node.From()));
    AddRendered(rendered, node.fake.files, facts);
    EXPECT_TRUE(facts.manifests.at(0).rendered);
    return facts.manifests.at(0).differences;
  };
  write("'--initial-cluster=a,b'", "etcd:3");
  EXPECT_THAT(differences(), IsEmpty());
  write("--initial-cluster=a", "my/etcd:3");
  ASSERT_EQ(differences().size(), 1U);
  EXPECT_EQ(differences()[0].where, "image");
  EXPECT_EQ(differences()[0].wanted, "etcd:3");
  EXPECT_EQ(differences()[0].found, "my/etcd:3");
}

TEST(NodeFactOf, ReadsConditions) {
  const NodeFact node = NodeFactOf(
      json::Value{{"metadata", {{"name", "alpha"}}},
                  {"status",
                   {{"conditions",
                     {{{"type", "Ready"}, {"status", "False"}, {"reason", "R"}, {"message", "m"}},
                      {{"type", "DiskPressure"}, {"status", "True"}},
                      {{"type", "PIDPressure"}, {"status", "False"}}}}}}});
  EXPECT_EQ(node.name, "alpha");
  EXPECT_FALSE(node.ready);
  EXPECT_EQ(node.reason, "R: m");
  EXPECT_THAT(node.pressures, ElementsAre("DiskPressure"));
  EXPECT_FALSE(NodeFactOf(json::Value::object()).ready);
}

TEST(PodFactOf, FindsTheReasonWhyAPodDoesNotRun) {
  const auto pod = [](const json::Value& state) {
    return json::Value{{"metadata", {{"name", "p"}}},
                       {"status", {{"containerStatuses", {{{"state", state}}}}}}};
  };
  const auto failing =
      PodFactOf(pod({{"waiting", {{"reason", "ImagePullBackOff"}, {"message", "no such"}}}}));
  ASSERT_TRUE(failing);
  EXPECT_EQ(failing->message, "no such");
  EXPECT_FALSE(PodFactOf(pod({{"waiting", {{"reason", "ContainerCreating"}}}})));
  EXPECT_FALSE(PodFactOf(pod({{"running", json::Value::object()}})));
  EXPECT_FALSE(PodFactOf(json::Value::object()));
}

TEST(Gather, ReadsOnlyTheMachineWithoutANode) {
  FakeSources node;
  node.Write("/proc/sys/net/bridge/bridge-nf-call-iptables", "0\n");
  node.Write("/var/log/syslog", "");
  host::FakeHost& fake = node.fake;
  host::RealClock clock;  // the test waits for answers in real time
  host::Host host = fake.With(clock);
  const DoctorSources known = node.From();
  fake.processes.On("stat", {});
  const Facts facts = Collect({.host = host,
                               .config_facts = {},
                               .cri_socket = known.cri_socket,
                               .connect_runtime = known.connect_runtime,
                               .connect_etcd = known.connect_etcd},
                              {});
  EXPECT_EQ(facts.role, Role::kNone);
  EXPECT_EQ(facts.machine.switches.at("net/bridge/bridge-nf-call-iptables"), "0");
  EXPECT_EQ(facts.machine.newest_what, "/var/log/syslog was written");
  EXPECT_EQ(facts.looked_at.size(), 1U);
  EXPECT_THAT(facts.unseen, IsEmpty());
  EXPECT_THAT(fake.processes.calls(), Each(StartsWith("stat ")));
}

// Commands of this host run until they are stopped.
class EndlessProcesses : public host::FakeProcesses {
 public:
  std::atomic<int> running = 0;
  std::atomic<int> stopped = 0;
  host::RunResult Run(const std::vector<std::string>& /*argv*/,
                      const host::RunOptions& options) override {
    ++running;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait(lock, options.stop, [] { return false; });
    ++stopped;
    --running;
    throw base::Interrupted("stopped");
  }
};

TEST(Gather, StopsQueriesWithoutAnAnswer) {
  FakeSources node;
  node.Write("/etc/kubernetes/kubelet.conf", "");
  EndlessProcesses processes;
  processes.AddExecutable("systemctl");
  host::FakeHost& fake = node.fake;
  host::Host host = fake.With(processes);
  const DoctorSources known = node.From();
  const DoctorSources sources{.host = host,
                              .config_facts = {},
                              .cri_socket = known.cri_socket,
                              .connect_runtime = known.connect_runtime,
                              .connect_etcd = known.connect_etcd};
  const Facts facts = Collect(sources, {.limit = std::chrono::milliseconds(50)});
  EXPECT_GT(processes.stopped.load(), 0);
  EXPECT_EQ(processes.running.load(), 0) << "they have ended";
  EXPECT_EQ(facts.role, Role::kWorker);
  EXPECT_THAT(facts.unseen,
              IsSupersetOf({"kubelet: no answer in time", "container runtime: no answer in time"}));
}

TEST(Gather, ChangesNothing) {
  FakeSources node;
  node.Write("/etc/kubernetes/kubelet.conf", "");
  const std::size_t before = node.fake.files.written().size();
  Collect(node.From(), {});
  EXPECT_EQ(node.fake.files.written().size(), before);
  EXPECT_THAT(node.fake.processes.changes(), IsEmpty());
}

}  // namespace
}  // namespace doctor
