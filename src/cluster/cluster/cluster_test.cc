#include <gmock/gmock.h>

#include "cluster/admin.h"
#include "cluster/bootstrap.h"
#include "cluster/node.h"
#include "cluster/objects.h"
#include "cluster/tokens.h"
#include "cluster/upload_certs.h"
#include "cluster/upload_config.h"
#include "config/fake_facts.h"
#include "config/load.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "yaml/yaml.h"

namespace cluster {
namespace {

using base::Error;
using config::ErrorOf;
using kube::resources::kConfigMap;
using kube::resources::kSecret;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'767'225'600)};  // 2026-01-01

// Cluster is a small API server and a client of it.
class Cluster : public testing::Test {
 protected:
  kube::RetryPolicy Once() { return {.limit = 0ms, .grace = 0ms}; }
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
  json::Value Stored(const kube::Resource& resource, const std::string& name,
                     const std::string& name_space = "kube-system") {
    return server_.Find(resource, resource.namespaced ? name_space : "", name)
        .value_or(json::Value());
  }

  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(), Once()};
};

TEST_F(Cluster, KeepsOtherKeysOfTheKubeadmConfig) {
  server_.Put(kConfigMap, ConfigMap({"kube-system", "kubeadm-config"},
                                    {{"ClusterConfiguration", "old"}, {"Other", "kept"}}));
  const config::Init config =
      config::LoadInit({.text = config::ClusterText()}, config::FakeFacts());
  UploadKubeadmConfig(client_, config.cluster);
  const json::Value map = Stored(kConfigMap, "kubeadm-config");
  EXPECT_EQ(json::TextAt(map, {"data", "Other"}), "kept");
  EXPECT_THAT(json::TextAt(map, {"data", "ClusterConfiguration"}),
              HasSubstr("kind: ClusterConfiguration\nkubernetesVersion: v1.36.3\n"));
  EXPECT_EQ(
      Stored(kube::resources::kRoleBinding, "kubeadm:nodes-kubeadm-config")["subjects"].dump(),
      R"([{"kind":"Group","name":"system:bootstrappers:kubeadm:default-node-token"},)"
      R"({"kind":"Group","name":"system:nodes"}])");
}

TEST_F(Cluster, MarksAGeneratedKubeletConfig) {
  config::Init config = config::LoadInit({.text = config::ClusterText()}, config::FakeFacts());
  UploadKubeletConfig(client_, config.cluster.kubelet);
  json::Value map = Stored(kConfigMap, "kubelet-config");
  EXPECT_EQ(json::TextAt(map, {"metadata", "annotations", kHashAnnotation}), ConfigHash(map));
  EXPECT_THAT(json::TextAt(map, {"data", "kubelet"}),
              HasSubstr("containerRuntimeEndpoint: \"\"\n"));
  config.cluster.kubelet.user_supplied = true;
  UploadKubeletConfig(client_, config.cluster.kubelet);
  map = Stored(kConfigMap, "kubelet-config");
  EXPECT_EQ(json::TextAt(map, {"metadata", "annotations", kHashAnnotation}), "");
}

TEST_F(Cluster, UploadsCertificatesThatTheTokenOwns) {
  UploadCertificates(client_, {{"ca.crt", "sealed"}, {"ca.key", std::nullopt}},
                     {.now = kNow, .token = "abcdef.0123456789abcdef"});
  const json::Value token = Stored(kSecret, "bootstrap-token-abcdef");
  EXPECT_EQ(SecretValue(token, "expiration"), "2026-01-01T02:00:00Z");
  EXPECT_EQ(SecretValue(token, "description"),
            "Proxy for managing TTL for the kubeadm-certs secret");
  EXPECT_EQ(SecretValue(token, "usage-bootstrap-signing"), std::nullopt);
  const json::Value certs = Stored(kSecret, "kubeadm-certs");
  EXPECT_EQ(certs["data"].dump(), R"({"ca.crt":"c2VhbGVk","ca.key":null})");
  const json::Value owner = certs["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner["name"], "bootstrap-token-abcdef");
  EXPECT_EQ(owner["uid"], token["metadata"].value("uid", ""));
  EXPECT_EQ(owner["controller"], true);
  EXPECT_THAT(Writes(),
              ElementsAre("POST secrets", "POST secrets", "POST roles", "POST rolebindings"));
}

TEST_F(Cluster, MarksItsControlPlane) {
  server_.Put(
      kube::resources::kNode,
      {{"apiVersion", "v1"},
       {"kind", "Node"},
       {"metadata", {{"name", "cp-one"}, {"labels", {{"kubernetes.io/hostname", "cp-one"}}}}}});
  MarkControlPlane(client_, "cp-one", ControlPlaneTaints(std::nullopt));
  EXPECT_THAT(Writes(), ElementsAre("PATCH cp-one"));
  EXPECT_EQ(Stored(kube::resources::kNode, "cp-one")["spec"]["taints"].size(), 1U);
}

TEST_F(Cluster, LetsNodesBootstrap) {
  for (const BootstrapRule rule : kBootstrapRules) {
    ApplyBootstrapRule(client_, rule);
  }
  EXPECT_THAT(Writes(), ElementsAre("POST clusterroles", "POST clusterrolebindings",
                                    "POST clusterrolebindings", "POST clusterrolebindings",
                                    "POST clusterrolebindings", "POST clusterrolebindings"));
  EXPECT_EQ(Stored(kube::resources::kClusterRoleBinding,
                   "kubeadm:node-autoapprove-certificate-rotation")["subjects"][0]["name"],
            "system:nodes");
}

TEST_F(Cluster, ShowsItselfToEverybody) {
  kube::Kubeconfig admin;
  admin.clusters["k"] = {.server = "https://a:1", .certificate_authority_data = "ca"};
  admin.contexts["c"] = {.cluster = "k"};
  admin.current_context = "c";
  PutClusterInfo(client_, admin);
  ApplyClusterInfoRbac(client_);
  EXPECT_THAT(
      json::TextAt(Stored(kConfigMap, "cluster-info", "kube-public"), {"data", "kubeconfig"}),
      HasSubstr("server: https://a:1"));
  EXPECT_EQ(Stored(kube::resources::kRoleBinding, "kubeadm:bootstrap-signer-clusterinfo",
                   "kube-public")["subjects"]
                .dump(),
            R"([{"kind":"User","name":"system:anonymous"}])");
}

config::BootstrapToken FullToken() {
  return {.token = "abcdef.0123456789abcdef",
          .description = "the first",
          .ttl = 90min,
          .usages = {"signing", "authentication"},
          .groups = {"system:bootstrappers:b", "system:bootstrappers:a"}};
}

TEST(Token, LivesInASecret) {
  const json::Value secret = TokenSecret(FullToken(), kNow);
  std::map<std::string, std::string> data;
  for (const auto& [key, value] : secret["data"].items()) {
    data[key] = *SecretValue(secret, key);
  }
  EXPECT_EQ(data, (std::map<std::string, std::string>{
                      {"token-id", "abcdef"},
                      {"token-secret", "0123456789abcdef"},
                      {"description", "the first"},
                      {"expiration", "2026-01-01T01:30:00Z"},
                      {"usage-bootstrap-signing", "true"},
                      {"usage-bootstrap-authentication", "true"},
                      {"auth-extra-groups", "system:bootstrappers:b,system:bootstrappers:a"}}));
  EXPECT_EQ(secret["metadata"]["name"], "bootstrap-token-abcdef");
  EXPECT_EQ(secret["type"], "bootstrap.kubernetes.io/token");

  const config::BootstrapToken read = TokenFromSecret(secret);
  EXPECT_EQ(read.token, "abcdef.0123456789abcdef");
  EXPECT_EQ(read.expires, kNow + 90min);
  EXPECT_EQ(read.ttl, std::nullopt);
  EXPECT_THAT(read.usages, ElementsAre("authentication", "signing"));
  EXPECT_EQ(read.groups, FullToken().groups);
}

TEST(Token, ExpiresAsItSays) {
  config::BootstrapToken token = FullToken();
  token.ttl = 0s;
  EXPECT_EQ(SecretValue(TokenSecret(token, kNow), "expiration"), std::nullopt);
  token.expires = kNow + 24h;
  EXPECT_EQ(SecretValue(TokenSecret(token, kNow), "expiration"), "2026-01-02T00:00:00Z");
  token = {.token = "abcdef.0123456789abcdef"};
  EXPECT_EQ(TokenSecret(token, kNow)["data"].size(), 2U);
}

TEST(Token, OfABrokenSecretIsRefused) {
  struct Case {
    std::string name;
    std::map<std::string, std::string> data;
    std::string want;
  };
  const std::string secret = "0123456789abcdef";
  for (const Case& c : std::initializer_list<Case>{
           {"bootstrap-token-abcdef", {{"token-secret", secret}}, "key \"token-id\""},
           {"bootstrap-token-abcdef", {{"token-id", "abcdef"}}, "key \"token-secret\""},
           {"bootstrap-token-other",
            {{"token-id", "abcdef"}, {"token-secret", secret}},
            "must be named \"bootstrap-token-abcdef\""},
           {"bootstrap-token-ABC", {{"token-id", "ABC"}, {"token-secret", secret}}, "the form"},
           {"bootstrap-token-abcdef",
            {{"token-id", "abcdef"}, {"token-secret", secret}, {"expiration", "tomorrow"}},
            "expiration \"tomorrow\""}}) {
    EXPECT_THAT(ErrorOf([&] { TokenFromSecret(Secret({"kube-system", c.name}, c.data)); }),
                HasSubstr(c.want))
        << c.want;
  }
}

TEST_F(Cluster, TokensAreListedCreatedAndDeleted) {
  PutToken(client_, FullToken(), kNow, IfExists::kFail);
  EXPECT_THAT(ErrorOf([&] { PutToken(client_, FullToken(), kNow, IfExists::kFail); }),
              HasSubstr("a token with id \"abcdef\" already exists"));
  config::BootstrapToken changed = FullToken();
  changed.description = "changed";
  PutToken(client_, changed, kNow, IfExists::kUpdate);
  server_.Put(kSecret, Secret({"kube-system", "bootstrap-token-broken"}, {},
                              "bootstrap.kubernetes.io/token"));
  server_.Put(kSecret, Secret({"kube-system", "other"}, {{"token-id", "x"}}, "Opaque"));

  const auto tokens = ListTokens(client_);
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(std::get<config::BootstrapToken>(tokens[0]).description, "changed");
  EXPECT_THAT(std::get<BrokenToken>(tokens[1]).problem, HasSubstr("bootstrap-token-broken"));

  DeleteToken(client_, "abcdef");
  EXPECT_EQ(ListTokens(client_).size(), 1U);
  EXPECT_THROW(DeleteToken(client_, "abcdef"), Error);
}

// Admin has the two kubeconfigs of a new cluster; their users' tokens are their names.
class Admin : public Cluster {
 protected:
  Admin() {
    Write("/etc/kubernetes/admin.conf", "admin");
    Write("/etc/kubernetes/super-admin.conf", "super");
  }
  void Write(const std::string& path, const std::string& token) {
    kube::Kubeconfig config = server_.Config();
    config.clusters.begin()->second.server = "https://lb.example.org:6443";
    config.users.begin()->second.token = token;
    fake_.files.Write(path, config.Text(), {});
  }
  // Connected is the token of whom the work is left to.
  std::string Connected() {
    std::map<kube::Transport*, std::string> tokens;
    const auto connect = [&](const kube::Kubeconfig& config) {
      EXPECT_EQ(config.CurrentCluster()->server, "https://10.0.0.1:6443");
      std::shared_ptr<kube::Transport> transport = server_.NewTransport();
      tokens[transport.get()] = config.CurrentUser()->token;
      asked_.push_back(config.CurrentUser()->token);
      return transport;
    };
    return tokens[ConnectAsAdmin(fake_.files,
                                 {.admin = "/etc/kubernetes/admin.conf",
                                  .super_admin = "/etc/kubernetes/super-admin.conf",
                                  .server = "https://10.0.0.1:6443"},
                                 connect, Once())
                      .get()];
  }
  void Forbid(int times) {
    server_.Inject({.what = "POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                    .status = 403,
                    .reason = "Forbidden",
                    .message = "no",
                    .times = times});
  }
  host::FakeHost fake_;
  std::vector<std::string> asked_;
};

TEST_F(Admin, IsEnoughWhenItMayBind) {
  EXPECT_EQ(Connected(), "admin");
  EXPECT_THAT(asked_, ElementsAre("admin"));
  EXPECT_EQ(
      Stored(kube::resources::kClusterRoleBinding, "kubeadm:cluster-admins")["roleRef"]["name"],
      "cluster-admin");
  EXPECT_EQ(Connected(), "admin");  // it exists by now
}

TEST_F(Admin, GetsItsRightsFromTheSuperAdmin) {
  Forbid(1);
  EXPECT_EQ(Connected(), "admin");
  EXPECT_THAT(asked_, ElementsAre("admin", "super"));
}

TEST_F(Admin, IsLostWithoutASuperAdmin) {
  Forbid(-1);
  EXPECT_THAT(ErrorOf([&] { Connected(); }), HasSubstr("super-admin.conf"));
  fake_.files.Remove("/etc/kubernetes/super-admin.conf");
  EXPECT_THAT(ErrorOf([&] { Connected(); }), HasSubstr("super-admin.conf"));
  fake_.files.Remove("/etc/kubernetes/admin.conf");
  EXPECT_THAT(ErrorOf([&] { Connected(); }), HasSubstr("/etc/kubernetes/admin.conf"));
}

TEST(LoadKubeconfig, ReadsInWhatItNames) {
  host::FakeHost fake;
  fake.files.Write("/k/ca.crt", "CA", {});
  fake.files.Write("/abs/c.crt", "CERT", {});
  fake.files.Write("/k/c.key", "KEY", {});
  fake.files.Write("/k/conf",
                   "apiVersion: v1\nkind: Config\nclusters:\n- name: a\n  cluster:\n"
                   "    server: https://x:1\n    certificate-authority: ca.crt\nusers:\n- name: u\n"
                   "  user:\n    client-certificate: /abs/c.crt\n    client-key: c.key\n",
                   {});
  const kube::Kubeconfig config = LoadKubeconfig(fake.files, "/k/conf");
  EXPECT_EQ(config.clusters.at("a").certificate_authority_data, "CA");
  EXPECT_EQ(config.clusters.at("a").certificate_authority, "");
  EXPECT_EQ(config.users.at("u").client_certificate_data, "CERT");
  EXPECT_EQ(config.users.at("u").client_key_data, "KEY");
  fake.files.Write("/k/bad", "[", {});
  EXPECT_THAT(ErrorOf([&] { LoadKubeconfig(fake.files, "/k/bad"); }), HasSubstr("/k/bad"));
}

}  // namespace
}  // namespace cluster
