// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/patched.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"
#include "upgrade_path/findings.h"

namespace upgrade_path {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CollectPatchedTest : public testing::Test {
 protected:
  CollectPatchedTest() {
    config_.init.node_registration.name = "cp-one";
    config_.init.local_api_endpoint = {.advertise_address = "10.20.30.40", .bind_port = 6443};
    config_.cluster.kubernetes_version = "v1.37.2";
    config_.cluster.image_repository = "registry.k8s.io";
    config_.cluster.certificates_dir = "/etc/kubernetes/pki";
    config_.cluster.etcd.local.emplace().data_dir = "/var/lib/etcd";
  }

  void Patch(const std::string& name, const std::string& text) {
    fake_.files.Write(directory_ / name, text, {});
  }
  // Returns the sentences of the findings about an upgrade to v1.38.0.
  std::vector<std::string> Check() {
    std::vector<std::string> sentences;
    for (const checks::Finding& finding : CheckSettings(
             {.host = fake_.host, .config = config_, .wanted = wanted_, .patches = directory_})) {
      sentences.push_back(finding.what);
    }
    return sentences;
  }

  host::FakeHost fake_;
  config::Init config_;
  const base::Version wanted_ = base::Version::Parse("v1.38.0").value();
  host::fs::path directory_ = "/root/patches";
};

TEST_F(CollectPatchedTest, FindsGodebugThatOnlyAPatchSets) {
  Patch("kube-scheduler0+strategic.yaml",
        "spec:\n  containers:\n  - name: kube-scheduler\n    env:\n"
        "    - name: GODEBUG\n      value: tls3des=1,http2debug=1\n");
  EXPECT_THAT(Check(),
              ElementsAre("a patch of kube-scheduler has GODEBUG tls3des=1, with which programs of "
                          "v1.38 do not start (their Go has no such setting any more). Take it out "
                          "of /root/patches"));
  directory_.clear();
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(CollectPatchedTest, FindsGodebugOfTheAddons) {
  constexpr const char* kEnv =
      "spec:\n  template:\n    spec:\n      containers:\n      - name: {}\n        env:\n"
      "        - name: GODEBUG\n          value: tls3des=1\n";
  Patch("corednsdeployment.yaml", fmt::format(fmt::runtime(kEnv), "coredns"));
  Patch("kubeproxydaemonset+strategic.yaml", fmt::format(fmt::runtime(kEnv), "kube-proxy"));
  EXPECT_THAT(Check(),
              ElementsAre(HasSubstr("a patch of corednsdeployment has GODEBUG tls3des=1"),
                          HasSubstr("a patch of kubeproxydaemonset has GODEBUG tls3des=1")));
  config_.cluster.dns.image_tag = "v1.14.6";
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("a patch of kubeproxydaemonset")));
  config_.cluster.dns.image_tag = "v1.15.0";
  config_.cluster.proxy.disabled = true;
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("a patch of corednsdeployment")));
  config_.cluster.dns.disabled = true;
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(CollectPatchedTest, AppliesPatchesOfProxyVariablesToKubeProxy) {
  fake_.environment.variables["HTTPS_PROXY"] = "http://10.0.0.1:3128";
  Patch("kubeproxydaemonset+json.yaml",
        "- {op: add, path: /spec/template/spec/containers/0/env/2, "
        "value: {name: GODEBUG, value: tlsrsakex=1}}\n");
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("kubeproxydaemonset has GODEBUG tlsrsakex=1")));
}

TEST_F(CollectPatchedTest, FindsAFeatureGateThatAPatchSetsAgain) {
  config_.cluster.scheduler.extra_args = {{"feature-gates", "EnvFiles=false"}};
  Patch("kube-scheduler+json.yaml",
        "- {op: add, path: /spec/containers/0/command/-, value: --feature-gates=EnvFiles=true}\n");
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("scheduler.extraArgs sets feature gate")));
  config_.cluster.scheduler.extra_args = {{"feature-gates", "EnvFiles=true"}};
  Patch("kube-scheduler+json.yaml",
        "- {op: add, path: /spec/containers/0/command/-, value: --feature-gates=EnvFiles=false}\n");
  EXPECT_THAT(Check(),
              ElementsAre(HasSubstr("a patch of kube-scheduler sets feature gate EnvFil")));
}

TEST_F(CollectPatchedTest, FindsArgumentsAndFeatureGatesThatOnlyAPatchSets) {
  Patch("kube-apiserver+json.yaml",
        "- {op: add, path: /spec/containers/0/command/-, value: --feature-gates=EnvFiles=false}\n"
        "- {op: add, path: /spec/containers/0/command/-, "
        "value: --runtime-config=scheduling.k8s.io/v1alpha2=true}\n");
  Patch("kubeletconfiguration+merge.yaml", "featureGates:\n  NodeSwap: true\n");
  EXPECT_THAT(
      Check(),
      ElementsAre(HasSubstr("a patch of kube-apiserver has runtime-config "
                            "\"scheduling.k8s.io/v1alpha2=true\""),
                  HasSubstr("a patch of kube-apiserver sets feature gate EnvFiles=false"),
                  HasSubstr("a patch of kubeletconfiguration sets feature gate NodeSwap=true")));
}

TEST_F(CollectPatchedTest, RepeatsNoSettingOfTheConfiguration) {
  config_.cluster.scheduler.extra_envs = {{{"name", "GODEBUG"}, {"value", "tls3des=1"}}};
  config_.cluster.kubelet.value = {{"featureGates", {{"NodeSwap", true}}}};
  Patch("kube-scheduler.yaml", "metadata:\n  labels:\n    a: b\n");
  Patch("kubeletconfiguration.yaml", "maxPods: 5\n");
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("scheduler.extraEnvs has GODEBUG tls3des=1"),
                                   HasSubstr("ConfigMap \"kubelet-config\" sets feature gate")));
}

TEST_F(CollectPatchedTest, RefusesPatchesThatDoNotApply) {
  Patch("kube-apiserver+json.yaml", "- {op: remove, path: /spec/missing}\n");
  EXPECT_THROW(Check(), base::Error);
  directory_ = "/root/missing";
  EXPECT_THROW(Check(), base::Error);
}

}  // namespace
}  // namespace upgrade_path
