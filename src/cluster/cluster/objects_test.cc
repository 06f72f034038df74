#include "cluster/objects.h"

#include <gmock/gmock.h>

#include "cluster/bootstrap.h"
#include "cluster/join_command.h"
#include "cluster/node.h"
#include "cluster/rbac.h"
#include "config/fake_facts.h"
#include "pki/certificate.h"

namespace cluster {
namespace {

using config::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Rbac, RowsBecomeTheFourKinds) {
  struct Case {
    RbacRow row;
    std::string want;
  };
  const Rule rule{.groups = {""}, .resources = {"nodes"}, .verbs = {"get"}};
  for (const Case& c : std::initializer_list<Case>{
           {{.name = "a", .rules = {rule}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
            R"("metadata":{"name":"a"},)"
            R"("rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get"]}]})"},
           {{.name = "b", .name_space = "n", .rules = {rule}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",)"
            R"("metadata":{"name":"b","namespace":"n"},)"
            R"("rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get"]}]})"},
           {{.name = "c", .role = "r", .subjects = {{.kind = "Group", .name = "g"}}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
            R"("metadata":{"name":"c"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
            R"("kind":"ClusterRole","name":"r"},"subjects":[{"kind":"Group","name":"g"}]})"},
           {{.name = "d",
             .name_space = "n",
             .role = "r",
             .subjects = {{.kind = "ServiceAccount", .name = "s", .name_space = "m"}}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",)"
            R"("metadata":{"name":"d","namespace":"n"},)"
            R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},)"
            R"("subjects":[{"kind":"ServiceAccount","name":"s","namespace":"m"}]})"}}) {
    EXPECT_EQ(ObjectOf(c.row).dump(), c.want);
  }
}

TEST(Rbac, ReadOneNamesTheObject) {
  const auto rows = ReadOneRows({.name = "x",
                                 .name_space = "n",
                                 .resource = "secrets",
                                 .object = "o",
                                 .subjects = {{.kind = "User", .name = "u"}}});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(
      ObjectOf(rows[0])["rules"].dump(),
      R"([{"apiGroups":[""],"resourceNames":["o"],"resources":["secrets"],"verbs":["get"]}])");
  EXPECT_EQ(rows[1].role, "x");
}

TEST(ConfigHash, CoversDataThenBinaryDataByKey) {
  json::Value map = ConfigMap({"n", "m"}, {{"b", "2"}, {"a", "1"}});
  // sha256 of "12", and of "123".
  EXPECT_EQ(ConfigHash(map),
            "sha256:6b51d431df5d7f141cbececcf79edf3dd861c3b4069f0b11661a3eefacbba918");
  map["binaryData"]["a"] = "Mw==";
  EXPECT_EQ(ConfigHash(map),
            "sha256:a665a45920422f9d417e4867efdc4fb8a04a1f3fff1fa07e998e86f7f7a27ae3");
}

TEST(Secret, HoldsBase64) {
  const json::Value secret = Secret({"n", "s"}, {{"k", "value"}, {"empty", ""}}, "some/type");
  EXPECT_EQ(secret.dump(), R"({"apiVersion":"v1","data":{"empty":"","k":"dmFsdWU="},)"
                           R"("kind":"Secret","metadata":{"name":"s","namespace":"n"},)"
                           R"("type":"some/type"})");
  EXPECT_EQ(SecretValue(secret, "k"), "value");
  EXPECT_EQ(SecretValue(secret, "empty"), std::nullopt);
  EXPECT_EQ(SecretValue(secret, "none"), std::nullopt);
  EXPECT_THAT(ErrorOf([] { SecretValue({{"data", {{"k", "!"}}}}, "k"); }), HasSubstr("key \"k\""));
}

TEST(MarkNode, KeepsOtherTaintsBehind) {
  struct Case {
    std::string name;
    std::optional<std::vector<config::Taint>> configured;
    std::string before, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"default", std::nullopt, R"([{"effect":"NoSchedule","key":"other"}])",
            R"([{"effect":"NoSchedule","key":"node-role.kubernetes.io/control-plane"},)"
            R"({"effect":"NoSchedule","key":"other"}])"},
           {"none", std::vector<config::Taint>{}, R"([{"effect":"NoSchedule","key":"other"}])",
            R"([{"effect":"NoSchedule","key":"other"}])"},
           {"there already",
            {{{.key = "a", .value = "1", .effect = "NoExecute"}}},
            R"([{"effect":"NoExecute","key":"a","value":"1"}])",
            R"([{"effect":"NoExecute","key":"a","value":"1"}])"},
           {"none at all", std::vector<config::Taint>{}, "null", "null"}}) {
    json::Value node = {{"spec", {{"taints", json::Value::parse(c.before)}}}};
    MarkNode(node, ControlPlaneTaints(c.configured));
    EXPECT_EQ(node["spec"]["taints"].dump(), c.want) << c.name;
    EXPECT_EQ(node["metadata"]["labels"].dump(),
              R"({"node-role.kubernetes.io/control-plane":"",)"
              R"("node.kubernetes.io/exclude-from-external-load-balancers":""})");
  }
}

kube::Kubeconfig Admin(const std::string& ca) {
  kube::Kubeconfig admin;
  admin.clusters["kubernetes"] = {.server = "https://lb.example.org:6443",
                                  .certificate_authority_data = ca};
  admin.contexts["c"] = {.cluster = "kubernetes", .user = "u"};
  admin.users["u"] = {.token = "secret"};
  admin.current_context = "c";
  return admin;
}

TEST(ClusterInfo, TellsOnlyTheCluster) {
  EXPECT_EQ(ClusterInfoKubeconfig(Admin("ca")).Text(),
            "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: Y2E=\n"
            "    server: https://lb.example.org:6443\n  name: \"\"\ncontexts: null\n"
            "current-context: \"\"\nkind: Config\nusers: null\n");
  EXPECT_THAT(ErrorOf([] { ClusterInfoKubeconfig({}); }), HasSubstr("no cluster"));
}

TEST(JoinCommand, HasTheLinesThatUsersCopy) {
  const JoinTarget target{.endpoint = "h:6443", .pins = {"sha256:1", "sha256:2"}};
  const std::string worker =
      "kubeadm join h:6443 --token t \\\n\t--discovery-token-ca-cert-hash sha256:1 "
      "--discovery-token-ca-cert-hash sha256:2 ";
  EXPECT_EQ(WorkerJoinCommand(target, "t"), worker);
  EXPECT_EQ(ControlPlaneJoinCommand(target, "t", std::nullopt), worker + "\\\n\t--control-plane ");
  EXPECT_EQ(ControlPlaneJoinCommand(target, "t", "k"),
            worker + "\\\n\t--control-plane --certificate-key k");
  EXPECT_EQ(OnOneLine(ControlPlaneJoinCommand({.endpoint = "h", .pins = {"p"}}, "t", "k")),
            "kubeadm join h --token t --discovery-token-ca-cert-hash p --control-plane "
            "--certificate-key k");
}

TEST(JoinTarget, PinsEveryCa) {
  std::string bundle;
  std::vector<std::string> pins;
  for (const char* name : {"one", "two"}) {
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    pki::CertificateSpec spec;
    spec.subject.common_name = name;
    spec.not_after = std::chrono::sys_days{std::chrono::year{2040} / 1 / 1};
    const auto ca = pki::NewSelfSignedCa(spec, key);
    bundle += ca.Pem();
    pins.push_back(pki::Pin(ca));
  }
  const JoinTarget target = JoinTargetOf(Admin(bundle));
  EXPECT_EQ(target.endpoint, "lb.example.org:6443");
  EXPECT_EQ(target.pins, pins);
  kube::Kubeconfig two = Admin(bundle);
  two.clusters[""] = {.server = "https://public:1", .certificate_authority_data = bundle};
  EXPECT_EQ(JoinTargetOf(two).endpoint, "public:1");
  EXPECT_THAT(ErrorOf([] { JoinTargetOf({}); }), HasSubstr("no cluster"));
}

}  // namespace
}  // namespace cluster
