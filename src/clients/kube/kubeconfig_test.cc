// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"

namespace kube {
namespace {

using testing::HasSubstr;
using testing::Key;
using testing::UnorderedElementsAre;

Kubeconfig Example() {
  Kubeconfig config;
  config.clusters["kubernetes"] = {.server = "https://10.20.30.40:6443",
                                   .certificate_authority_data = "CA PEM\n"};
  config.users["kubernetes-admin"] = {.client_certificate_data = "CERT PEM\n",
                                      .client_key_data = "KEY PEM\n"};
  config.contexts["kubernetes-admin@kubernetes"] = {.cluster = "kubernetes",
                                                    .user = "kubernetes-admin"};
  config.current_context = "kubernetes-admin@kubernetes";
  return config;
}

constexpr std::string_view kExampleText = R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EgUEVNCg==
    server: https://10.20.30.40:6443
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
users:
- name: kubernetes-admin
  user:
    client-certificate-data: Q0VSVCBQRU0K
    client-key-data: S0VZIFBFTQo=
)";

TEST(KubeconfigTest, IsWrittenAsKubernetesToolsDo) { EXPECT_EQ(Example().Text(), kExampleText); }

TEST(KubeconfigTest, ClusterInfoHasNullListsAndEmptyNames) {
  Kubeconfig config;
  config.clusters[""] = {.server = "https://10.20.30.40:6443"};
  EXPECT_EQ(config.Text(),
            "apiVersion: v1\n"
            "clusters:\n"
            "- cluster:\n"
            "    server: https://10.20.30.40:6443\n"
            "  name: \"\"\n"
            "contexts: null\n"
            "current-context: \"\"\n"
            "kind: Config\n"
            "users: null\n");
}

TEST(KubeconfigTest, RoundTrips) {
  const Kubeconfig config = Kubeconfig::Parse(kExampleText);
  EXPECT_EQ(config.Text(), kExampleText);
  ASSERT_NE(config.CurrentCluster(), nullptr);
  EXPECT_EQ(config.CurrentCluster()->certificate_authority_data, "CA PEM\n");
  ASSERT_NE(config.CurrentUser(), nullptr);
  EXPECT_EQ(config.CurrentUser()->client_key_data, "KEY PEM\n");
}

TEST(KubeconfigTest, EveryFieldIsReadAndWritten) {
  const std::string text = R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority: /ca.crt
    insecure-skip-tls-verify: true
    proxy-url: http://proxy
    server: https://a
    tls-server-name: b
  name: one
- cluster:
    server: ""
  name: two
contexts:
- context:
    cluster: one
    namespace: kube-system
    user: u
  name: c
current-context: c
kind: Config
users:
- name: u
  user:
    client-certificate: /c.crt
    client-key: /c.key
    password: p
    token: t
    tokenFile: /t
    username: somebody
)";
  const Kubeconfig config = Kubeconfig::Parse(text);
  EXPECT_EQ(config.Text(), text);
  EXPECT_TRUE(config.CurrentCluster()->insecure_skip_tls_verify);
  EXPECT_EQ(config.CurrentContext()->name_space, "kube-system");
  EXPECT_EQ(config.CurrentUser()->token_file, "/t");
  EXPECT_THAT(config.clusters, UnorderedElementsAre(Key("one"), Key("two")));
}

TEST(KubeconfigTest, KeepsUnknownFields) {
  const std::string text = R"(apiVersion: v1
clusters:
- cluster:
    disable-compression: true
    min-connection-pool-size: 4
    server: https://a
  name: one
contexts:
- context:
    cluster: one
    extensions:
    - extension: {}
      name: e
    user: u
  name: c
current-context: c
extensions:
- extension: {}
  name: mine
kind: Config
preferences:
  colors: true
users:
- name: u
  user:
    as: somebody
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: login
      env: null
)";
  EXPECT_EQ(Kubeconfig::Parse(text).Text(), text);
}

TEST(KubeconfigTest, AcceptsAnEmptyKubeconfig) {
  for (const char* text : {"", "# nothing\n", "{}", "kind: Config", "apiVersion: v1",
                           "clusters: null\nusers: []\npreferences: {}\n"}) {
    const Kubeconfig config = Kubeconfig::Parse(text);
    EXPECT_TRUE(config.clusters.empty()) << text;
    EXPECT_EQ(config.CurrentContext(), nullptr) << text;
    EXPECT_EQ(config.CurrentCluster(), nullptr) << text;
    EXPECT_EQ(config.CurrentUser(), nullptr) << text;
  }
}

TEST(KubeconfigTest, ReturnsNullForAnUndefinedName) {
  Kubeconfig config = Example();
  config.contexts["kubernetes-admin@kubernetes"].cluster = "gone";
  EXPECT_EQ(config.CurrentCluster(), nullptr);
  EXPECT_NE(config.CurrentUser(), nullptr);
  config.current_context = "gone";
  EXPECT_EQ(config.CurrentUser(), nullptr);
}

TEST(KubeconfigTest, RefusesAFileThatIsNotAKubeconfig) {
  struct Case {
    std::string text;
    std::string mention;
  };
  for (const Case& c : {
           Case{"junk", "not a kubeconfig"},
           Case{"- a\n", "not a kubeconfig"},
           Case{"clusters: [\n", "line"},
           Case{"apiVersion: v1\nkind: Pod\n", "Pod"},
           Case{"apiVersion: v2\nkind: Config\n", "v2"},
           Case{"clusters: {}\n", "clusters must be a list"},
           Case{"clusters: [x]\n", "clusters[0] must be an object"},
           Case{"clusters: [{name: a, cluster: 5}]\n", "clusters[0].cluster must be an object"},
           Case{"clusters: [{name: a, cluster: {server: 5}}]\n",
                "clusters[0].cluster.server must be a string"},
           Case{"clusters: [{name: a, cluster: {insecure-skip-tls-verify: x}}]\n",
                "insecure-skip-tls-verify"},
           Case{"users: [{name: a}, {name: a}]\n", "users names \"a\" a second time"},
           Case{"users: [{name: a, user: {client-key-data: '@@'}}]\n",
                "users[0].user.client-key-data"},
           Case{"current-context: 5\n", "current-context must be a string"},
       }) {
    const base::Error error = base::Thrown([&] { Kubeconfig::Parse(c.text); });
    EXPECT_THAT(error.message(), HasSubstr(c.mention));
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid) << c.text;
  }
}

TEST(KubeconfigTest, PublicClusterPrefersTheClusterWithoutAName) {
  Kubeconfig config;
  EXPECT_EQ(config.PublicCluster(), nullptr);
  config.clusters["mine"] = {.server = "https://mine"};
  config.contexts["ctx"] = {.cluster = "mine", .user = ""};
  config.current_context = "ctx";
  EXPECT_EQ(config.PublicCluster()->server, "https://mine");
  config.clusters[""] = {.server = "https://public"};
  EXPECT_EQ(config.PublicCluster()->server, "https://public");
}

TEST(KubeconfigTest, ReportsFlawsOfAllParts) {
  Kubeconfig config;
  config.clusters["good"] = {.server = "https://a", .certificate_authority_data = "pem"};
  config.users["good"] = {.client_key_data = "k", .client_certificate = "/crt"};
  config.contexts["good"] = {.cluster = "good", .user = "good"};
  EXPECT_THAT(config.Flaws(), testing::IsEmpty());

  config.clusters["c"] = {.certificate_authority_data = "pem", .certificate_authority = "/ca"};
  config.users["u"] = {.client_certificate_data = "pem", .client_certificate = "/crt"};
  config.users["v"] = {.token = "t", .username = "u"};
  config.contexts["x"] = {.cluster = "none", .user = ""};
  EXPECT_THAT(config.Flaws(),
              testing::ElementsAre("context \"x\" names cluster \"none\", which is not there",
                                   "context \"x\" names no user", "cluster \"c\" has no server",
                                   HasSubstr("both certificate-authority and"),
                                   HasSubstr("user \"u\" has both client-certificate and"),
                                   HasSubstr("neither client-key nor"),
                                   HasSubstr("user \"v\" has both a token and")));
}

TEST(KubeconfigTest, RecognizesEveryKindOfCredentials) {
  struct Case {
    const char* name;
    KubeconfigUser user;
    bool want;
  };
  for (const Case& c :
       {Case{"nothing", {}, false}, Case{"a token", {.token = "t"}, true},
        Case{"a token file", {.token_file = "/t"}, true},
        Case{"a certificate alone", {.client_certificate_data = "c"}, false},
        Case{"a key alone", {.client_key = "/k"}, false},
        Case{"both, one as a file", {.client_key_data = "k", .client_certificate = "/c"}, true},
        Case{"a user name alone", {.username = "u"}, false},
        Case{"a user name and password", {.username = "u", .password = "p"}, true},
        Case{"a program", {.rest = {{"exec", {{"command", "x"}}}}}, true},
        Case{"a provider", {.rest = {{"auth-provider", {{"name", "x"}}}}}, true},
        Case{"something else", {.rest = {{"as", "x"}}}, false}}) {
    EXPECT_EQ(c.user.HasCredentials(), c.want) << c.name;
  }
}

TEST(LocateFiles, ResolvesPathsRelativeToTheKubeconfig) {
  Kubeconfig config;
  config.clusters["c"].certificate_authority = "ca.crt";
  config.users["u"].client_certificate = "../u.crt";
  config.users["u"].client_key = "/keys/u.key";
  config.users["v"].token_file = "token";
  LocateFiles(config, "/etc/kc");
  EXPECT_EQ(config.clusters["c"].certificate_authority, "/etc/kc/ca.crt");
  EXPECT_EQ(config.users["u"].client_certificate, "/etc/kc/../u.crt");
  EXPECT_EQ(config.users["u"].client_key, "/keys/u.key");
  EXPECT_EQ(config.users["u"].token_file, "");
  EXPECT_EQ(config.users["v"].token_file, "/etc/kc/token");
}

}  // namespace
}  // namespace kube
