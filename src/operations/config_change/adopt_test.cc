// SPDX-License-Identifier: Apache-2.0
#include "config_change/adopt.h"

#include <gmock/gmock.h>

#include <random>

#include "addons/coredns.h"
#include "base/strings.h"
#include "config/fake_facts.h"
#include "config/load.h"
#include "config/marshal.h"
#include "patch/patch.h"
#include "static_pods/create.h"
#include "static_pods/static_pod.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using components::Component;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class AdoptTest : public testing::Test {
 protected:
  AdoptTest() {
    config_ = config::LoadInit(
        {.text = config::InitText("localAPIEndpoint:\n  advertiseAddress: 10.20.30.40\n"
                                  "nodeRegistration:\n  name: cp-one\n"
                                  "  criSocket: unix:///run/containerd/containerd.sock\n") +
                 "---\n" + config::ClusterText()},
        config::FakeFacts());
  }

  // Returns the component as the next upgrade would render it, with the configuration and patches
  // of `adoption`.
  json::Value Rendered(Component component, const Adoption* adoption = nullptr) {
    config::Init config = config_;
    node_input::PatchSet patches;
    if (adoption != nullptr) {
      config.cluster = adoption->cluster;
      for (const NewPatch& patch : adoption->patches) {
        patches.patches.push_back({.target = patch.target,
                                   .type = node_input::PatchType::kStrategic,
                                   .document = patch.document});
      }
    }
    return static_pods::Normalized(
        static_pods::FinishPod(component, static_pods::StaticPod(component, config, {}),
                               {.patches = &patches})
            .value);
  }

  config_change::Component Edited(Component component, const char* operations) {
    const json::Value should = Rendered(component);
    return {
        .name = std::string(components::Name(component)),
        .node = "cp-one",
        .place = "p",
        .should = should,
        .disk = static_pods::Normalized(patch::ApplyJsonPatch(should, json::Parse(operations)))};
  }

  // Returns the remaining edits after the adoption.
  std::vector<Difference> Left(Component component, const char* operations) {
    config_change::Component edited = Edited(component, operations);
    const Adoption adoption = Adopt(std::span(&edited, 1), config_.cluster);
    edited.should = Rendered(component, &adoption);
    return Compare(edited);
  }

  config::Init config_;
};

TEST_F(AdoptTest, KeepsEditsInTheClusterConfiguration) {
  constexpr const char* kEdits =
      R"([{"op":"add","path":"/spec/containers/0/command/-","value":"--audit-log-path=/a"},
          {"op":"add","path":"/spec/containers/0/env","value":[{"name":"GOGC","value":"50"}]},
          {"op":"add","path":"/spec/volumes/-",
           "value":{"name":"audit","hostPath":{"path":"/var/log/audit","type":"Directory"}}},
          {"op":"add","path":"/spec/containers/0/volumeMounts/-",
           "value":{"name":"audit","mountPath":"/a","readOnly":true}}])";
  config_change::Component edited = Edited(Component::kApiServer, kEdits);
  const Adoption adoption = Adopt(std::span(&edited, 1), config_.cluster);
  EXPECT_TRUE(adoption.changes_cluster);
  EXPECT_THAT(adoption.patches, IsEmpty());
  EXPECT_THAT(adoption.kept, SizeIs(4));
  const config::ControlPlaneComponent& server = adoption.cluster.api_server.component;
  EXPECT_EQ(config::FindArg(server.extra_args, "audit-log-path"), "/a");
  ASSERT_THAT(server.extra_volumes, SizeIs(1));
  EXPECT_TRUE(server.extra_volumes[0].read_only);
  EXPECT_THAT(Left(Component::kApiServer, kEdits), IsEmpty());
}

TEST_F(AdoptTest, KeepsOtherEditsAsPatches) {
  for (
      const char* edit :
      {R"([{"op":"add","path":"/spec/containers/0/resources/limits","value":{"memory":"2Gi"}}])",
       R"([{"op":"replace","path":"/spec/containers/0/livenessProbe/failureThreshold","value":20}])",
       R"([{"op":"add","path":"/metadata/labels/team","value":"a"}])",
       R"([{"op":"add","path":"/spec/hostAliases",
             "value":[{"ip":"10.0.0.9","hostnames":["idp"]}]}])",
       R"([{"op":"add","path":"/spec/containers/-","value":{"name":"kms","image":"kms:1"}}])",
       R"([{"op":"add","path":"/spec/volumes/-","value":{"name":"t","emptyDir":{}}},
            {"op":"add","path":"/spec/containers/0/volumeMounts/-",
             "value":{"name":"t","mountPath":"/tmp"}}])"}) {
    EXPECT_THAT(Left(Component::kScheduler, edit), IsEmpty()) << edit;
  }
}

std::vector<std::string> OddValues() {
  std::vector<std::string> values = {"?",          "? x",
                                     "a?b",        "\"",
                                     "a\"b",       "\"a\"",
                                     "a,b",        ",",
                                     ",a",         "a, \"b\" ?",
                                     "[a, b]",     "{a: b}",
                                     "#",          "a #b",
                                     "-",          "- x",
                                     "'",          "'a'",
                                     "a: b",       ":",
                                     "%",          "@",
                                     "`",          "&a",
                                     "*a",         "!a",
                                     "|",          ">",
                                     "~",          "",
                                     "null",       "yes",
                                     "0x1",        "1e3",
                                     "2001-01-01", " a ",
                                     "\t",         "a\nb",
                                     "a\\b",       "=",
                                     "a=b",        "é",
                                     "\x7f",       "$(A)",
                                     "$$",         "{\"a\": [1, \"?\"]}"};
  std::mt19937 random(7);
  const std::string alphabet = "?\",' ab:#-{}[]&=\\";
  for (int i = 0; i < 60; ++i) {
    std::string& value = values.emplace_back();
    for (unsigned length = 1 + random() % 150; length > 0; --length) {
      value += alphabet[random() % alphabet.size()];
    }
  }
  return values;
}

// Adopts edits with unusual characters, and passes each value through the formats of an upgrade:
// the ConfigMap's text, the patch's file and the manifest. No edit may remain afterwards.
TEST_F(AdoptTest, KeepsAValueWhateverItsCharacters) {
  const auto written = [](const json::Value& pod) {
    return static_pods::Normalized(yaml::Parse(static_pods::Text(pod)).value);
  };
  for (const std::string& value : OddValues()) {
    const json::Value edits = json::Value::array(
        {{{"op", "add"},
          {"path", "/spec/containers/0/command/-"},
          {"value", "--audit-policy-file=" + value}},
         {{"op", "add"},
          {"path", "/spec/containers/0/env"},
          {"value", json::Value::array({{{"name", "ODD"}, {"value", value}}})}},
         {{"op", "add"}, {"path", "/metadata/annotations/odd"}, {"value", value}},
         {{"op", "add"}, {"path", "/spec/containers/0/workingDir"}, {"value", "/" + value}},
         {{"op", "replace"},
          {"path", "/spec/containers/0/livenessProbe/httpGet/path"},
          {"value", "/livez?exclude=" + value}},
         {{"op", "add"},
          {"path", "/spec/containers/0/lifecycle"},
          {"value", {{"preStop", {{"exec", {{"command", {"sh", "-c", "x" + value}}}}}}}}},
         {{"op", "add"},
          {"path", "/spec/containers/-"},
          {"value", {{"name", "second"}, {"image", "i"}, {"args", {"--a", "x" + value}}}}},
         {{"op", "add"},
          {"path", "/spec/hostAliases"},
          {"value", json::Value::array({{{"ip", "10.0.0.9"}, {"hostnames", {"h" + value}}}})}},
         {{"op", "add"},
          {"path", "/spec/volumes/-"},
          {"value", {{"name", "odd"}, {"hostPath", {{"path", "/a" + value}}}}}},
         {{"op", "add"},
          {"path", "/spec/containers/0/volumeMounts/-"},
          {"value", {{"name", "odd"}, {"mountPath", "/a" + value}}}}});
    config_change::Component edited = Edited(Component::kApiServer, json::Compact(edits).c_str());
    edited.disk = written(*edited.disk);
    Adoption adoption = Adopt(std::span(&edited, 1), config_.cluster);
    EXPECT_THAT(adoption.left, IsEmpty()) << value;
    adoption.cluster = config::DecodeCluster(config::Marshal(adoption.cluster));
    for (NewPatch& patch : adoption.patches) {
      patch.document = yaml::Parse(yaml::Emit(patch.document)).value;
    }
    edited.should = written(Rendered(Component::kApiServer, &adoption));
    for (const Difference& left : Compare(edited)) {
      ADD_FAILURE() << base::Quoted(value) << ": " << left.field;
    }
  }
}

TEST_F(AdoptTest, KeepsEtcdsArgumentsExceptThePerNodeOnes) {
  EXPECT_THAT(Left(Component::kEtcd, R"([{"op":"add","path":"/spec/containers/0/command/-",
                                          "value":"--quota-backend-bytes=8589934592"}])"),
              IsEmpty());
  EXPECT_THAT(Left(Component::kEtcd, R"([{"op":"replace","path":"/spec/containers/0/command/1",
                                          "value":"--advertise-client-urls=https://x:2379"}])"),
              SizeIs(1));
}

// The cluster's configuration and the manifest have different values, because a user has edited
// kubeadm-config first, as upstream's documentation says. Adopt must keep the values of the
// configuration, unless `decide` returns kNode.
TEST_F(AdoptTest, KeepsTheClustersValuesUnlessTheNodesSideIsChosen) {
  config_.cluster.scheduler.extra_args = {{"v", "6"}, {"leader-elect", "false"}};
  config_.cluster.scheduler.extra_envs = {{{"name", "GOGC"}, {"value", "50"}}};
  config_.cluster.scheduler.extra_volumes = {
      {.name = "tz", .host_path = "/tz", .mount_path = "/tz"}};
  // The manifest has the values from before the edits of kubeadm-config, a changed `v` and a
  // manually added `profiling`.
  config_change::Component edited = Edited(Component::kScheduler,
                                           R"([{"op":"remove","path":"/spec/containers/0/env"},
          {"op":"replace","path":"/spec/containers/0/command",
           "value":["kube-scheduler","--v=4","--leader-elect=true","--profiling=false"]},
          {"op":"remove","path":"/spec/volumes/1"},
          {"op":"remove","path":"/spec/containers/0/volumeMounts/1"}])");
  edited.should = Rendered(Component::kScheduler);
  const auto fields = [](const Adoption& adoption) {
    std::vector<std::string> fields;
    for (const config_change::Left& left : adoption.left) {
      fields.push_back(left.difference.field);
    }
    return fields;
  };
  for (const Side side : {Side::kUnknown, Side::kCluster}) {
    const Adoption adoption =
        Adopt(std::span(&edited, 1), config_.cluster, [&](const Difference&) { return side; });
    EXPECT_THAT(fields(adoption), testing::IsSupersetOf({"--v", "--leader-elect", "env GOGC",
                                                         "volume tz", "mount /tz"}));
    const config::ControlPlaneComponent& scheduler = adoption.cluster.scheduler;
    EXPECT_EQ(config::FindArg(scheduler.extra_args, "v"), "6");
    EXPECT_EQ(config::FindArg(scheduler.extra_args, "profiling"), "false") << "of the node alone";
    EXPECT_THAT(scheduler.extra_envs, SizeIs(1));
    EXPECT_THAT(scheduler.extra_volumes, SizeIs(1));
    EXPECT_THAT(adoption.patches, IsEmpty());
  }
  const Adoption adoption =
      Adopt(std::span(&edited, 1), config_.cluster, [](const Difference&) { return Side::kNode; });
  EXPECT_EQ(config::FindArg(adoption.cluster.scheduler.extra_args, "v"), "4");
  EXPECT_THAT(adoption.cluster.scheduler.extra_envs, IsEmpty());
  EXPECT_THAT(adoption.cluster.scheduler.extra_volumes, IsEmpty());
}

TEST_F(AdoptTest, LeavesTheClustersKubeletSettingsOutOfAPatch) {
  config_change::Component kubelet{
      .name = "kubelet",
      .node = "cp-one",
      .place = "p",
      .kind = Kind::kSettings,
      .should = json::Value{{"maxPods", 200}, {"evictionHard", {{"memory.available", "1Gi"}}}},
      .disk = json::Value{{"maxPods", 110},
                          {"podPidsLimit", 9},
                          {"evictionHard", {{"memory.available", "100Mi"}}}},
      .chosen = true};
  const Adoption adoption = Adopt(std::span(&kubelet, 1), config_.cluster);
  ASSERT_THAT(adoption.patches, SizeIs(1));
  EXPECT_EQ(adoption.patches[0].document, (json::Value{{"podPidsLimit", 9}}));
  EXPECT_THAT(adoption.left, SizeIs(2));
  kubelet.chosen = false;
  EXPECT_THAT(Adopt(std::span(&kubelet, 1), config_.cluster).left, IsEmpty())
      << "the cluster stores defaults";
}

TEST_F(AdoptTest, ReportsEditsThatCannotBeKept) {
  config_change::Component edited =
      Edited(Component::kScheduler, R"([{"op":"remove","path":"/spec/containers/0/command/1"}])");
  const Adoption adoption = Adopt(std::span(&edited, 1), config_.cluster);
  EXPECT_FALSE(adoption.changes_cluster);
  ASSERT_THAT(adoption.left, SizeIs(1));
  EXPECT_EQ(adoption.left[0].why, "kubeadm always sets it: give it another value instead");
}

TEST_F(AdoptTest, DoesNotPinAComponentToTheVersionOfAnEditedImage) {
  config_change::Component edited = Edited(
      Component::kScheduler,
      R"([{"op":"replace","path":"/spec/containers/0/image","value":"mirror.local/kube-scheduler:v1"},
          {"op":"add","path":"/metadata/labels/team","value":"a"}])");
  const Adoption adoption = Adopt(std::span(&edited, 1), config_.cluster);
  ASSERT_THAT(adoption.left, SizeIs(1));
  EXPECT_THAT(adoption.left[0].why, testing::HasSubstr("--set imageRepository"));
  ASSERT_THAT(adoption.patches, SizeIs(1));
  EXPECT_THAT(adoption.patches[0].document.dump(),
              testing::Not(testing::HasSubstr("mirror.local")));
}

TEST_F(AdoptTest, LeavesReplicasOutOfAPatch) {
  config_change::Component dns{.name = "coredns",
                               .node = "",
                               .place = "p",
                               .kind = Kind::kDeployment,
                               .should = addons::CoreDnsDeployment(config_.cluster, 2),
                               .runs = addons::CoreDnsDeployment(config_.cluster, 5)};
  (*dns.runs)["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"] = "1Gi";
  const Adoption adoption = Adopt(std::span(&dns, 1), config_.cluster);
  ASSERT_THAT(adoption.kept, SizeIs(1));
  EXPECT_EQ(adoption.kept[0].field, "resources.limits.memory");
  EXPECT_FALSE(adoption.patches.at(0).document.at("spec").contains("replicas"));
}

TEST_F(AdoptTest, KeepsAWorkloadsOwnLabelsByPatch) {
  config_change::Component dns{.name = "coredns",
                               .node = "",
                               .place = "p",
                               .kind = Kind::kDeployment,
                               .should = addons::CoreDnsDeployment(config_.cluster, 2),
                               .runs = addons::CoreDnsDeployment(config_.cluster, 2)};
  (*dns.runs)["metadata"]["labels"]["team"] = "net";
  (*dns.runs)["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "3";
  const Adoption adoption = Adopt(std::span(&dns, 1), config_.cluster);
  ASSERT_THAT(adoption.patches, SizeIs(1));
  EXPECT_EQ(adoption.patches[0].document,
            (json::Value{{"metadata", {{"labels", {{"team", "net"}}}}}}));
}

TEST_F(AdoptTest, IgnoresAMissingManifest) {
  const config_change::Component scheduler{.name = "kube-scheduler",
                                           .node = "n",
                                           .place = "p",
                                           .should = json::Value(),
                                           .missing = true};
  const Adoption adoption = Adopt(std::span(&scheduler, 1), config_.cluster);
  EXPECT_THAT(adoption.patches, IsEmpty());
  EXPECT_THAT(adoption.left, IsEmpty());
}

TEST_F(AdoptTest, CannotKeepSettingsThatNoPatchCanChange) {
  const config_change::Component proxy{
      .name = "kube-proxy",
      .node = "",
      .place = "p",
      .kind = Kind::kValues,
      .should = json::Value{{"kubeconfig.conf", {{"server", "https://a"}}}},
      .runs = json::Value{{"kubeconfig.conf", {{"server", "https://b"}}}}};
  const Adoption adoption = Adopt(std::span(&proxy, 1), config_.cluster);
  EXPECT_THAT(adoption.patches, IsEmpty());
  ASSERT_THAT(adoption.left, SizeIs(1));
  EXPECT_EQ(adoption.left[0].why, "kubeadm sets it, and no patch can change it");
}

TEST_F(AdoptTest, KeepsAKubeletsSettings) {
  const json::Value should = {{"kind", "KubeletConfiguration"}, {"maxPods", 110}};
  json::Value disk = should;
  disk["maxPods"] = 250;
  const config_change::Component kubelet{.name = "kubelet",
                                         .node = "n",
                                         .place = "p",
                                         .kind = Kind::kSettings,
                                         .should = should,
                                         .disk = disk};
  const Adoption adoption = Adopt(std::span(&kubelet, 1), config_.cluster);
  ASSERT_THAT(adoption.patches, SizeIs(1));
  EXPECT_EQ(adoption.patches[0].target, "kubeletconfiguration");
  EXPECT_EQ(adoption.patches[0].document, (json::Value{{"maxPods", 250}}));
}

TEST(PatchFileName, UsesTheNextFreeNumber) {
  const NewPatch patch{.target = "etcd", .document = {}};
  EXPECT_EQ(PatchFileName(patch, {}), "etcd-adopted001+strategic.yaml");
  const std::vector<std::string> existing{"etcd-adopted001+strategic.yaml"};
  EXPECT_EQ(PatchFileName(patch, existing), "etcd-adopted002+strategic.yaml");
}

}  // namespace
}  // namespace config_change
