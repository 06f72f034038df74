// SPDX-License-Identifier: Apache-2.0
#include "kube/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "kube/client.h"
#include "kube/fake_identity.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

using base::Error;
using base::Thrown;
using testing::HasSubstr;

class TransportTest : public testing::Test {
 protected:
  void ExpectWelcome(const Kubeconfig& config, ConnectOptions options = {}) {
    EXPECT_EQ(MakeHttpTransport(config, std::move(options))->GetPath("/livez", {}), "ok");
  }
  FakeApiServer server_;
  FakeApiServer secure_{OneFakeIdentity().tls};
};

TEST_F(TransportTest, AuthenticatesByTheKubeconfig) {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    return path == "/token" ? std::optional<std::string>("abc\n") : std::nullopt;
  };
  struct Case {
    KubeconfigUser user;
    std::string header;
  };
  for (const Case& c :
       std::initializer_list<Case>{{{.token = "abc"}, "Bearer abc"},
                                   {{.token_file = "/token"}, "Bearer abc"},
                                   {{.token = "old", .token_file = "/token"}, "Bearer abc"},
                                   {{.token = "abc", .token_file = "/none"}, "Bearer abc"},
                                   {{.username = "me", .password = "pw"}, "Basic bWU6cHc="}}) {
    secure_.RequireAuthorization(c.header);
    Kubeconfig config = secure_.Config(OneFakeIdentity().ca_pem);
    const Error error = Thrown([&] { ExpectWelcome(config); });
    EXPECT_EQ(error.kind(), Error::Kind::kUnauthorized);
    config.users["tester"] = c.user;
    ExpectWelcome(config, {.read_file = read});
  }
}

TEST(Connection, SendsCredentialsByHttpsOnly) {
  const KubeconfigUser user{.client_certificate_data = "c",
                            .client_key_data = "k",
                            .token = "abc",
                            .rest = {{"as", "other"}}};
  for (const auto& [server, override, secure] : {std::tuple{"https://h:1", "", true},
                                                 {"h:1", "", true},
                                                 {"http://h:1", "", false},
                                                 {"HTTP://h:1", "", false},
                                                 {"https://h:1", "http://h", false}}) {
    const ConnectOptions options{.server_override = override};
    const KubeconfigCluster cluster{.server = server};
    EXPECT_EQ(IsSecure(cluster, options), secure) << server;
    const Connection connection = ConnectionOf(cluster, user, options);
    EXPECT_EQ(connection.authorization, secure ? "Bearer abc" : "") << server;
    EXPECT_EQ(connection.tls.certificate_pem, secure ? "c" : "") << server;
    EXPECT_EQ(connection.tls.key_pem, secure ? "k" : "") << server;
    EXPECT_EQ(NewRequest(connection, "/").headers.size(), secure ? 3U : 2U) << server;
  }
}

TEST(Connection, IgnoresSettingsWithoutEffect) {
  const Connection connection =
      ConnectionOf({.server = "https://h:1/base/?x=1"},
                   {.client_key = "/not/looked/for", .token = "abc", .token_file = "/empty"},
                   {.read_file = [](const std::string& path) {
                     return path == "/empty" ? std::optional<std::string>("\n") : std::nullopt;
                   }});
  EXPECT_EQ(NewRequest(connection, "/api").url, "https://h:1/base/api");
  EXPECT_EQ(connection.tls.key_pem, "");
  EXPECT_EQ(connection.authorization, "Bearer abc");
}

TEST(Connection, ImpersonatesTheUserOfTheKubeconfig) {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  const KubeconfigUser user{.rest = {{"as", "jane"},
                                     {"as-uid", "7"},
                                     {"as-groups", {"a", "b"}},
                                     {"as-user-extra", {{"example.org/x y", {"1", "2"}}}}}};
  EXPECT_EQ(ConnectionOf({.server = "h:1"}, user, {}).impersonation,
            (Headers{{"Impersonate-User", "jane"},
                     {"Impersonate-Uid", "7"},
                     {"Impersonate-Group", "a"},
                     {"Impersonate-Group", "b"},
                     {"Impersonate-Extra-example.org%2Fx%20y", "1"},
                     {"Impersonate-Extra-example.org%2Fx%20y", "2"}}));
}

TEST(Connection, RefusesLineEndsInHeaderValues) {
  const std::string bad = "abc\r\nX-Remote-User: admin";
  struct Case {
    std::string text;
    KubeconfigUser user;
    std::string server = "https://h:1";
    std::string name;
  };
  const auto read = [&](const std::string&) { return std::optional<std::string>(bad); };
  for (const Case& c : std::initializer_list<Case>{
           {"token", {.token = bad}},
           {"token", {.token = "abc\n"}},
           {"token", {.token = std::string("a\0b", 3)}},
           {"token", {.token_file = "/token"}},
           {"user to act as (Impersonate-User)", {.rest = {{"as", bad}}}},
           {"user to act as (Impersonate-Uid)", {.rest = {{"as", "x"}, {"as-uid", bad}}}},
           {"user to act as (Impersonate-Group)", {.rest = {{"as", "x"}, {"as-groups", {bad}}}}},
           {"user to act as (Impersonate-Extra-k)",
            {.rest = {{"as", "x"}, {"as-user-extra", {{"k", {bad}}}}}}},
           {"without \"as\"", {.rest = {{"as-groups", {"system:masters"}}}}},
           {"no text as \"as\"", {.rest = {{"as", 1}}}},
           {"no list of texts as \"as-groups\"", {.rest = {{"as", "x"}, {"as-groups", "y"}}}},
           {"no map as \"as-user-extra\"", {.rest = {{"as", "x"}, {"as-user-extra", "y"}}}},
           {"server", {}, "https://h:1\r\nX: y"},
           {"tls-server-name", {}, "https://h:1", "x\ny"}}) {
    const Error error = Thrown([&] {
      ConnectionOf({.server = c.server, .tls_server_name = c.name}, c.user, {.read_file = read});
    });
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid) << c.text;
    EXPECT_THAT(error.message(), HasSubstr(c.text));
    EXPECT_THAT(error.message(), testing::Not(HasSubstr("X-Remote-User")));
  }
}

TEST_F(TransportTest, UsesTheGivenServer) {
  Kubeconfig config = server_.Config();
  config.clusters["fake"].server = "https://127.0.0.1:1";
  ExpectWelcome(config, {.server_override = server_.Url() + "/"});
}

TEST_F(TransportTest, RefusesKubeconfigsItCannotUse) {
  const Kubeconfig good = secure_.Config();
  struct Case {
    std::string text;
    std::function<void(Kubeconfig&)> spoil;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"its current context \"absent\" does not exist",
            [](Kubeconfig& k) { k.current_context = "absent"; }},
           {"names user \"nobody\", which does not exist",
            [](Kubeconfig& k) { k.contexts[k.current_context].user = "nobody"; }},
           {"names no server", [](Kubeconfig& k) { k.clusters["fake"].server = ""; }},
           {"/ca.crt, which does not exist",
            [](Kubeconfig& k) { k.clusters["fake"].certificate_authority = "/ca.crt"; }},
           {"CA file /empty is empty",
            [](Kubeconfig& k) { k.clusters["fake"].certificate_authority = "/empty"; }},
           {"needs the key of its client certificate",
            [](Kubeconfig& k) { k.users["tester"].client_certificate_data = "x"; }},
           {"token file /empty is empty",
            [](Kubeconfig& k) { k.users["tester"].token_file = "/empty"; }},
           {"proxy-url is not a URL of a proxy",
            [](Kubeconfig& k) { k.clusters["fake"].proxy_url = "127.0.0.1:3128"; }},
           {"proxy-url is not a URL of a proxy",
            [](Kubeconfig& k) { k.clusters["fake"].proxy_url = "ftp://user:secret@h"; }},
           {"\"exec\", which is not supported",
            [](Kubeconfig& k) { k.users["tester"].rest = {{"exec", {{"command", "x"}}}}; }}}) {
    Kubeconfig config = good;
    c.spoil(config);
    const Error error = Thrown([&] {
      MakeHttpTransport(config, {.read_file = [](const std::string& path) {
                          return path == "/empty" ? std::optional<std::string>("") : std::nullopt;
                        }});
    });
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid) << c.text;
    EXPECT_THAT(error.message(), HasSubstr(c.text));
  }
}

TEST_F(TransportTest, RefusesABodyThatIsNotAnObject) {
  for (const char* text : {"[]", "null", "1", "\"x\"", "[{}]"}) {
    server_.SetText("/api/v1/nodes/n", 200, text);
    const Error error = Thrown([&] {
      server_.NewTransport()->Do({.verb = Verb::kGet, .resource = resources::kNode, .name = "n"},
                                 {});
    });
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("not an object of the API"));
  }
}

TEST_F(TransportTest, RefusesAnEmptyBody) {
  server_.SetText("/api/v1/nodes/n", 200, "");
  const Error error = Thrown([&] {
    server_.NewTransport()->Do({.verb = Verb::kGet, .resource = resources::kNode, .name = "n"}, {});
  });
  EXPECT_THAT(error.message(), HasSubstr("answered with nothing"));
}

TEST_F(TransportTest, NamesTheServerOfAMalformedAnswer) {
  server_.SetText("/livez", 500, "[-]etcd failed");
  const Error error = Thrown([&] { server_.NewTransport()->GetPath("/livez", {}); });
  EXPECT_EQ(error.kind(), Error::Kind::kUnavailable);
  EXPECT_EQ(error.message(), server_.Url().substr(7) + " answered with status 500: [-]etcd failed");
}

}  // namespace
}  // namespace kube
