// SPDX-License-Identifier: Apache-2.0
#include "config_change/settings.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "config_change/node_fields.h"
#include "host/fake_host.h"

namespace config_change {
namespace {

using testing::HasSubstr;
using testing::Not;

config::StoredConfig Stored() {
  return {
      .cluster = config::ClusterText("apiServer:\n  extraArgs:\n  - name: v\n    value: \"2\"\n"),
      .kubelet = config::StoredComponent{.text = "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                                 "kind: KubeletConfiguration\nmaxPods: 110\n",
                                         .generated = true}};
}

std::string Set(const std::vector<std::string>& words) {
  return ApplySettings(Stored(), words).cluster;
}

TEST(ApplySettings, ReachesArgumentsByTheirNames) {
  const std::string text = Set({"apiServer.extraArgs.v=4", "apiServer.extraArgs.a.b=x,y"});
  EXPECT_THAT(text, HasSubstr("- name: v\n    value: \"4\""));
  EXPECT_THAT(text, HasSubstr("- name: a.b\n    value: x,y"));
  EXPECT_THAT(text, Not(HasSubstr("\"2\"")));
  EXPECT_THAT(Set({"apiServer.extraArgs.v="}), Not(HasSubstr("name: v")));
  EXPECT_THAT(Set({"scheduler.extraArgs.v=1"}), HasSubstr("scheduler:\n  extraArgs:\n  - name: v"));
}

TEST(ApplySettings, ReadsValuesAsYaml) {
  EXPECT_THAT(Set({"apiServer.certSANs=[a.example.org, 10.0.0.9]"}),
              HasSubstr("certSANs:\n  - a.example.org\n  - 10.0.0.9"));
  EXPECT_THAT(Set({"imageRepository=reg.example.org"}),
              HasSubstr("imageRepository: reg.example.org"));
}

TEST(ApplySettings, ReachesOneKeyOfAMap) {
  const auto kubelet = [](const std::vector<std::string>& words) {
    return ApplySettings(Stored(), words).kubelet->text;
  };
  const std::string text = kubelet({"kubelet.featureGates.A=true", "kubelet.featureGates.B=false",
                                    "kubelet.evictionHard.memory.available=200Mi"});
  EXPECT_THAT(text, HasSubstr("featureGates:\n  A: true\n  B: false"));
  EXPECT_THAT(text, HasSubstr("evictionHard:\n  memory.available: 200Mi"));
  EXPECT_THAT(kubelet({"kubelet.featureGates.A=true", "kubelet.featureGates.A="}),
              Not(HasSubstr("A: true")));
  EXPECT_THAT(Set({"featureGates.RootlessControlPlane=true"}),
              HasSubstr("featureGates:\n  RootlessControlPlane: true"));
}

TEST(ApplySettings, IgnoresTheRemovalOfAMissingFieldAndRefusesAPathIntoAList) {
  EXPECT_THAT(Set({"controllerManager.extraVolumes="}), Not(HasSubstr("extraVolumes")));
  EXPECT_THAT(base::MessageOf(
                  [] { Set({"apiServer.certSANs=[a.example.org]", "apiServer.certSANs.x=1"}); }),
              testing::AnyOf(HasSubstr("no field"), HasSubstr("is not an object")));
}

TEST(ApplySettings, MakesAComponentsConfigurationTheUsersOwn) {
  const std::vector<std::string> words{"kubelet.maxPods=200"};
  const config::StoredConfig set = ApplySettings(Stored(), words);
  EXPECT_THAT(set.kubelet->text, HasSubstr("maxPods: 200"));
  EXPECT_FALSE(set.kubelet->generated);
}

TEST(ApplySettings, RefusesUnknownFieldsAndInvalidSettings) {
  EXPECT_THAT(base::MessageOf([] { Set({"apiServer.sans=x"}); }), HasSubstr("there is no field"));
  EXPECT_THAT(base::MessageOf([] { Set({"apiServer"}); }), HasSubstr("is not a setting"));
  for (const char* nothing : {"kubelet=5", "kubelet={}", "kubeProxy="}) {
    EXPECT_THAT(base::MessageOf([&] { Set({nothing}); }), HasSubstr("names no field")) << nothing;
  }
  EXPECT_THAT(base::MessageOf([] { Set({"kubeProxy.mode=nftables"}); }),
              HasSubstr("the cluster stores no"));
}

TEST(TakeFile, KeepsTheVersionThatTheClusterHas) {
  const config::StoredConfig taken =
      TakeFile(Stored(), {.text = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                                  "clusterName: other\n",
                          .name = "f"});
  EXPECT_THAT(taken.cluster, HasSubstr("kubernetesVersion: v1.36.3"));
  EXPECT_THAT(taken.cluster, HasSubstr("clusterName: other"));
  EXPECT_THAT(taken.cluster, Not(HasSubstr("extraArgs")));
  EXPECT_TRUE(taken.kubelet->generated);
  EXPECT_THAT(
      base::MessageOf([] { TakeFile(Stored(), {.text = config::InitText(), .name = "f"}); }),
      HasSubstr("f has neither"));
}

TEST(TakeFile, QueriesNoServerForAMissingVersion) {
  host::FakeHost fake;
  fake.network.default_routes.clear();
  fake.files.Write("/f", "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n", {});
  testing::internal::CaptureStderr();
  TakeFile(Stored(), fake.host, "/f");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), Not(HasSubstr("could not fetch")));
}

class NotTakenTest : public testing::Test {
 protected:
  std::vector<std::string> Lines(const std::string& more) {
    return NotTaken({.text = config::InitText(more) + "---\n" + config::ClusterText(), .name = "f"},
                    fake_.host);
  }

  host::FakeHost fake_;
};

TEST_F(NotTakenTest, OmitsSettingsThatTheNodeHas) {
  fake_.files.Write("/var/lib/kubelet/kubeadm-flags.env", "KUBELET_KUBEADM_ARGS=\"--v=4\"\n", {});
  fake_.files.Write("/var/lib/kubelet/instance-config.yaml",
                    "containerRuntimeEndpoint: \"unix:///run/containerd/containerd.sock\"\n", {});
  fake_.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml",
                    "metadata:\n  annotations:\n    "
                    "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: "
                    "10.0.0.1:6443\n",
                    {});
  EXPECT_THAT(Lines("localAPIEndpoint:\n  advertiseAddress: 10.0.0.1\n  bindPort: 6443\n"
                    "nodeRegistration:\n  criSocket: unix:///run/containerd/containerd.sock\n"
                    "  kubeletExtraArgs:\n  - name: v\n    value: \"4\"\n"),
              testing::IsEmpty());
}

TEST_F(NotTakenTest, NamesTheWayToChangeEachDifferingField) {
  EXPECT_THAT(Lines("localAPIEndpoint:\n  advertiseAddress: 10.0.0.2\n"
                    "nodeRegistration:\n  criSocket: unix:///x\n"
                    "  taints:\n  - key: a\n    effect: NoSchedule\n"
                    "  kubeletExtraArgs:\n  - name: v\n    value: \"5\"\n"
                    "skipPhases: [preflight]\n"),
              testing::ElementsAre(
                  HasSubstr("localAPIEndpoint.advertiseAddress is not taken: 'kubeadm node"),
                  HasSubstr("nodeRegistration.criSocket is not taken: the kubelet"),
                  HasSubstr("nodeRegistration.taints is not taken: 'kubectl taint node'"),
                  HasSubstr("nodeRegistration.kubeletExtraArgs"),
                  HasSubstr("skipPhases is not taken: of the run")));
}

TEST_F(NotTakenTest, NamesConfigurationKindsThatAreNotTaken) {
  EXPECT_THAT(NotTaken({.text = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ResetConfiguration\n",
                        .name = "f"},
                       fake_.host),
              testing::ElementsAre("ResetConfiguration is not taken: it is about one run"));
}

// The table must have a row for every field of an InitConfiguration.
TEST(NodeFields, CoverAnInitConfiguration) {
  const auto has = [](const std::string& path) {
    return std::ranges::any_of(NodeFields(), [&](const NodeField& row) {
      return row.path == path || row.path.starts_with(path + ".");
    });
  };
  for (const json::Field& field : config::InitConfiguration::Fields()) {
    EXPECT_TRUE(has(std::string(field.name))) << field.name;
  }
  for (const json::Field& field : config::NodeRegistration::Fields()) {
    EXPECT_TRUE(has("nodeRegistration." + std::string(field.name))) << field.name;
  }
}

}  // namespace
}  // namespace config_change
