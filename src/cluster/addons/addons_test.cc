// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "addons/coredns.h"
#include "addons/corefile.h"
#include "addons/kube_proxy.h"
#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "config/load.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "kube/objects.h"
#include "stored_config/config_hash.h"
#include "yaml/yaml.h"

namespace addons {
namespace {

using kube::resources::kConfigMap;
using kube::resources::kDeployment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using State = CoreDnsOutcome::Corefile;

config::Init Configured() {
  return config::LoadInit(
      {.text = config::InitText("localAPIEndpoint:\n  advertiseAddress: 10.20.30.40\n"
                                "nodeRegistration:\n  criSocket: unix:///run/x.sock\n") +
               "---\n" +
               config::ClusterText("networking:\n  dnsDomain: corp.internal\n"
                                   "  serviceSubnet: 10.50.0.0/16\n  podSubnet: 10.244.0.0/16\n")},
      config::FakeFacts());
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(TESTDATA_DIR) + "/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
  }
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(golden.str(), text) << name;
}

TEST(Manifests, MatchTheGoldenFiles) {
  ExpectGolden("coredns.yaml",
               ManifestText(CoreDnsManifests(Configured().cluster, nullptr).objects));
  ExpectGolden("kube-proxy.yaml", ManifestText(KubeProxyManifests(Configured(), nullptr).objects));
}

// Runs against a small API server.
class Addons : public testing::Test {
 protected:
  json::Value Deployment(const std::string& image, int replicas = 3,
                         const std::string& name = "coredns") {
    return {
        {"apiVersion", "apps/v1"},
        {"kind", "Deployment"},
        {"metadata",
         {{"name", name}, {"namespace", "kube-system"}, {"labels", {{"k8s-app", "kube-dns"}}}}},
        {"spec",
         {{"replicas", replicas},
          {"template",
           {{"spec",
             {{"containers", json::Value::array({{{"name", "coredns"}, {"image", image}}})}}}}}}}};
  }
  void PutCorefile(const std::string& text) { server_.Put(kConfigMap, CoreDnsConfigMap(text)); }
  std::string Stored(const std::string& key = "Corefile") {
    return json::TextAt(server_.Find(kConfigMap, "kube-system", "coredns").value_or(json::Value()),
                        {"data", key});
  }
  json::Value StoredDeployment() {
    return server_.Find(kDeployment, "kube-system", "coredns").value_or(json::Value());
  }
  CoreDnsOutcome Apply(const CoreDnsOptions& options = {}) {
    return ApplyCoreDns(client_, Configured().cluster, options);
  }
  // Returns the requests that change something, without the API's path prefix.
  std::vector<std::string> Writes() {
    std::vector<std::string> writes;
    for (const std::string& request : server_.Requests()) {
      if (!request.starts_with("GET ")) {
        const std::size_t blank = request.find(' ');
        writes.push_back(request.substr(0, blank + 1) + request.substr(request.rfind('/') + 1));
      }
    }
    return writes;
  }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{
      server_.NewTransport(), clock_, {.limit = std::chrono::milliseconds(0), .grace = {}}};
};

TEST_F(Addons, CoreDnsObjectsAreAppliedInOrder) {
  const CoreDnsOutcome outcome = Apply();
  EXPECT_EQ(outcome.corefile, State::kWritten);
  EXPECT_THAT(Writes(),
              ElementsAre("POST configmaps", "POST clusterroles", "POST clusterrolebindings",
                          "POST serviceaccounts", "POST deployments", "POST services"));
  EXPECT_EQ(Stored(), DefaultCorefile("corp.internal"));
  EXPECT_EQ(StoredDeployment()["spec"]["replicas"], 2);
  EXPECT_EQ(json::TextAt(*server_.Find(kube::resources::kService, "kube-system", "kube-dns"),
                         {"spec", "clusterIP"}),
            "10.50.0.10");
}

TEST_F(Addons, CoreDnsIsUpdatedInPlace) {
  Apply();
  server_.Put(kDeployment, Deployment("registry.k8s.io/coredns/coredns:v1.14.2", 5));
  EXPECT_EQ(Apply().corefile, State::kRetained);
  EXPECT_EQ(StoredDeployment()["spec"]["replicas"], 5);
}

TEST_F(Addons, CorefileIsWrittenRetainedOrMigrated) {
  struct Case {
    std::string name, corefile, image;
    State want;
    std::string stored;
  };
  const std::string own = "a {\n    health\n}\n";
  for (const Case& c : std::initializer_list<Case>{
           {"the user's own, same version", own, "r/coredns:v1.14.2", State::kRetained, own},
           {"the user's own, nothing changed since", own, "r/coredns:v1.9.3@sha256:0",
            State::kRetained, own},
           {"empty", "", "r/coredns:custom", State::kWritten, DefaultCorefile("corp.internal")},
           {"nothing but blanks", " \n", "r/coredns:v1.14.2", State::kWritten,
            DefaultCorefile("corp.internal")},
           {"nothing but a comment", "# mine\n", "r/coredns:v1.14.2", State::kRetained, "# mine\n"},
           {"changed since", own, "reg:5000/coredns:1.6.2", State::kMigrated,
            "a {\n    health {\n        lameduck 5s\n    }\n}\n"},
           {"broken, but nothing to migrate", "a {\n", "r/coredns:v1.14.2", State::kRetained,
            "a {\n"}}) {
    PutCorefile(c.corefile);
    server_.Put(kDeployment, Deployment(c.image));
    EXPECT_EQ(Apply().corefile, c.want) << c.name;
    EXPECT_EQ(Stored(), c.stored) << c.name;
    EXPECT_EQ(StoredDeployment()["spec"]["template"]["spec"]["containers"][0]["image"],
              "registry.k8s.io/coredns/coredns:v1.14.2")
        << c.name;
  }
}

// Returns the default Corefile that Kubernetes 1.19 to 1.31 installed, with this argument of plugin
// `forward`.
std::string OldDefault(const std::string& forward) {
  return ".:53 {\n    errors\n    health {\n       lameduck 5s\n    }\n    ready\n"
         "    kubernetes corp.internal in-addr.arpa ip6.arpa {\n       pods insecure\n"
         "       fallthrough in-addr.arpa ip6.arpa\n       ttl 30\n    }\n    prometheus :9153\n"
         "    forward . " +
         forward +
         " {\n       max_concurrent 1000\n    }\n    cache 30\n    loop\n    reload\n"
         "    loadbalance\n}\n";
}

TEST_F(Addons, ReplacesAnOldDefaultCorefileAndKeepsACopy) {
  const std::string old = OldDefault("/etc/resolv.conf");
  server_.Put(kConfigMap,
              kube::ConfigMap({"kube-system", "coredns"}, {{"Corefile", old}, {"own.db", "zone"}}));
  server_.Put(kDeployment, Deployment("r/coredns:v1.9.3"));
  EXPECT_EQ(Apply().corefile, State::kWritten);
  EXPECT_EQ(Stored(), DefaultCorefile("corp.internal"));
  EXPECT_EQ(Stored("Corefile-backup"), old);
  EXPECT_EQ(Stored("own.db"), "zone");
}

TEST_F(Addons, TreatsAnOldDefaultCorefileWithAnotherServerAsUserOwned) {
  for (const std::string image : {"r/coredns:v1.9.3", "r/coredns:v1.14.2"}) {
    const std::string own = OldDefault("192.168.178.45:5353");
    PutCorefile(own);
    server_.Put(kDeployment, Deployment(image));
    EXPECT_EQ(Apply().corefile, State::kRetained) << image;
    EXPECT_EQ(Stored(), own) << image;
  }
}

TEST_F(Addons, RetainsTheCorefileIfThereIsNoDeployment) {
  PutCorefile("a {\n    health\n}\n");
  EXPECT_EQ(Apply().corefile, State::kRetained);
}

// Another client adds a key to the ConfigMap between the read and the migration. The migration must
// keep this key.
TEST_F(Addons, MigrationKeepsConcurrentWrites) {
  PutCorefile("a {\n    health\n}\n");
  server_.Put(kDeployment, Deployment("r/coredns:1.6.2"));
  kube::Client patient(server_.NewTransport(), clock_,
                       {.limit = std::chrono::seconds(10), .grace = {}});
  const auto write = [&] {
    json::Value map = server_.Find(kConfigMap, "kube-system", "coredns").value();
    map["data"]["own.db"] = "zone";
    server_.Put(kConfigMap, map);
  };
  EXPECT_EQ(ApplyCoreDns(patient, Configured().cluster, {.on_migrating = write}).corefile,
            State::kMigrated);
  EXPECT_EQ(Stored("own.db"), "zone");
  EXPECT_EQ(Stored("Corefile-backup"), "a {\n    health\n}\n");
}

TEST_F(Addons, MigrationDoesNotOverwriteAConcurrentCorefile) {
  PutCorefile("a {\n    health\n}\n");
  server_.Put(kDeployment, Deployment("r/coredns:1.6.2"));
  kube::Client patient(server_.NewTransport(), clock_,
                       {.limit = std::chrono::seconds(10), .grace = {}});
  const auto write = [&] { PutCorefile("b {\n    health\n}\n"); };
  EXPECT_THAT(base::MessageOf(
                  [&] { ApplyCoreDns(patient, Configured().cluster, {.on_migrating = write}); }),
              HasSubstr("changed while it was being replaced"));
  EXPECT_EQ(Stored(), "b {\n    health\n}\n");
}

TEST_F(Addons, MigrationKeepsTheOldCorefileForTheOldPods) {
  PutCorefile("a {\n    health\n}\n");
  server_.Put(kDeployment, Deployment("r/coredns:1.6.2"));
  bool told = false;
  EXPECT_EQ(Apply({.on_migrating = [&] { told = true; }}).corefile, State::kMigrated);
  EXPECT_TRUE(told);
  EXPECT_EQ(Stored("Corefile-backup"), "a {\n    health\n}\n");
  EXPECT_THAT(Writes(), IsSupersetOf({"PUT coredns", "PATCH coredns"}));
}

TEST_F(Addons, AFailedMigrationLeavesCorefileAndDeploymentUnchanged) {
  PutCorefile("a {\n");
  server_.Put(kDeployment, Deployment("r/coredns:1.6.2"));
  const CoreDnsOutcome outcome = Apply();
  EXPECT_EQ(outcome.corefile, State::kFailed);
  EXPECT_THAT(outcome.problem, HasSubstr("Corefile:1"));
  EXPECT_EQ(Stored(), "a {\n");
  EXPECT_EQ(StoredDeployment()["spec"]["template"]["spec"]["containers"][0]["image"],
            "r/coredns:1.6.2");
}

TEST_F(Addons, AnOldVersionWithAForeignTagIsNotMigrated) {
  PutCorefile("a {\n    health\n}\n");
  server_.Put(kDeployment, Deployment("r/coredns:v1.6.2"));
  const CoreDnsOutcome outcome = Apply();
  EXPECT_EQ(outcome.corefile, State::kFailed);
  EXPECT_EQ(outcome.problem, "start version 'v1.6.2' not supported");
  EXPECT_EQ(Stored(), "a {\n    health\n}\n");
}

TEST_F(Addons, CoreDnsOfAnUnknownVersionIsNotChanged) {
  PutCorefile("a {\n    health\n}\n");
  server_.Put(kDeployment, Deployment("r/coredns:v1.9.9-custom"));
  const CoreDnsOutcome outcome = Apply();
  EXPECT_EQ(outcome.corefile, State::kFailed);
  EXPECT_THAT(outcome.problem, HasSubstr("start version '1.9.9-custom' not supported"));
  EXPECT_EQ(Stored(), "a {\n    health\n}\n");
  EXPECT_EQ(StoredDeployment()["spec"]["template"]["spec"]["containers"][0]["image"],
            "r/coredns:v1.9.9-custom");
}

TEST_F(Addons, CoreDnsOfTheChosenTagIsNotMigrated) {
  PutCorefile("a {\n    health\n}\n");
  server_.Put(kDeployment, Deployment("r/coredns:v1.6.2"));
  config::ClusterConfiguration cluster = Configured().cluster;
  cluster.dns.image_tag = "v1.6.2";
  EXPECT_EQ(ApplyCoreDns(client_, cluster, {}).corefile, State::kRetained);
  EXPECT_EQ(Stored(), "a {\n    health\n}\n");
  cluster.dns.image_tag = "v99.0.0-own";
  const CoreDnsOutcome outcome = ApplyCoreDns(client_, cluster, {});
  EXPECT_EQ(outcome.corefile, State::kFailed);
  EXPECT_THAT(outcome.problem, HasSubstr("target version '99.0.0-own' not supported"));
  EXPECT_EQ(StoredDeployment()["spec"]["template"]["spec"]["containers"][0]["image"],
            "registry.k8s.io/coredns/coredns:v1.6.2");
}

TEST_F(Addons, RefusesTwoDnsDeploymentsAndAConfigMapWithoutCorefile) {
  PutCorefile("a {\n    health\n}\n");
  server_.Put(kDeployment, Deployment("r/coredns:v1.14.2"));
  server_.Put(kDeployment, Deployment("r/coredns:v1.14.2", 1, "second"));
  EXPECT_THAT(base::MessageOf([&] { Apply(); }), HasSubstr("multiple DNS addon deployments"));
  server_.Remove(kDeployment, "kube-system", "second");
  server_.Put(kConfigMap, kube::ConfigMap({"kube-system", "coredns"}, {{"x", "y"}}));
  EXPECT_THAT(base::MessageOf([&] { Apply(); }), HasSubstr("no key \"Corefile\""));
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST_F(Addons, DeploymentCanBePatched) {
  node_input::PatchSet patches;
  patches.patches.push_back({.target = "corednsdeployment",
                             .type = node_input::PatchType::kMerge,
                             .document = {{"spec", {{"paused", true}}}}});
  const CoreDnsOutcome outcome = Apply({.patches = &patches});
  EXPECT_EQ(outcome.patches.size(), 1U);
  EXPECT_EQ(StoredDeployment()["spec"]["paused"], true);
}

TEST_F(Addons, UpdatesAServiceWhoseAddressIsTaken) {
  Apply();
  server_.Inject({.what = "POST /api/v1/namespaces/kube-system/services",
                  .status = 422,
                  .reason = "Invalid",
                  .message = "provided IP is already allocated",
                  .times = 10});
  Apply();
  EXPECT_EQ(Writes().back(), "PUT kube-dns");
}

TEST_F(Addons, KubeProxyObjectsAreAppliedInOrder) {
  ApplyKubeProxy(client_, Configured(), {.proxies = {{"HTTP_PROXY", "http://p"}}});
  EXPECT_THAT(Writes(), ElementsAre("POST configmaps", "POST daemonsets", "POST serviceaccounts",
                                    "POST clusterrolebindings", "POST roles", "POST rolebindings"));
  const json::Value daemon_set =
      *server_.Find(kube::resources::kDaemonSet, "kube-system", "kube-proxy");
  const json::Value container = daemon_set["spec"]["template"]["spec"]["containers"][0];
  EXPECT_EQ(container["env"][1].dump(), R"({"name":"HTTP_PROXY","value":"http://p"})");
}

TEST_F(Addons, KubeProxyConfigurationOfTheUserHasNoHash) {
  config::Init config = Configured();
  ApplyKubeProxy(client_, config, {});
  const auto stored = [&] { return *server_.Find(kConfigMap, "kube-system", "kube-proxy"); };
  EXPECT_EQ(json::TextAt(stored(), {"metadata", "annotations", stored_config::kHashAnnotation}),
            stored_config::ConfigHash(stored()));
  config.cluster.kube_proxy.user_supplied = true;
  ApplyKubeProxy(client_, config, {});
  EXPECT_EQ(json::TextAt(stored(), {"metadata", "annotations", stored_config::kHashAnnotation}),
            "");
}

node_input::PatchSet KubeProxyPatch(node_input::PatchType type, const char* document) {
  node_input::PatchSet set;
  set.patches = {{.target = std::string(node_input::kKubeProxyDaemonSetTarget),
                  .type = type,
                  .document = json::Parse(document)}};
  return set;
}

TEST_F(Addons, KubeProxyIsPatched) {
  const node_input::PatchSet set =
      KubeProxyPatch(node_input::PatchType::kStrategic,
                     R"({"spec": {"template": {"spec": {"hostNetwork": false, "containers":
                         [{"name": "kube-proxy", "env": [{"name": "A", "value": "b"}]}]}}}})");
  EXPECT_EQ(ApplyKubeProxy(client_, Configured(), {.patches = &set}).size(), 1U);
  const json::Value pod = (*server_.Find(kube::resources::kDaemonSet, "kube-system",
                                         "kube-proxy"))["spec"]["template"]["spec"];
  EXPECT_FALSE(pod.contains("hostNetwork"));
  EXPECT_EQ(pod["containers"][0]["env"].size(), 2U) << "merged by name";
  EXPECT_EQ(pod["containers"][0]["command"].size(), 3U);
}

TEST_F(Addons, AFailedKubeProxyPatchChangesNothing) {
  const node_input::PatchSet set = KubeProxyPatch(node_input::PatchType::kJson,
                                                  R"([{"op": "remove", "path": "/spec/nowhere"}])");
  EXPECT_THAT(base::MessageOf([&] { ApplyKubeProxy(client_, Configured(), {.patches = &set}); }),
              HasSubstr("DaemonSet of kube-proxy"));
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST(KubeProxy, PrintsPatchedManifestsAsSeparateDocuments) {
  const node_input::PatchSet set =
      KubeProxyPatch(node_input::PatchType::kMerge, R"({"metadata": {"labels": {"a": "b"}}})");
  const KubeProxyManifestList list = KubeProxyManifests(Configured(), &set);
  EXPECT_EQ(list.patches.size(), 1U);
  EXPECT_THAT(ManifestText(list.objects), HasSubstr("\n---\napiVersion: apps/v1\n"));
  EXPECT_EQ(list.objects.back()["metadata"]["labels"]["a"], "b");
}

TEST(KubeProxy, ReachesTheControlPlaneEndpoint) {
  config::Init config = Configured();
  config.cluster.control_plane_endpoint = "lb.example.org:7443";
  EXPECT_THAT(json::TextAt(KubeProxyConfigMap(config), {"data", "kubeconfig.conf"}),
              HasSubstr("server: https://lb.example.org:7443\n"));
}

// Returns the DaemonSet with the progress that its controller has recorded.
json::Value Proxies(int observed, int updated, int available) {
  return {{"metadata", {{"name", "kube-proxy"}, {"namespace", "kube-system"}, {"generation", 3}}},
          {"status",
           {{"observedGeneration", observed},
            {"desiredNumberScheduled", 3},
            {"updatedNumberScheduled", updated},
            {"numberAvailable", available}}}};
}

TEST_F(Addons, WaitsUntilAllKubeProxyPodsAreReplaced) {
  const auto problem = [&](const json::Value& set) {
    server_.Put(kube::resources::kDaemonSet, set);
    return base::MessageOf([&] {
      WaitForKubeProxy(client_, {.clock = clock_, .patience = std::chrono::milliseconds(3'000)});
    });
  };
  EXPECT_THAT(problem(Proxies(3, 2, 3)), HasSubstr("of 3 Pods of kube-proxy, 2 have the new"));
  EXPECT_THAT(problem(Proxies(3, 3, 2)), HasSubstr("2 are available"));
  EXPECT_THAT(problem(Proxies(2, 3, 3)), HasSubstr("0 have the new")) << "of the old template";
  server_.Put(kube::resources::kDaemonSet, Proxies(3, 3, 3));
  EXPECT_NO_THROW(WaitForKubeProxy(client_, {.clock = clock_}));
}

// A clock that makes one more Pod of kube-proxy available every two seconds.
class RolloutClock : public host::FakeClock {
 public:
  explicit RolloutClock(kube::FakeApiServer& server) : server_(server) {}
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override {
    const bool slept = FakeClock::Sleep(duration, std::move(stop));
    const auto passed = NowSeconds() - kStart;
    server_.Put(kube::resources::kDaemonSet,
                Proxies(3, 3, static_cast<int>(passed / std::chrono::seconds(2))));
    return slept;
  }

 private:
  kube::FakeApiServer& server_;
};

TEST_F(Addons, KeepsWaitingWhileKubeProxyPodsBecomeAvailable) {
  server_.Put(kube::resources::kDaemonSet, Proxies(3, 3, 0));
  RolloutClock clock(server_);
  EXPECT_NO_THROW(
      WaitForKubeProxy(client_, {.clock = clock, .patience = std::chrono::milliseconds(3'000)}));
}

TEST_F(Addons, RestartsKubeProxyThroughItsPodTemplate) {
  server_.Put(kube::resources::kDaemonSet, Proxies(3, 3, 3));
  RestartKubeProxy(client_, std::chrono::sys_seconds(std::chrono::seconds(60)));
  const json::Value set =
      server_.Find(kube::resources::kDaemonSet, "kube-system", "kube-proxy").value();
  EXPECT_EQ(json::TextAt(set, {"spec", "template", "metadata", "annotations",
                               "kubectl.kubernetes.io/restartedAt"}),
            "1970-01-01T00:01:00Z");
}

}  // namespace
}  // namespace addons
