// SPDX-License-Identifier: Apache-2.0
#include "config_change/compare.h"

#include <gmock/gmock.h>

#include "addons/coredns.h"
#include "addons/corefile.h"
#include "addons/kube_proxy.h"
#include "base/strings.h"
#include "config/fake_facts.h"
#include "config/load.h"
#include "config_change/drift.h"
#include "config_change/fields.h"
#include "patch/patch.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using components::Component;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

config::Init Configured() {
  return config::LoadInit(
      {.text = config::InitText("localAPIEndpoint:\n  advertiseAddress: 10.20.30.40\n"
                                "nodeRegistration:\n  name: cp-one\n"
                                "  criSocket: unix:///run/containerd/containerd.sock\n") +
               "---\n" + config::ClusterText("networking:\n  podSubnet: 10.244.0.0/16\n")},
      config::FakeFacts());
}

json::Value Pod(Component component) {
  return static_pods::Normalized(static_pods::StaticPod(component, Configured(), {}));
}

// Returns the kubelet's configuration, which is both the stored one and the node's file.
json::Value Kubelet() {
  return yaml::Parse(R"(apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
clusterDNS: [10.96.0.10]
fileCheckFrequency: 0s
logging: {flushFrequency: 0, verbosity: 0}
rotateCertificates: true
)")
      .value;
}

// An edit of an object, as a JSON patch, and the field that must be named.
struct Edit {
  const char* what;
  const char* operations;
  const char* field;
};

config_change::Component Edited(const json::Value& should, Kind kind, const Edit& edit) {
  return {.name = "x",
          .node = "n",
          .place = "p",
          .kind = kind,
          .should = should,
          .disk = patch::ApplyJsonPatch(should, json::Parse(edit.operations))};
}

void ExpectFound(const json::Value& should, Kind kind, const Edit& edit) {
  const std::vector<Difference> found = Compare(Edited(should, kind, edit));
  ASSERT_THAT(found, SizeIs(1)) << edit.what;
  EXPECT_EQ(found[0].field, edit.field) << edit.what;
  EXPECT_EQ(found[0].outcome, Outcome::kLost) << edit.what;
  EXPECT_TRUE(IsEdit(found[0])) << edit.what;
}

constexpr Edit kPodEdits[] = {
    {"a flag more", R"([{"op":"add","path":"/spec/containers/0/command/-","value":"--v=4"}])",
     "--v"},
    {"a flag of two words",
     R"([{"op":"add","path":"/spec/containers/0/command/-","value":"--audit-log-path"},
         {"op":"add","path":"/spec/containers/0/command/-","value":"/var/log/audit.log"}])",
     "--audit-log-path"},
    {"a switch", R"([{"op":"add","path":"/spec/containers/0/command/-","value":"--profiling"}])",
     "--profiling"},
    {"a flag by args",
     R"([{"op":"add","path":"/spec/containers/0/args","value":["--max-requests-inflight=9"]}])",
     "--max-requests-inflight"},
    {"another value", R"([{"op":"replace","path":"/spec/containers/0/command/1",
                           "value":"--advertise-address=10.9.9.9"}])",
     "--advertise-address"},
    {"a flag less", R"([{"op":"remove","path":"/spec/containers/0/command/1"}])",
     "--advertise-address"},
    {"a flag twice", R"([{"op":"add","path":"/spec/containers/0/command/-",
                          "value":"--allow-privileged=false"}])",
     "--allow-privileged"},
    {"another program",
     R"([{"op":"replace","path":"/spec/containers/0/command/0","value":"/opt/apiserver"}])",
     "program"},
    {"an image", R"([{"op":"replace","path":"/spec/containers/0/image","value":"my/api:v1.36.3"}])",
     "image"},
    {"an image's tag", R"([{"op":"replace","path":"/spec/containers/0/image",
                            "value":"registry.k8s.io/kube-apiserver:v1.36.9"}])",
     "image"},
    {"a pull policy",
     R"([{"op":"add","path":"/spec/containers/0/imagePullPolicy","value":"Always"}])",
     "imagePullPolicy"},
    {"a variable",
     R"([{"op":"add","path":"/spec/containers/0/env","value":[{"name":"GOGC","value":"50"}]}])",
     "env GOGC"},
    {"a variable by reference",
     R"([{"op":"add","path":"/spec/containers/0/env",
          "value":[{"name":"POD","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}])",
     "env POD"},
    {"a volume", R"([{"op":"add","path":"/spec/volumes/-",
                      "value":{"name":"audit","hostPath":{"path":"/var/log/audit"}}}])",
     "volume audit"},
    {"another source", R"([{"op":"replace","path":"/spec/volumes/0/hostPath/path","value":"/x"}])",
     "volume ca-certs"},
    {"a mount", R"([{"op":"add","path":"/spec/containers/0/volumeMounts/-",
                     "value":{"name":"k8s-certs","mountPath":"/certs"}}])",
     "mount /certs"},
    {"a mount that may be written to",
     R"([{"op":"remove","path":"/spec/containers/0/volumeMounts/0/readOnly"}])",
     "mount /etc/ssl/certs"},
    {"a request", R"([{"op":"replace","path":"/spec/containers/0/resources/requests/cpu",
                       "value":"1"}])",
     "resources.requests.cpu"},
    {"a limit", R"([{"op":"add","path":"/spec/containers/0/resources/limits",
                     "value":{"memory":"2Gi"}}])",
     "resources.limits.memory"},
    {"a probe's patience",
     R"([{"op":"replace","path":"/spec/containers/0/livenessProbe/failureThreshold","value":20}])",
     "livenessProbe.failureThreshold"},
    {"a probe's host",
     R"([{"op":"replace","path":"/spec/containers/0/livenessProbe/httpGet/host","value":"::1"}])",
     "livenessProbe.httpGet.host"},
    {"a port", R"([{"op":"add","path":"/spec/containers/0/ports/-",
                    "value":{"name":"https","containerPort":6443}}])",
     "port https"},
    {"a label", R"([{"op":"add","path":"/metadata/labels/team","value":"a"}])", "label team"},
    {"an annotation", R"([{"op":"add","path":"/metadata/annotations/example.org~1x","value":"y"}])",
     "annotation example.org/x"},
    {"a second container", R"([{"op":"add","path":"/spec/containers/-",
                                "value":{"name":"kms","image":"kms:1"}}])",
     "container kms"},
    {"a container that comes first",
     R"([{"op":"add","path":"/spec/initContainers","value":[{"name":"wait","image":"w:1"}]}])",
     "initContainer wait"},
    {"a profile",
     R"([{"op":"replace","path":"/spec/securityContext/seccompProfile/type",
          "value":"Unconfined"}])",
     "spec.securityContext.seccompProfile.type"},
    {"a network of its own", R"([{"op":"remove","path":"/spec/hostNetwork"}])", "spec.hostNetwork"},
    {"a DNS policy", R"([{"op":"add","path":"/spec/dnsPolicy","value":"ClusterFirstWithHostNet"}])",
     "spec.dnsPolicy"},
    {"aliases", R"([{"op":"add","path":"/spec/hostAliases",
                     "value":[{"ip":"10.0.0.9","hostnames":["idp"]}]}])",
     "spec.hostAliases"},
    {"a priority", R"([{"op":"replace","path":"/spec/priorityClassName","value":"high"}])",
     "spec.priorityClassName"},
};

TEST(Compare, FindsEditsOfAStaticPod) {
  for (const Edit& edit : kPodEdits) {
    ExpectFound(Pod(Component::kApiServer), Kind::kStaticPod, edit);
  }
}

TEST(Compare, FindsEditsOfTheKubeletsFile) {
  for (const Edit& edit : std::initializer_list<Edit>{
           {"a setting", R"([{"op":"add","path":"/maxPods","value":250}])", "maxPods"},
           {"a list", R"([{"op":"replace","path":"/clusterDNS/0","value":"10.0.0.10"}])",
            "clusterDNS"},
           {"deep", R"([{"op":"add","path":"/evictionHard","value":{"memory.available":"1Gi"}}])",
            "evictionHard.memory.available"},
           {"a gate", R"([{"op":"add","path":"/featureGates","value":{"Some":false}}])",
            "featureGates.Some"},
           {"off", R"([{"op":"replace","path":"/rotateCertificates","value":false}])",
            "rotateCertificates"}}) {
    ExpectFound(Kubelet(), Kind::kSettings, edit);
  }
}

TEST(Compare, FindsEditsOfAnObjectOfTheCluster) {
  const json::Value dns = addons::CoreDnsDeployment(Configured().cluster, 2);
  for (const Edit& edit : std::initializer_list<Edit>{
           {"memory",
            R"([{"op":"replace","path":"/spec/template/spec/containers/0/resources/limits/memory",
                 "value":"512Mi"}])",
            "resources.limits.memory"},
           {"a selector",
            R"([{"op":"add","path":"/spec/template/spec/nodeSelector/role","value":"infra"}])",
            "spec.nodeSelector.role"}}) {
    config_change::Component dns_component = Edited(dns, Kind::kDeployment, edit);
    dns_component.runs = std::move(dns_component.disk);
    dns_component.disk.reset();
    const std::vector<Difference> found = Compare(dns_component);
    ASSERT_THAT(found, SizeIs(1)) << edit.what;
    EXPECT_EQ(found[0].field, edit.field);
    EXPECT_EQ(found[0].outcome, Outcome::kLost);
  }
}

// Writes defaults out, and changes the order of arguments and volumes. Compare must find no
// difference.
TEST(Compare, IgnoresDefaultsAndOrder) {
  constexpr const char* kWrittenOut[] = {
      R"([{"op":"add","path":"/spec/restartPolicy","value":"Always"},
          {"op":"add","path":"/spec/dnsPolicy","value":"ClusterFirst"},
          {"op":"add","path":"/spec/terminationGracePeriodSeconds","value":30}])",
      R"([{"op":"remove","path":"/spec/containers/0/imagePullPolicy"}])",
      R"([{"op":"add","path":"/spec/containers/0/livenessProbe/successThreshold","value":1}])",
      R"([{"op":"move","from":"/spec/containers/0/command/3","path":"/spec/containers/0/command/1"}])",
      R"([{"op":"move","from":"/spec/volumes/1","path":"/spec/volumes/0"}])"};
  for (const char* operations : kWrittenOut) {
    const config_change::Component same =
        Edited(Pod(Component::kApiServer), Kind::kStaticPod, {"", operations, ""});
    EXPECT_THAT(Compare(same), IsEmpty()) << operations;
  }
}

TEST(Compare, RecognizesValuesThatDependOnTheRun) {
  constexpr Edit kOfTheRun[] = {
      {"", R"([{"op":"add","path":"/spec/containers/0/env",
                "value":[{"name":"HTTPS_PROXY","value":"http://p"}]}])",
       "env HTTPS_PROXY"},
      {"", R"([{"op":"replace","path":"/spec/containers/0/startupProbe/failureThreshold",
                "value":30}])",
       "startupProbe.failureThreshold"},
      {"", R"([{"op":"add","path":"/spec/volumes/-","value":{"name":"etc-ca-certificates",
                "hostPath":{"path":"/etc/ca-certificates","type":"DirectoryOrCreate"}}}])",
       "volume etc-ca-certificates"}};
  for (const Edit& edit : kOfTheRun) {
    const auto found = Compare(Edited(Pod(Component::kApiServer), Kind::kStaticPod, edit));
    ASSERT_THAT(found, SizeIs(1)) << edit.field;
    EXPECT_EQ(found[0].field, edit.field);
    EXPECT_FALSE(IsEdit(found[0])) << edit.field;
  }
}

// A node has the signing certificate of `kubeadm certs rotate-ca`, and CoreDNS has the annotation
// of a rotation. Compare must report both differences, but not as edits.
TEST(Compare, FilesOfARotationAreNotEdits) {
  const json::Value rotates = static_pods::Normalized(
      static_pods::StaticPod(Component::kControllerManager, Configured(), {.rotates_ca = true}));
  const auto only = [](const config_change::Component& component) {
    const std::vector<Difference> found = Compare(component);
    EXPECT_THAT(found, SizeIs(1));
    EXPECT_FALSE(IsEdit(found.at(0))) << found[0].field;
    return found[0].field;
  };
  const config_change::Component manager{.name = "kube-controller-manager",
                                         .kind = Kind::kStaticPod,
                                         .should = Pod(Component::kControllerManager),
                                         .disk = rotates};
  EXPECT_EQ(only(manager), "--cluster-signing-cert-file");
  const json::Value dns = addons::CoreDnsDeployment(Configured().cluster, 2);
  EXPECT_EQ(only(Edited(dns, Kind::kDeployment,
                        {"", R"([{"op":"add","path":"/spec/template/metadata/annotations",
                                  "value":{"rotate-ca.kubeadm.slipway/trusts":"sha256:1"}}])",
                         ""})),
            "annotation rotate-ca.kubeadm.slipway/trusts");
}

TEST(Compare, LetsAReleaseChooseEtcdsTag) {
  config_change::Component etcd = Edited(Pod(Component::kEtcd), Kind::kStaticPod,
                                         {"", R"([{"op":"replace","path":"/spec/containers/0/image",
                "value":"registry.k8s.io/etcd:3.6.1-0"}])",
                                          "image"});
  etcd.name = "etcd";
  ASSERT_THAT(Compare(etcd), SizeIs(1));
  EXPECT_FALSE(IsEdit(Compare(etcd)[0]));
  (*etcd.disk)["spec"]["containers"][0]["image"] = "example.org/etcd:3.6.1-0";
  EXPECT_TRUE(IsEdit(Compare(etcd)[0]));
}

config_change::Component Running(const json::Value& runs, Seen seen) {
  const json::Value pod = Pod(Component::kScheduler);
  return {.name = "kube-scheduler",
          .node = "n",
          .place = "p",
          .kind = Kind::kStaticPod,
          .should = pod,
          .disk = pod,
          .runs = runs,
          .seen = seen};
}

TEST(Compare, ReportsValuesThatWaitForARestart) {
  json::Value runs = Pod(Component::kScheduler);
  runs["spec"]["containers"][0]["command"].push_back("--v=9");
  runs["spec"]["containers"][0].erase("image");  // unknown for a process
  const auto found = Compare(Running(runs, Seen::kArguments));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].field, "--v");
  EXPECT_EQ(found[0].outcome, Outcome::kWaits);
  EXPECT_EQ(found[0].disk, std::nullopt);
  EXPECT_EQ(found[0].runs, json::Value("9"));
}

TEST(Compare, IgnoresAdditionsOfTheApiToAMirrorPod) {
  json::Value runs = Pod(Component::kScheduler);
  runs["metadata"]["annotations"]["kubernetes.io/config.hash"] = "x";
  runs["spec"]["tolerations"] = json::Value::array({{{"operator", "Exists"}}});
  runs["spec"]["nodeName"] = "n";
  EXPECT_THAT(Compare(Running(runs, Seen::kMirror)), IsEmpty());
}

TEST(Compare, ComparesOnlyFieldsThatTheKubeletWasGiven) {
  json::Value runs = Kubelet();
  runs["maxPods"] = 110;
  runs["fileCheckFrequency"] = "20s";
  runs["logging"]["verbosity"] = 2;
  config_change::Component kubelet{.name = "kubelet",
                                   .node = "n",
                                   .place = "p",
                                   .kind = Kind::kSettings,
                                   .should = Kubelet(),
                                   .disk = Kubelet(),
                                   .runs = runs,
                                   .seen = Seen::kSettings};
  EXPECT_THAT(Compare(kubelet), IsEmpty());
  (*kubelet.runs)["rotateCertificates"] = false;
  ASSERT_THAT(Compare(kubelet), SizeIs(1));
  EXPECT_EQ(Compare(kubelet)[0].outcome, Outcome::kWaits);
}

json::Value Arguments(const std::vector<std::string>& words) { return {{"args", words}}; }

config_change::Component KubeletsArguments(const std::vector<std::string>& disk,
                                           const std::vector<std::string>& runs) {
  return {.name = "kubelet",
          .node = "n",
          .place = "p",
          .kind = Kind::kArguments,
          .should = Arguments({"--hostname-override=n"}),
          .disk = Arguments(disk),
          .runs = Arguments(runs),
          .at_upgrade = AtUpgrade::kLeft};
}

TEST(Compare, MarksArgumentsOfTheKubeletAsKeptByUpgrades) {
  const std::vector<std::string> own = {"--hostname-override=n"};
  std::vector<std::string> more = own;
  more.insert(more.end(), {"--config=/var/lib/kubelet/config.yaml", "--v=4"});
  EXPECT_THAT(Compare(KubeletsArguments(own, own)), IsEmpty());
  const auto kept = Compare(KubeletsArguments(more, more));
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(kept[0].field, "--v");
  EXPECT_EQ(kept[0].outcome, Outcome::kKept);
  EXPECT_FALSE(IsEdit(kept[0]));
  EXPECT_EQ(Compare(KubeletsArguments(more, own)).at(0).outcome, Outcome::kWaits);
  EXPECT_EQ(Compare(KubeletsArguments(own, more)).at(0).outcome, Outcome::kKept)
      << "of its service";
  const auto pause =
      Compare(KubeletsArguments({own[0], "--pod-infra-container-image=pause:3.10"}, own));
  ASSERT_THAT(pause, SizeIs(1));
  EXPECT_EQ(pause[0].origin, Origin::kRun);
}

TEST(Compare, ReadsACorefileByItsPlugins) {
  const std::string text = addons::DefaultCorefile("cluster.local");
  config_change::Component dns{
      .name = "coredns",
      .node = "",
      .place = "p",
      .kind = Kind::kCorefile,
      .should = json::Value{{"Corefile", text}},
      .runs = json::Value{{"Corefile", base::ReplaceAll(text, "cache 30", "cache 60")}},
      .at_upgrade = AtUpgrade::kLeft};
  const auto found = Compare(dns);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].field, ".:53 cache");
  EXPECT_THAT(found[0].runs->get<std::string>(), StartsWith("60"));
  EXPECT_EQ(found[0].outcome, Outcome::kKept);
  dns.runs = json::Value{{"Corefile", "}"}};
  EXPECT_THAT(Compare(dns), Contains(testing::Field(&Difference::field, "Corefile")));
}

TEST(Compare, IgnoresTheNumberOfReplicas) {
  const auto dns = [](int replicas) {
    return addons::CoreDnsDeployment(Configured().cluster, replicas);
  };
  const auto found = Compare({.name = "coredns",
                              .node = "",
                              .place = "p",
                              .kind = Kind::kDeployment,
                              .should = dns(2),
                              .runs = dns(5)});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].field, "spec.replicas");
  EXPECT_EQ(found[0].outcome, Outcome::kKept);
}

// Sets maxSurge to 25 %, the default of a Deployment, and to 0, the default of a DaemonSet. Compare
// must accept only the default of the object's kind.
TEST(Compare, AppliesTheRolloutDefaultsOfTheKind) {
  const auto fields = [](Kind kind, const json::Value& should, const char* holder,
                         const json::Value& surge) {
    config_change::Component workload{
        .name = "c", .node = "", .place = "p", .kind = kind, .should = should, .runs = should};
    (*workload.runs)["spec"][holder]["rollingUpdate"]["maxSurge"] = surge;
    return Compare(workload).size();
  };
  const json::Value dns = addons::CoreDnsDeployment(Configured().cluster, 2);
  EXPECT_EQ(fields(Kind::kDeployment, dns, "strategy", "25%"), 0U);
  EXPECT_EQ(fields(Kind::kDeployment, dns, "strategy", 0), 1U);
  const json::Value proxy = addons::KubeProxyDaemonSet(Configured().cluster, {});
  EXPECT_EQ(fields(Kind::kDaemonSet, proxy, "updateStrategy", 0), 0U);
  EXPECT_EQ(fields(Kind::kDaemonSet, proxy, "updateStrategy", "25%"), 1U);
}

TEST(Compare, DoesNotKnowThePatchesOfOtherNodes) {
  json::Value runs = Pod(Component::kScheduler);
  runs["spec"]["containers"][0]["command"].push_back("--v=9");
  config_change::Component other = Running(runs, Seen::kMirror);
  other.disk.reset();
  other.patches_known = false;
  ASSERT_THAT(Compare(other), SizeIs(1));
  EXPECT_EQ(Compare(other)[0].outcome, Outcome::kUnknown);
  EXPECT_TRUE(IsEdit(Compare(other)[0]));
}

TEST(Drift, ShowsTheValueOfEachSide) {
  const Drift drift = DriftOf({Edited(Pod(Component::kApiServer), Kind::kStaticPod, kPodEdits[0])});
  EXPECT_TRUE(HasEdits(drift));
  EXPECT_EQ(Line(drift.differences.at(0)), "x of n: --v: \"4\", should be (not set)");
  EXPECT_THAT(TextOf(drift), HasSubstr("x of n: --v\n  should be: (not set)\n  on disk:   \"4\"\n  "
                                       "lost: the next upgrade writes the wanted value\n"));
  EXPECT_THAT(json::Compact(ObjectOf(drift)),
              HasSubstr(R"("field":"--v","should":null,"disk":"4")"));
}

TEST(Drift, DoesNotCountChangesThatUpgradesKeep) {
  const Drift drift = DriftOf(
      {KubeletsArguments({"--hostname-override=n", "--v=4"}, {"--hostname-override=n", "--v=4"})});
  EXPECT_FALSE(HasEdits(drift));
  EXPECT_THAT(TextOf(drift), StartsWith("The next upgrade keeps every manual change"));
  EXPECT_THAT(TextOf(drift), HasSubstr("  kept: upgrades leave it alone\n"));
  EXPECT_THAT(json::Compact(ObjectOf(drift)), HasSubstr(R"("nextUpgrade":"kept","edit":true)"));
}

TEST(Drift, IsEmptyWithoutADifference) {
  const json::Value pod = Pod(Component::kEtcd);
  const Drift drift = DriftOf({{.name = "etcd",
                                .node = "n",
                                .place = "p",
                                .should = pod,
                                .disk = pod,
                                .runs = std::nullopt}});
  EXPECT_FALSE(HasEdits(drift));
  EXPECT_THAT(TextOf(drift), HasSubstr("No manual changes"));
  EXPECT_THAT(drift.looked_at, ElementsAre("etcd of n"));
}

TEST(Fields, AddonsHaveTheFieldNamesOfUsers) {
  const Fields fields = WorkloadFields(addons::KubeProxyDaemonSet(Configured().cluster, {}));
  EXPECT_EQ(fields.at("--config"), "/var/lib/kube-proxy/config.conf");
  EXPECT_TRUE(fields.contains("volume kube-proxy"));
  EXPECT_TRUE(fields.contains("securityContext.privileged"));
}

}  // namespace
}  // namespace config_change
