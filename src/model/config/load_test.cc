// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "config/component_configs.h"
#include "config/defaults.h"
#include "config/fake_facts.h"

namespace config {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Source File(const std::string& text) { return {.text = text, .name = "kubeadm.yaml"}; }

Init Load(const std::string& text) { return LoadInit(File(text), FakeFacts()); }

std::string V1beta3(std::string text) { return text.replace(text.find("v1beta4"), 7, "v1beta3"); }

TEST(Load, CompletesAnEmptyInit) {
  const Init config = Load(InitText());
  const InitConfiguration& init = config.init;
  EXPECT_EQ(init.node_registration.name, "host-one");
  EXPECT_EQ(init.node_registration.cri_socket, kContainerdSocket);
  ASSERT_TRUE(init.node_registration.taints);
  EXPECT_EQ(init.node_registration.taints->front().key, "node-role.kubernetes.io/control-plane");
  EXPECT_EQ(init.node_registration.image_pull_policy, "IfNotPresent");
  EXPECT_EQ(init.node_registration.image_pull_serial, true);
  EXPECT_EQ(init.local_api_endpoint.advertise_address, "192.0.2.10");
  EXPECT_EQ(init.local_api_endpoint.bind_port, 6443);
  ASSERT_EQ(init.bootstrap_tokens.size(), 1U);
  EXPECT_TRUE(IsToken(init.bootstrap_tokens[0].token));
  EXPECT_EQ(init.bootstrap_tokens[0].ttl, hours(24));
  EXPECT_THAT(init.bootstrap_tokens[0].groups, ElementsAre(kDefaultTokenGroup));
  EXPECT_EQ(init.timeouts->tls_bootstrap, minutes(5));

  const ClusterConfiguration& cluster = config.cluster;
  EXPECT_EQ(cluster.kubernetes_version, kKubeadmVersion);
  EXPECT_EQ(cluster.networking.service_subnet, "10.96.0.0/12");
  EXPECT_EQ(cluster.networking.dns_domain, "cluster.local");
  EXPECT_EQ(cluster.certificates_dir, "/etc/kubernetes/pki");
  EXPECT_EQ(cluster.cluster_name, "kubernetes");
  EXPECT_EQ(cluster.image_repository, "registry.k8s.io");
  ASSERT_TRUE(cluster.etcd.local);
  EXPECT_EQ(cluster.etcd.local->data_dir, "/var/lib/etcd");
  EXPECT_EQ(cluster.ca_certificate_validity_period, hours(87600));
  EXPECT_FALSE(cluster.kubelet.user_supplied);
}

TEST(Load, KeepsValuesOfTheUser) {
  const Init config = Load(
      InitText("nodeRegistration:\n  name: CP\n  taints: []\n  criSocket: /run/crio/crio.sock\n"
               "timeouts:\n  discovery: 90s\n") +
      "---\n" +
      ClusterText(
          "controlPlaneEndpoint: lb.example.org\napiServer:\n  certSANs: [API.example.org]\n"
          "  extraArgs:\n  - {name: v, value: '2'}\n  - {name: a, value: ''}\n"));
  EXPECT_EQ(config.init.node_registration.name, "cp");
  EXPECT_THAT(*config.init.node_registration.taints, IsEmpty());
  EXPECT_EQ(config.init.node_registration.cri_socket, "unix:///run/crio/crio.sock");
  EXPECT_EQ(config.init.timeouts->discovery, std::chrono::seconds(90));
  EXPECT_EQ(config.init.timeouts->etcd_api_call, minutes(2));
  EXPECT_EQ(config.cluster.control_plane_endpoint, "lb.example.org:6443");
  EXPECT_THAT(config.cluster.api_server.cert_sans, ElementsAre("api.example.org"));
  EXPECT_THAT(config.cluster.api_server.component.extra_args,
              ElementsAre(Arg{"v", "2"}, Arg{"a", ""}));
}

TEST(Load, ReadsV1beta3) {
  const Init config = Load(V1beta3(InitText("nodeRegistration:\n  kubeletExtraArgs:\n    v: '3'\n"
                                            "    cgroup-root: /kube\n")) +
                           "---\n" +
                           V1beta3(ClusterText("apiServer:\n  timeoutForControlPlane: 6m30s\n"
                                               "etcd: {external: {endpoints: ['https://a']}}\n")));
  EXPECT_THAT(config.init.node_registration.kubelet_extra_args,
              ElementsAre(Arg{"cgroup-root", "/kube"}, Arg{"v", "3"}));
  EXPECT_EQ(config.init.timeouts->control_plane_component_health_check,
            minutes(6) + std::chrono::seconds(30));
  EXPECT_THAT(config.cluster.etcd.external->http_endpoints, ElementsAre("https://a"));
}

TEST(Load, OmitsFieldsThatTheReleaseOfTheClusterLacks) {
  const std::string text =
      "etcd: {external: {endpoints: ['https://a'], httpEndpoints: ['http://b']}}\n"
      "kubernetesVersion: ";
  EXPECT_THAT(Load(ClusterText(text + "v1.34.4\n")).cluster.etcd.external->http_endpoints,
              IsEmpty());
  EXPECT_THAT(Load(ClusterText(text + "v1.35.4\n")).cluster.etcd.external->http_endpoints,
              ElementsAre("http://b"));
}

TEST(Load, ReportsProblemsInUnneededDocuments) {
  testing::internal::CaptureStderr();
  Load(ClusterText("") +
       "---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\nfoo: 1\n"
       "---\napiVersion: kubeadm.k8s.io/v1beta3\nkind: FooConfiguration\n");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("not needed here: kubeadm.k8s.io/v1beta4, Kind=JoinConfiguration"));
  EXPECT_THAT(said, HasSubstr("unknown field \"foo\""));
  EXPECT_THAT(said, HasSubstr("kubeadm knows no configuration document kubeadm.k8s.io/v1beta3, "
                              "Kind=FooConfiguration: its settings have no effect"));
  EXPECT_THAT(said, testing::Not(HasSubstr("deprecated")));
}

TEST(Load, UsesAV1beta3TimeoutOnlyIfItIsNotTheDefault) {
  for (const std::string timeout : {"0s", "4m0s"}) {
    const Init config =
        Load(InitText("timeouts:\n  controlPlaneComponentHealthCheck: 7m\n") + "---\n" +
             V1beta3(ClusterText("apiServer:\n  timeoutForControlPlane: " + timeout + "\n")));
    EXPECT_EQ(config.init.timeouts->control_plane_component_health_check, minutes(7)) << timeout;
  }
}

TEST(Load, SetsTheVersionOfFieldReferences) {
  const Init config = Load(ClusterText(
      "scheduler:\n  extraEnvs:\n  - {name: POD, valueFrom: {fieldRef: {fieldPath: x}}}\n"));
  EXPECT_EQ(
      json::TextAt(config.cluster.scheduler.extra_envs[0], {"valueFrom", "fieldRef", "apiVersion"}),
      "v1");
}

TEST(Load, NamesFileLineAndFieldInErrors) {
  struct Case {
    std::string name, text, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"wrong type", InitText("localAPIEndpoint:\n  bindPort: '6443'\n"),
            "kubeadm.yaml:4:3: localAPIEndpoint.bindPort: "},
           {"wrong type in the second document",
            InitText() + "---\n" + ClusterText("apiServer:\n  certSANs: one\n"),
            "kubeadm.yaml:8:3: apiServer.certSANs: "},
           {"element of a list", InitText("skipPhases: [a, 1]\n"), "skipPhases[1]: "},
           {"duration", InitText("timeouts: {discovery: soon}\n"), "soon"},
           {"token", InitText("bootstrapTokens:\n- token: abc.def\n"), "does not have the form"},
           {"no token", InitText("bootstrapTokens: [{}, {token: ''}]\n"),
            "bootstrapTokens[1].token: "},
           {"environment", ClusterText("apiServer: {extraEnvs: [{name: a, value: 5}]}\n"),
            "apiServer.extraEnvs[0].value: "},
           {"map for a list of v1beta4", ClusterText("apiServer: {extraArgs: {v: '1'}}\n"),
            "apiServer.extraArgs"},
           {"kubelet",
            ClusterText() + "---\napiVersion: kubelet.config.k8s.io/v1beta1\n"
                            "kind: KubeletConfiguration\nmaxPods: many\n",
            "kubeadm.yaml:7:1: maxPods: "},
           {"no YAML", "apiVersion: kubeadm.k8s.io/v1beta4\nkind: X\na:\n\tb: c\n", "line 4"},
           {"version of a component",
            ClusterText() +
                "---\napiVersion: kubelet.config.k8s.io/v1\nkind: KubeletConfiguration\n",
            "kubelet.config.k8s.io/v1beta1"},
           {"kind of a component",
            ClusterText() + "---\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: Foo\n",
            "\"Foo\""},
           {"unknown version of our own",
            "apiVersion: kubeadm.k8s.io/v1beta9\n"
            "kind: InitConfiguration\n",
            "kubeadm.k8s.io/v1beta9"},
           {"old version anywhere",
            ClusterText() + "---\napiVersion: kubeadm.k8s.io/v1beta2\nkind: JoinConfiguration\n",
            "v1.22"},
           {"YAML in braces", "{apiVersion: kubeadm.k8s.io/v1beta4, kind: InitConfiguration}\n",
            "kubeadm.yaml as JSON"},
           {"YAML in braces for a component",
            ClusterText() + "---\n{apiVersion: kubelet.config.k8s.io/v1beta1, kind: "
                            "KubeletConfiguration}\n",
            "kubeadm.yaml as JSON"},
           {"a kind of kubeadm's in another group",
            ClusterText() + "---\napiVersion: example.org/v1\nkind: InitConfiguration\n",
            "no kind \"InitConfiguration\" is known in version \"example.org/v1\""},
           {"first of a component's group",
            ClusterText() + "---\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: Foo\n"
                            "---\napiVersion: kubelet.config.k8s.io/v1beta1\n"
                            "kind: KubeletConfiguration\n",
            "\"Foo\""},
           {"kind in capitals",
            "apiVersion: kubeadm.k8s.io/v1beta4\nKind: ClusterConfiguration\n"
            "apiServer: 5\n",
            "apiServer: "},
           {"nothing for init", JoinText(), "no InitConfiguration or ClusterConfiguration"}}) {
    EXPECT_THAT(base::MessageOf([&] { Load(c.text); }), HasSubstr(c.want)) << c.name;
  }
}

TEST(Load, DropsOrRefusesUnknownFields) {
  const std::string text = ClusterText("clusterNames: x\nclusterName: a\nclusterName: b\n");
  EXPECT_EQ(Load(text).cluster.cluster_name, "b");
  EXPECT_THAT(base::MessageOf([&] {
                LoadInit(File(text), FakeFacts(), {.unknown_fields = UnknownFields::kRefuse});
              }),
              AllOf(HasSubstr("kubeadm.yaml:4:1: unknown field \"clusterNames\""),
                    HasSubstr("\"clusterName\" already set")));
}

TEST(Load, UsesTheFirstDocumentOfAComponent) {
  testing::internal::CaptureStderr();
  const Init config = Load(ClusterText() +
                           "---\napiVersion: kubelet.config.k8s.io/v1beta1\n"
                           "kind: KubeletConfiguration\nmaxPods: 5\n"
                           "---\napiVersion: kubelet.config.k8s.io/v1\nkind: Foo\n");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("kubelet.config.k8s.io/v1, Kind=Foo: its settings have no effect"));
  EXPECT_EQ(config.cluster.kubelet.value.at("maxPods"), 5);
}

TEST(Load, WarnsOfIgnoredContent) {
  testing::internal::CaptureStderr();
  Load(InitText() + "---\n" + V1beta3(JoinText()) +
       "---\napiVersion: example.org/v1\nkind: Thing\n");
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("example.org/v1, Kind=Thing"),
                    HasSubstr("kubeadm.k8s.io/v1beta3, Kind=JoinConfiguration"),
                    HasSubstr("deprecated API version: \"kubeadm.k8s.io/v1beta3\"")));
}

TEST(Load, DynamicDefaultsFailBeforeValidation) {
  EXPECT_THAT(base::MessageOf([] {
                Load(InitText("localAPIEndpoint: {advertiseAddress: bad}\n") + "---\n" +
                     "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                     "kubernetesVersion: v1.30.0\nnetworking: {dnsDomain: _}\n");
              }),
              AllOf(HasSubstr("\"bad\""), testing::Not(HasSubstr("v1.30.0"))));
}

TEST(Load, RequiresAChoiceBetweenSeveralRuntimes) {
  Facts facts = FakeFacts();
  facts.cri_sockets = [] {
    return std::vector<std::string>{std::string(kContainerdSocket), std::string(kCrioSocket)};
  };
  EXPECT_THAT(
      base::MessageOf([&] { LoadInit(File(InitText()), facts); }),
      AllOf(HasSubstr(std::string(kContainerdSocket)), HasSubstr(std::string(kCrioSocket))));
  EXPECT_EQ(LoadInit(File(InitText()), facts, {.cri_socket = CriSocketChoice::kAssume})
                .init.node_registration.cri_socket,
            kContainerdSocket);
  facts.cri_sockets = [] { return std::vector<std::string>{std::string(kCrioSocket)}; };
  EXPECT_EQ(LoadInit(File(InitText()), facts).init.node_registration.cri_socket, kCrioSocket);
}

TEST(Load, CopiesTheTokenOfAJoin) {
  const JoinConfiguration join = LoadJoin(File(JoinText()), FakeFacts());
  EXPECT_EQ(join.discovery.tls_bootstrap_token, "abcdef.0123456789abcdef");
  EXPECT_EQ(join.ca_cert_path, "/etc/kubernetes/pki/ca.crt");
  EXPECT_FALSE(join.node_registration.taints);
  const JoinConfiguration control_plane =
      LoadJoin(File(JoinText("controlPlane: {}\n")), FakeFacts());
  EXPECT_EQ(control_plane.node_registration.taints->size(), 1U);
  EXPECT_EQ(control_plane.control_plane->local_api_endpoint.advertise_address, "192.0.2.10");
}

TEST(Load, ConvertsTheDiscoveryTimeoutOfV1beta3) {
  const JoinConfiguration join =
      LoadJoin(File(V1beta3(JoinText("discovery:\n  timeout: 7m0s\n  bootstrapToken:\n    token: "
                                     "abcdef.0123456789abcdef\n    apiServerEndpoint: a:1\n"
                                     "    unsafeSkipCAVerification: true\n"))),
               FakeFacts());
  EXPECT_EQ(join.timeouts->discovery, minutes(7));
  EXPECT_FALSE(join.discovery.timeout);
}

TEST(Load, EachCommandRequiresItsKind) {
  EXPECT_THAT(base::MessageOf([] { LoadJoin(File(InitText()), FakeFacts()); }),
              HasSubstr("JoinConfiguration"));
  EXPECT_THAT(base::MessageOf([] { LoadReset(File(InitText()), FakeFacts()); }),
              HasSubstr("ResetConfiguration"));
  EXPECT_THAT(base::MessageOf([] { LoadUpgrade(File(InitText())); }),
              HasSubstr("UpgradeConfiguration"));
  // Only the wanted document is read.
  const std::string old = "---\napiVersion: kubeadm.k8s.io/v1beta2\nkind: ClusterConfiguration\n";
  EXPECT_EQ(base::MessageOf([&] { LoadJoin(File(JoinText() + old), FakeFacts()); }), "");
}

TEST(Load, ResetAndUpgradeGetTheirDefaults) {
  const ResetConfiguration reset = LoadReset(File(ResetText("criSocket: /a\n")), FakeFacts());
  EXPECT_EQ(reset.cri_socket, "unix:///a");
  EXPECT_EQ(reset.certificates_dir, "/etc/kubernetes/pki");
  const UpgradeConfiguration upgrade = LoadUpgrade(File(UpgradeText("diff: {contextLines: 5}\n")));
  EXPECT_EQ(upgrade.apply.etcd_upgrade, true);
  EXPECT_EQ(upgrade.node.certificate_renewal, true);
  EXPECT_EQ(upgrade.plan.etcd_upgrade, true);
  EXPECT_EQ(upgrade.diff.context_lines, 5);
}

TEST(Load, CompletesAStoredConfigurationWithTheNode) {
  const StoredConfig stored{
      .cluster = ClusterText("networking: {dnsDomain: corp.internal}\n"),
      .kubelet = StoredComponent{"apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                 "kind: KubeletConfiguration\nmaxPods: 5\nnewer: field\n"},
      .kube_proxy = {}};
  const Init config = LoadStored(stored, {.node_registration = {.name = "w1"}}, FakeFacts(),
                                 {.advertise_address = AdvertiseAddress::kKeep});
  EXPECT_EQ(config.init.node_registration.name, "w1");
  EXPECT_EQ(config.init.local_api_endpoint.advertise_address, "");
  EXPECT_EQ(config.cluster.networking.dns_domain, "corp.internal");
  EXPECT_EQ(config.cluster.kubelet.value["maxPods"], 5);
  EXPECT_TRUE(config.cluster.kubelet.user_supplied);
  EXPECT_EQ(config.cluster.kube_proxy.value["bindAddress"], "::");
  EXPECT_FALSE(config.cluster.kube_proxy.user_supplied);
}

TEST(Load, RegeneratesAStoredComponentOfAnotherVersion) {
  StoredComponent other{"apiVersion: kubelet.config.k8s.io/v1\nkind: KubeletConfiguration\n"};
  StoredConfig stored{.cluster = ClusterText(), .kubelet = other, .kube_proxy = {}};
  EXPECT_THAT(base::MessageOf([&] { LoadStored(stored, {}, FakeFacts()); }),
              AllOf(HasSubstr("unsupported"), HasSubstr("ConfigMap \"kubelet-config\"")));
  stored.kubelet->generated = true;
  EXPECT_EQ(LoadStored(stored, {}, FakeFacts()).cluster.kubelet.value["apiVersion"],
            kKubeletApiVersion);
}

TEST(Load, NamesTheConfigMapInErrorsOfAStoredCluster) {
  for (const std::string& text :
       {std::string("}{"), InitText(), ClusterText("controlPlaneEndpoint: http://x:y\n")}) {
    EXPECT_THAT(base::MessageOf([&] {
                  LoadStored({.cluster = text, .kubelet = {}, .kube_proxy = {}}, {}, FakeFacts());
                }),
                HasSubstr("ConfigMap \"kubeadm-config\": "));
  }
}

TEST(Load, RequiresExactlyOneStoredCluster) {
  EXPECT_THAT(base::MessageOf([] { DecodeCluster(InitText()); }),
              HasSubstr("not a ClusterConfiguration"));
  EXPECT_THAT(base::MessageOf([] { DecodeCluster(""); }), HasSubstr("0 objects"));
}

TEST(Defaults, PreferTheDeprecatedGateToTheAlgorithm) {
  ClusterConfiguration cluster{.kubernetes_version = "v1.36.3"};
  cluster.encryption_algorithm = "RSA-4096";
  EXPECT_EQ(EncryptionAlgorithm(cluster), "RSA-4096");
  cluster.feature_gates["PublicKeysECDSA"] = true;
  EXPECT_EQ(EncryptionAlgorithm(cluster), "ECDSA-P256");
  cluster.feature_gates["PublicKeysECDSA"] = false;
  EXPECT_EQ(EncryptionAlgorithm(cluster), "RSA-2048");
  cluster.kubernetes_version = "v1.37.2";
  EXPECT_EQ(EncryptionAlgorithm(cluster), "RSA-4096") << "the gate is gone";
}

TEST(Load, CompletesAStoredClusterForItsNewVersion) {
  const StoredConfig stored{.cluster = ClusterText(), .kubelet = {}, .kube_proxy = {}};
  EXPECT_EQ(LoadStored(stored, {}, FakeFacts()).cluster.kube_proxy.value["mode"], "");
  const Init upgraded = LoadStored(stored, {}, FakeFacts(), {.kubernetes_version = "v1.37.2"});
  EXPECT_EQ(upgraded.cluster.kubernetes_version, "v1.37.2");
  EXPECT_EQ(upgraded.cluster.kube_proxy.value["mode"], "iptables");
}

}  // namespace
}  // namespace config
