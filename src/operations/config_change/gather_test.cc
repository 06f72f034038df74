// SPDX-License-Identifier: Apache-2.0
#include "config_change/gather.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "addons/coredns.h"
#include "addons/corefile.h"
#include "addons/kube_proxy.h"
#include "base/strings.h"
#include "config/fake_facts.h"
#include "config_change/drift.h"
#include "config_change/edits.h"
#include "config_change/parts.h"
#include "host/fake_host.h"
#include "join_secrets/bootstrap_rules.h"
#include "kube/fake_server.h"
#include "kube/kubeconfig.h"
#include "objects/fake_mirror_pod.h"
#include "objects/rbac.h"
#include "releases/releases.h"
#include "stored_config/upload.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kKubelet =
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 110\n";
constexpr const char* kConfigz = "/api/v1/nodes/cp-one/proxy/configz";

class CollectTest : public testing::Test {
 protected:
  CollectTest() {
    gathered_.config = config::LoadInit(
        {.text = config::InitText("localAPIEndpoint:\n  advertiseAddress: 10.20.30.40\n"
                                  "nodeRegistration:\n  name: cp-one\n"
                                  "  criSocket: unix:///run/containerd/containerd.sock\n") +
                 "---\n" + config::ClusterText("networking:\n  podSubnet: 10.244.0.0/16\n")},
        facts_);
    gathered_.version = "v1.36.3";
    fetched_.config = gathered_.config;
    fetched_.stored.kubelet = {.text = kKubelet};
    fake_.machine.hostname = "cp-one";
    fake_.files.Write("/var/lib/kubelet/config.yaml", kKubelet, {});
    SetConfigz("cp-one", R"("maxPods": 110)");
  }

  void SetConfigz(const std::string& node, const std::string& settings) {
    server_.SetText("/api/v1/nodes/" + node + "/proxy/configz", 200,
                    R"({"kubeletconfig": {"apiVersion": "kubelet.config.k8s.io/v1beta1",)"
                    R"("kind": "KubeletConfiguration",)" +
                        settings + "}}");
  }

  void Put(const char* name, const json::Value& data) {
    server_.Put(kube::resources::kConfigMap,
                {{"metadata", {{"name", name}, {"namespace", "kube-system"}}}, {"data", data}});
  }

  void PutNodes(const std::string& version_of_worker) {
    Put("kubelet-config", {{"kubelet", kKubelet}});
    for (const std::string name : {"cp-one", "worker"}) {
      const std::string version = name == "worker" ? version_of_worker : "v1.36.3";
      server_.Put(kube::resources::kNode,
                  {{"metadata", {{"name", name}}},
                   {"status", {{"nodeInfo", {{"kubeletVersion", version}}}}}});
    }
  }

  // Creates the wanted addons and rules in the cluster.
  void ApplyAll() {
    addons::ApplyCoreDns(client_, gathered_.config.cluster, {});
    addons::ApplyKubeProxy(client_, gathered_.config, {});
    join_secrets::RenewBootstrapRules(client_, releases::For("v1.36.3"),
                                      join_secrets::JoinTokens::kAll);
    objects::ApplyRbac(client_, stored_config::ReaderRows());
  }

  // Returns all edits with their outcomes: ".:53 cache kept".
  std::vector<std::string> Edits() const {
    std::vector<std::string> edits;
    for (const Difference& difference : DriftOf(gathered_.components).differences) {
      if (difference.origin == Origin::kEdit) {
        edits.push_back(difference.field + (difference.outcome == Outcome::kKept   ? " kept"
                                            : difference.outcome == Outcome::kLost ? " lost"
                                                                                   : " waits"));
      }
    }
    return edits;
  }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{
      server_.NewTransport(), fake_.clock, {.limit = std::chrono::milliseconds(50)}};
  config::Facts facts_ = config::FakeFacts();
  Sources sources_{.host = fake_.host, .client = client_, .facts = facts_};
  stored_config::FetchedConfig fetched_;
  Gathered gathered_;
};

TEST_F(CollectTest, FindsNothingInAnUnchangedKubelet) {
  fake_.files.Write("/var/lib/kubelet/kubeadm-flags.env", "KUBELET_KUBEADM_ARGS=\"\"\n", {});
  AddKubelet(sources_, fetched_, gathered_);
  EXPECT_THAT(Edits(), IsEmpty());
  EXPECT_THAT(gathered_.unseen, ElementsAre(HasSubstr("the arguments of the running kubelet")));
}

TEST_F(CollectTest, SeesAKubeletsFilesAndItsProcess) {
  fake_.files.Write("/var/lib/kubelet/config.yaml",
                    base::ReplaceAll(kKubelet, "maxPods: 110", "maxPods: 99"), {});
  fake_.files.Write("/var/lib/kubelet/kubeadm-flags.env", "KUBELET_KUBEADM_ARGS=\"--v=4\"\n", {});
  fake_.files.Write("/etc/default/kubelet", "# mine\nKUBELET_EXTRA_ARGS=\"--node-ip=10.0.0.1\"\n",
                    {});
  fake_.processes.On("systemctl show kubelet --property=MainPID", {.out = "MainPID=9\n"});
  fake_.files.Write("/proc/9/status", "Uid:\t0\t0\t0\t0\n", {});
  fake_.files.Write("/proc/9/cmdline",
                    std::string("/usr/bin/kubelet\0--config=x\0--node-ip=10.0.0.1\0", 47), {});
  fake_.files.Write("/proc/99/status", "Uid:\t0\t0\t0\t0\n", {});
  fake_.files.Write("/proc/99/cmdline", std::string("kubelet\0--of=a-container\0", 25), {});
  AddKubelet(sources_, fetched_, gathered_);
  EXPECT_THAT(Edits(), UnorderedElementsAre("maxPods lost", "--v waits", "--node-ip kept"));
}

TEST_F(CollectTest, ReportsUnreadablePartsOfAKubelet) {
  server_.SetText(kConfigz, 403, "{}");
  fake_.files.Write("/var/lib/kubelet/kubeadm-flags.env", "nonsense", {});
  AddKubelet(sources_, fetched_, gathered_);
  EXPECT_THAT(gathered_.unseen, ElementsAre(HasSubstr("with which the kubelet of cp-one runs"),
                                            HasSubstr("kubeadm-flags.env")));
}

TEST_F(CollectTest, NamesDeletedObjectsOfTheCluster) {
  ApplyAll();
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(Edits(), IsEmpty());
  gathered_.components.clear();
  server_.Remove(kube::resources::kService, "kube-system", "kube-dns");
  server_.Remove(kube::resources::kRole, "kube-system", "kube-proxy");
  server_.Remove(kube::resources::kDaemonSet, "kube-system", "kube-proxy");
  server_.Remove(kube::resources::kClusterRoleBinding, "", "kubeadm:kubelet-bootstrap");
  server_.Remove(kube::resources::kRole, "kube-system", "kubeadm:nodes-kubeadm-config");
  server_.Remove(kube::resources::kRoleBinding, "kube-public",
                 "kubeadm:bootstrap-signer-clusterinfo");
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(Edits(),
              UnorderedElementsAre("Service kube-dns lost", "Role kube-proxy lost",
                                   "DaemonSet kube-proxy lost",
                                   "ClusterRoleBinding kubeadm:kubelet-bootstrap lost",
                                   "Role kubeadm:nodes-kubeadm-config lost",
                                   "RoleBinding kubeadm:bootstrap-signer-clusterinfo lost"));
  EXPECT_THAT(LostBy(gathered_.components), IsEmpty()) << "an upgrade makes them again";
  EXPECT_NO_THROW(RequireNoEdits(gathered_))
      << "a change of the configuration takes none of it back";
}

TEST_F(CollectTest, NamesACorefileThatDiffersFromAnOldDefaultInItsServer) {
  ApplyAll();
  std::string old = addons::DefaultCorefile("cluster.local");
  const std::size_t block = old.find(" {\n       disable");
  old.erase(block, old.find("    }\n", block) + 5 - block);
  ASSERT_TRUE(addons::IsOldDefault(old, "cluster.local")) << old;
  Put("coredns", {{"Corefile", old}});
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(Edits(), IsEmpty());
  gathered_.components.clear();
  Put("coredns", {{"Corefile", base::ReplaceAll(old, "/etc/resolv.conf", "8.8.8.8")}});
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(Edits(), testing::Contains(".:53 forward kept"));
}

TEST_F(CollectTest, NotesAnAddonThatTheClusterWasMadeWithout) {
  ApplyAll();
  server_.Remove(kube::resources::kDaemonSet, "kube-system", "kube-proxy");
  server_.Remove(kube::resources::kConfigMap, "kube-system", "kube-proxy");
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(Edits(), IsEmpty());
  EXPECT_THAT(gathered_.notes, ElementsAre(HasSubstr("kube-proxy is not in the cluster")));
}

TEST_F(CollectTest, NamesARemovedTaintAndTheServersOfKubeconfigs) {
  const auto put = [&](const json::Value& taints) {
    server_.Put(
        kube::resources::kNode,
        {{"metadata",
          {{"name", "cp-one"}, {"labels", {{"node-role.kubernetes.io/control-plane", ""}}}}},
         {"spec", {{"taints", taints}}}});
  };
  const auto write = [&](const std::string& file, const std::string& server) {
    kube::Kubeconfig config;
    config.clusters["k"] = {.server = server};
    config.contexts["c"] = {.cluster = "k", .user = "u"};
    config.current_context = "c";
    fake_.files.Write("/etc/kubernetes/" + file, config.Text(), {});
  };
  put({{{"key", "node-role.kubernetes.io/control-plane"}, {"effect", "NoSchedule"}}});
  write("admin.conf", "https://10.20.30.40:6443");
  write("scheduler.conf", "https://10.20.30.40:6443");
  AddThisNode(sources_, gathered_);
  EXPECT_THAT(Edits(), IsEmpty());
  EXPECT_THAT(gathered_.unseen, IsEmpty());
  gathered_.components.clear();
  put(json::Value::array());
  write("admin.conf", "https://elsewhere.example.org:6443");
  AddThisNode(sources_, gathered_);
  EXPECT_THAT(Edits(),
              UnorderedElementsAre("taint node-role.kubernetes.io/control-plane:NoSchedule kept",
                                   "server kept"));
}

TEST_F(CollectTest, SeesTheAddonsObjects) {
  ApplyAll();
  const config::ClusterConfiguration& cluster = gathered_.config.cluster;
  json::Value proxy = addons::KubeProxyDaemonSet(cluster, {});
  proxy["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "1";
  server_.Put(kube::resources::kDaemonSet, proxy);
  server_.Put(kube::resources::kDeployment, addons::CoreDnsDeployment(cluster, 5));
  Put("coredns", {{"Corefile", base::ReplaceAll(addons::DefaultCorefile("cluster.local"),
                                                "cache 30", "cache 60")}});
  json::Value map = addons::KubeProxyConfigMap(gathered_.config);
  json::Value settings = yaml::Parse(json::TextAt(map, {"data", "config.conf"})).value;
  settings["metricsBindAddress"] = "127.0.0.1:9";
  map["data"]["config.conf"] = yaml::Emit(settings);
  map["data"]["kubeconfig.conf"] = base::ReplaceAll(json::TextAt(map, {"data", "kubeconfig.conf"}),
                                                    "10.20.30.40", "10.20.30.41");
  server_.Put(kube::resources::kConfigMap, map);
  fetched_.stored.kube_proxy = {.text = yaml::Emit(settings)};
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(gathered_.unseen, IsEmpty());
  EXPECT_THAT(Edits(), UnorderedElementsAre(
                           "resources.limits.cpu lost", "spec.replicas kept", ".:53 cache kept",
                           "config.conf.metricsBindAddress kept", "kubeconfig.conf.clusters lost"));
}

TEST_F(CollectTest, ComparesAddonObjectsThatAnUpgradeWritesWhole) {
  ApplyAll();
  const config::ClusterConfiguration& cluster = gathered_.config.cluster;
  json::Value dns = addons::CoreDnsDeployment(cluster, 2);
  dns["metadata"]["labels"]["team"] = "net";
  dns["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "3";
  server_.Put(kube::resources::kDeployment, dns);
  json::Value service = addons::CoreDnsService(cluster);
  service["spec"].update({{"type", "ClusterIP"},
                          {"internalTrafficPolicy", "Local"},
                          {"sessionAffinity", "None"},
                          {"ipFamilies", json::Value::array({"IPv4"})}});
  server_.Put(kube::resources::kService, service);
  for (json::Value object : addons::CoreDnsManifests(cluster, nullptr).objects) {
    const std::string kind = json::TextAt(object, {"kind"});
    if (kind == "ClusterRole") {
      std::swap(object["rules"][0], object["rules"][1]);  // the order of rules has no meaning
      object["rules"].push_back(
          {{"apiGroups", {""}}, {"resources", {"nodes"}}, {"verbs", {"get"}}});
      server_.Put(kube::resources::kClusterRole, object);
    } else if (kind == "ClusterRoleBinding") {
      server_.Put(kube::resources::kClusterRoleBinding, object);
    } else if (kind == "ServiceAccount") {
      object["imagePullSecrets"] = json::Value::array({{{"name", "mine"}}});
      server_.Put(kube::resources::kServiceAccount, object);
    }
  }
  json::Value map = addons::KubeProxyConfigMap(gathered_.config);
  map["data"]["mine.conf"] = "x";
  server_.Put(kube::resources::kConfigMap, map);
  fetched_.stored.kube_proxy = {.text = json::TextAt(map, {"data", "config.conf"}),
                                .generated = true};
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(Edits(), UnorderedElementsAre("own label team lost",
                                            "Service kube-dns spec.internalTrafficPolicy lost",
                                            "ClusterRole system:coredns rules lost",
                                            "ServiceAccount coredns imagePullSecrets lost",
                                            "ConfigMap kube-proxy data.mine.conf lost"));
}

TEST_F(CollectTest, AManifestThatWasMovedAwayIsADifference) {
  sources_.running = false;
  for (const components::Component component : components::kComponents) {
    fake_.files.Write(components::ManifestPath(component), "apiVersion: v1\nkind: Pod\n", {});
  }
  for (const components::Component component :
       {components::Component::kScheduler, components::Component::kEtcd}) {
    fake_.files.Remove(components::ManifestPath(component));
  }
  AddStaticPods(sources_, gathered_);
  std::vector<std::string> missing;
  for (const Difference& difference : DriftOf(gathered_.components).differences) {
    if (difference.field == "manifest") {
      missing.push_back(difference.component);
      EXPECT_EQ(difference.should, json::Value("present"));
      EXPECT_EQ(difference.disk, std::nullopt);
      EXPECT_EQ(difference.outcome, Outcome::kBlocks);
      EXPECT_TRUE(IsEdit(difference));
    }
  }
  EXPECT_THAT(missing, UnorderedElementsAre("kube-scheduler", "etcd"));
}

TEST_F(CollectTest, ACopyOfAManifestIsADifference) {
  sources_.running = false;
  for (const components::Component component : components::kComponents) {
    fake_.files.Write(components::ManifestPath(component), "apiVersion: v1\nkind: Pod\n", {});
  }
  fake_.files.Write("/etc/kubernetes/manifests/old.yaml",
                    "kind: Pod\nmetadata: {name: kube-scheduler}\n", {});
  AddStaticPods(sources_, gathered_);
  const std::vector<Difference> differences = DriftOf(gathered_.components).differences;
  const auto stray = std::ranges::find(
      differences, "second manifest /etc/kubernetes/manifests/old.yaml", &Difference::field);
  ASSERT_NE(stray, differences.end());
  EXPECT_EQ(stray->component, "kube-scheduler");
  EXPECT_EQ(stray->outcome, Outcome::kBlocks);
  EXPECT_TRUE(IsEdit(*stray));
}

TEST_F(CollectTest, DoesNotReportKubeadmsOwnChanges) {
  ApplyAll();
  json::Value map = addons::KubeProxyConfigMap(gathered_.config);
  map["data"]["config.conf"] = "mode: of-an-older-release\n";
  server_.Put(kube::resources::kConfigMap, map);
  fetched_.stored.kube_proxy = {.text = "mode: of-an-older-release\n", .generated = true};
  Put("coredns", {{"Corefile", ""}});
  AddAddons(sources_, fetched_.stored, gathered_);
  EXPECT_THAT(Edits(), testing::Not(testing::Contains(HasSubstr("config.conf.mode"))));
}

TEST_F(CollectTest, NotesKubeletsOfOtherVersions) {
  PutNodes("v1.35.4");
  SetConfigz("worker", R"("maxPods": 110, "podPidsLimit": 5)");
  const Gathered others = CollectOthers(sources_, gathered_);
  EXPECT_THAT(others.notes, ElementsAre(HasSubstr("the kubelet of worker is v1.35.4")));
  EXPECT_THAT(DriftOf(others.components).differences, IsEmpty());
}

TEST_F(CollectTest, ComparesOtherKubeletsWithThisOne) {
  PutNodes("v1.36.3");
  SetConfigz("cp-one", R"("maxPods": 110, "podPidsLimit": -1, "providerID": "one")");
  SetConfigz("worker", R"("maxPods": 50, "podPidsLimit": 5, "providerID": "two")");
  AddKubelet(sources_, fetched_, gathered_);
  const Gathered others = CollectOthers(sources_, gathered_);
  EXPECT_THAT(others.notes, IsEmpty());
  const Drift drift = DriftOf(others.components);
  ASSERT_EQ(drift.differences.size(), 2U);
  EXPECT_EQ(drift.differences[0].node, "worker");
  EXPECT_EQ(drift.differences[0].field, "maxPods");
  EXPECT_EQ(drift.differences[0].outcome, Outcome::kUnknown);
  EXPECT_EQ(drift.differences[1].field, "podPidsLimit");
  EXPECT_EQ(drift.differences[1].should, json::Value(-1));
}

TEST_F(CollectTest, IgnoresPodsThatDoNotBelongToTheControlPlane) {
  PutNodes("v1.36.3");
  SetConfigz("worker", R"("maxPods": 110)");
  for (const components::Component component : components::kComponents) {
    server_.Put(kube::resources::kPod, objects::FakeMirrorPod(component, "worker", "x:v9.9.9"));
  }
  const Gathered others = CollectOthers(sources_, gathered_);
  EXPECT_THAT(others.notes, IsEmpty());
  ASSERT_EQ(others.components.size(), 1U);
  EXPECT_EQ(others.components[0].name, "kubelet");
}

// A mirror Pod may be missing for minutes after its static Pod was replaced. A control-plane node
// without any mirror Pod must be reported as unseen.
TEST_F(CollectTest, NamesAControlPlaneThatTheClusterDoesNotShow) {
  PutNodes("v1.36.3");
  SetConfigz("cp-two", R"("maxPods": 110)");
  SetConfigz("worker", R"("maxPods": 110)");
  json::Value node = objects::FakeControlPlaneNode("cp-two");
  node["status"]["nodeInfo"]["kubeletVersion"] = "v1.36.3";
  server_.Put(kube::resources::kNode, node);
  EXPECT_THAT(CollectOthers(sources_, gathered_).unseen,
              ElementsAre("the control plane of cp-two: the cluster shows none of its Pods"));
  server_.Put(kube::resources::kPod,
              objects::FakeMirrorPod(components::Component::kScheduler, "cp-two", "x:v9.9.9"));
  const Gathered others = CollectOthers(sources_, gathered_);
  EXPECT_THAT(others.unseen, IsEmpty());
  EXPECT_TRUE(std::ranges::contains(others.components, "kube-scheduler", &Component::name));
}

TEST_F(CollectTest, FindsAnEditElsewhereOfAFieldThatIsEditedHereToo) {
  PutNodes("v1.36.3");
  fake_.files.Write("/var/lib/kubelet/config.yaml",
                    std::string(kKubelet) + "podPidsLimit: 7\nsystemReserved: {memory: 1Gi}\n", {});
  SetConfigz("cp-one", R"("maxPods": 110, "podPidsLimit": 7, "systemReserved": {"memory": "1Gi"})");
  SetConfigz("worker", R"("maxPods": 110, "podPidsLimit": 5, "systemReserved": {"memory": "2Gi"})");
  AddKubelet(sources_, fetched_, gathered_);
  const Drift drift = DriftOf(CollectOthers(sources_, gathered_).components);
  ASSERT_EQ(drift.differences.size(), 2U);
  EXPECT_EQ(drift.differences[0].field, "podPidsLimit");
  EXPECT_EQ(drift.differences[0].should, json::Value(-1)) << "the kubelet's default";
  EXPECT_EQ(drift.differences[0].runs, json::Value(5));
  EXPECT_EQ(drift.differences[1].field, "systemReserved.memory");
  EXPECT_EQ(drift.differences[1].should, std::nullopt);
}

TEST_F(CollectTest, SeesAFieldThatOnlyAnotherKubeletHas) {
  PutNodes("v1.36.3");
  SetConfigz("worker", R"("maxPods": 110, "featureGates": {"NodeSwap": false})");
  AddKubelet(sources_, fetched_, gathered_);
  const Drift drift = DriftOf(CollectOthers(sources_, gathered_).components);
  ASSERT_EQ(drift.differences.size(), 1U);
  EXPECT_EQ(drift.differences[0].field, "featureGates.NodeSwap");
}

TEST_F(CollectTest, ReportsNoEditElsewhereForFieldsOfThisKubeletsArguments) {
  PutNodes("v1.36.3");
  fake_.files.Write("/var/lib/kubelet/kubeadm-flags.env",
                    "KUBELET_KUBEADM_ARGS=\"--pod-max-pids=9 --event-qps=1 --odd-setting=1\"\n",
                    {});
  SetConfigz("cp-one",
             R"("maxPods": 110, "podPidsLimit": 9, "eventRecordQPS": 1, "oddSetting": 1)");
  SetConfigz("worker",
             R"("maxPods": 110, "podPidsLimit": -1, "eventRecordQPS": 50, "oddSetting": 3)");
  AddKubelet(sources_, fetched_, gathered_);
  const Gathered others = CollectOthers(sources_, gathered_);
  EXPECT_THAT(DriftOf(others.components).differences, IsEmpty());
  EXPECT_THAT(others.unseen, ElementsAre(HasSubstr("other kubelets' oddSetting")));
}

}  // namespace
}  // namespace config_change
