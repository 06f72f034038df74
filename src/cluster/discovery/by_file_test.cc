// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "discovery/fake_cluster.h"

namespace discovery {
namespace {

using base::Error;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFile = "/d/discovery.conf";

class ByFile : public testing::Test {
 protected:
  ByFile() { machine_.ByFile(kFile); }

  // Returns a discovery file: a kubeconfig for the cluster, with this user.
  kube::Kubeconfig File(kube::KubeconfigUser user = {}) {
    kube::Kubeconfig config;
    config.clusters["mine"] = {
        .server = cluster_.Url(),
        .certificate_authority_data = Certificates::Get().ca.certificate.Pem()};
    config.users["me"] = std::move(user);
    config.contexts["ctx"] = {.cluster = "mine", .user = "me"};
    config.current_context = "ctx";
    return config;
  }
  Outcome Run(const kube::Kubeconfig& file) {
    machine_.fake.files.Write(kFile, file.Text(), {});
    return machine_.Run();
  }

  FakeCluster cluster_;
  Machine machine_;
};

TEST_F(ByFile, UsesItsOwnCredentials) {
  const Outcome outcome = Run(File({.token = "t0ken"}));
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_EQ(outcome.config.current_context, "ctx");
  // the server in the file, not the published one
  EXPECT_EQ(outcome.config.CurrentCluster()->server, cluster_.Url());
  EXPECT_EQ(outcome.config.CurrentUser()->token, "t0ken");
  EXPECT_THAT(cluster_.authorizations(), ElementsAre("Bearer t0ken"));
}

kube::KubeconfigUser ByProgram(const std::string& command) {
  return {.rest = {{"exec",
                    {{"apiVersion", "client.authentication.k8s.io/v1"},
                     {"command", command},
                     {"interactiveMode", "Never"}}}}};
}

constexpr const char* kLogin =
    R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
    R"("status":{"token":"fr0m.program"}})";

TEST_F(ByFile, LogsInWithItsExecPlugin) {
  std::vector<std::string> ran;
  machine_.plugins = {.has_terminal = [] { return false; },
                      .now = [] { return std::chrono::system_clock::now(); },
                      .run =
                          [&](const kube::PluginCall& call, const std::stop_token&) {
                            ran.push_back(call.argv.front());
                            return std::string(kLogin);
                          }};
  const Outcome outcome = Run(File(ByProgram("bin/login")));
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_THAT(ran, ElementsAre("/d/bin/login")) << "where the file lies, and once";
  EXPECT_THAT(cluster_.authorizations(), ElementsAre("Bearer fr0m.program"));
  // The result keeps only the login method, because the kubelet logs in by itself.
  EXPECT_EQ(outcome.config.CurrentUser()->token, "");
  EXPECT_EQ(json::TextAt(outcome.config.CurrentUser()->rest, {"exec", "command"}), "/d/bin/login");
}

TEST_F(ByFile, RunsNoPluginWithATlsBootstrapToken) {
  machine_.join.discovery.tls_bootstrap_token = kToken;
  EXPECT_FALSE(Run(File(ByProgram("/none"))).failed) << "there is nobody who could run it";
}

TEST_F(ByFile, ReportsAFailedPlugin) {
  machine_.plugins = {.has_terminal = [] { return false; },
                      .now = [] { return std::chrono::system_clock::now(); },
                      .run = [](const kube::PluginCall&, const std::stop_token&) -> std::string {
                        throw Error("\"/d/login\" failed with exit code 3");
                      }};
  const Outcome outcome = Run(File(ByProgram("./login")));
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kUnauthorized);
  EXPECT_THAT(outcome.error.message(),
              AllOf(HasSubstr("discovery file /d/discovery.conf: cannot log in"),
                    HasSubstr("exit code 3")));
  EXPECT_EQ(machine_.waited, base::Duration::zero());
}

TEST_F(ByFile, EmbedsTheFilesThatItNames) {
  host::FakeFiles& files = machine_.fake.files;
  const pki::KeyPair client = NewPair("client", &Certificates::Get().ca);
  files.Write("/d/ca.crt", Certificates::Get().ca.certificate.Pem(), {});
  files.Write("/d/client.crt", client.certificate.Pem(), {});
  files.Write("/keys/client.key", client.key.Pem(), {});
  files.Write("/d/token", "fr0m.file\n", {});
  kube::Kubeconfig file = File({.client_certificate = "client.crt",
                                .client_key = "/keys/client.key",
                                .token = "old",
                                .token_file = "token"});
  file.clusters["mine"].certificate_authority_data = "";
  file.clusters["mine"].certificate_authority = "ca.crt";
  file.users["other"] = {.token_file = "absent"};
  file.clusters["other"] = {.server = "https://other"};
  file.contexts["other"] = {.cluster = "other", .user = "other"};
  const Outcome outcome = Run(file);
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  const kube::KubeconfigUser& user = *outcome.config.CurrentUser();
  EXPECT_EQ(user.client_certificate_data, client.certificate.Pem());
  EXPECT_EQ(user.client_key_data, client.key.Pem());
  EXPECT_EQ(user.token, "fr0m.file");
  EXPECT_EQ(user.client_certificate + user.client_key + user.token_file, "");
  EXPECT_EQ(outcome.config.CurrentCluster()->certificate_authority_data,
            Certificates::Get().ca.certificate.Pem());
  EXPECT_EQ(outcome.config.users.at("other").token_file, "absent");  // is not needed
  EXPECT_EQ(outcome.config.contexts.at("other").user, "other");
  EXPECT_FALSE(outcome.config.clusters.contains("other"));
}

TEST_F(ByFile, RefusesAnInvalidFile) {
  kube::Kubeconfig file = File({.token = "t", .username = "u", .password = "p"});
  file.contexts["ctx2"] = {.cluster = "none", .user = "me"};
  const Outcome outcome = Run(file);
  ASSERT_TRUE(outcome.failed);
  EXPECT_THAT(outcome.error.message(),
              AllOf(HasSubstr(kFile), HasSubstr("user \"me\""), HasSubstr("cluster \"none\"")));
}

TEST_F(ByFile, RefusesACaWhoseChecksAreSwitchedOff) {
  kube::Kubeconfig file = File({.token = "t"});
  file.clusters["mine"].insecure_skip_tls_verify = true;
  EXPECT_THAT(Run(file).error.message(), HasSubstr("insecure-skip-tls-verify"));
}

TEST_F(ByFile, PrefersTheTlsBootstrapToken) {
  machine_.join.discovery.tls_bootstrap_token = kToken;
  for (const kube::KubeconfigUser& user :
       {kube::KubeconfigUser{}, kube::KubeconfigUser{.token = "mine"},
        kube::KubeconfigUser{.rest = {{"exec", {{"command", "x"}}}}}}) {
    const Outcome outcome = Run(File(user));
    ASSERT_FALSE(outcome.failed) << outcome.error.message();
    EXPECT_EQ(outcome.config.current_context, "tls-bootstrap-token-user@kubernetes");
    EXPECT_EQ(outcome.config.CurrentUser()->token, kToken);
    EXPECT_EQ(outcome.config.CurrentCluster()->server, cluster_.Url());
  }
}

TEST_F(ByFile, UsesThePublishedClusterInfo) {
  machine_.join.discovery.tls_bootstrap_token = kToken;
  kube::Kubeconfig file;
  file.clusters[""] = File().clusters["mine"];
  EXPECT_FALSE(Run(file).failed);
}

TEST_F(ByFile, WorksWithoutClusterInfo) {
  for (const FakeCluster::Reply& reply :
       {FakeCluster::Refused(403, "Forbidden"), FakeCluster::Refused(404, "NotFound"),
        FakeCluster::Reply{.body = R"({"kind": "ConfigMap", "data": {"kubeconfig": "{"}})"}}) {
    cluster_.instead = [&](int) { return std::optional(reply); };
    const Outcome outcome = Run(File({.token = "t"}));
    EXPECT_FALSE(outcome.failed) << outcome.error.message();
    EXPECT_EQ(machine_.waited, base::Duration::zero());
  }
}

TEST_F(ByFile, TakesAMissingCaFromClusterInfo) {
  // answers like a server whose certificate the system trusts
  machine_.ask = [&](const Question&) {
    return Answer{.status = 200, .body = cluster_.Info().body};
  };
  kube::Kubeconfig file = File({.token = "t"});
  file.clusters["mine"].certificate_authority_data = "";
  const Outcome outcome = Run(file);
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_EQ(outcome.config.CurrentCluster()->certificate_authority_data,
            Certificates::Get().ca.certificate.Pem());
}

TEST_F(ByFile, WaitsForAServerThatIsBusy) {
  cluster_.instead = [](int n) {
    return n < 5 ? std::optional(FakeCluster::Reply{.status = 503}) : std::nullopt;
  };
  EXPECT_FALSE(Run(File({.token = "t"})).failed);
  EXPECT_EQ(cluster_.requests(), 6);
}

TEST_F(ByFile, ReportsWhyItCannotBeUsed) {
  struct Row {
    const char* about;
    std::function<void(kube::Kubeconfig&)> change;
    int status;
    Error::Kind kind;
    std::vector<std::string> says;
  };
  const Row rows[] = {
      {"no user",
       [](auto& f) { f.users.clear(); },
       200,
       Error::Kind::kInvalid,
       {"context \"ctx\" names user \"me\"", kFile}},
      {"no credentials",
       [](auto& f) { f.users["me"] = {}; },
       200,
       Error::Kind::kInvalid,
       {"credentials", "TLSBootstrapToken", kFile}},
      {"no cluster",
       [](auto& f) { f.clusters.clear(); },
       200,
       Error::Kind::kInvalid,
       {"names no cluster", kFile}},
      {"no server",
       [](auto& f) { f.clusters["mine"].server = ""; },
       200,
       Error::Kind::kInvalid,
       {"cluster \"mine\" has no server"}},
      {"a CA file that is missing",
       [](auto& f) {
         f.clusters["mine"].certificate_authority_data = "";
         f.clusters["mine"].certificate_authority = "gone.crt";
       },
       200,
       Error::Kind::kNotFound,
       {"/d/gone.crt"}},
      {"another CA",
       [](auto& f) {
         f.clusters["mine"].certificate_authority_data =
             Certificates::Get().other_ca.certificate.Pem();
       },
       200,
       Error::Kind::kUnauthorized,
       {"is not trusted", kFile}},
      {"credentials that have expired",
       [](auto&) {},
       401,
       Error::Kind::kUnauthorized,
       {"does not accept the credentials", kFile}},
      {"a way to log in that we lack",
       [](auto& f) { f.users["me"] = {.rest = {{"exec", {{"command", "x"}}}}}; },
       200,
       Error::Kind::kInvalid,
       {"exec"}},
      {"a server of something else",
       [](auto&) {},
       418,
       Error::Kind::kInvalid,
       {"not a Kubernetes API server"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.about);
    cluster_.instead = [&](int) {
      return row.status == 200 ? std::nullopt
                               : std::optional(FakeCluster::Reply{.status = row.status});
    };
    kube::Kubeconfig file = File({.token = "s3cret"});
    row.change(file);
    const Outcome outcome = Run(file);
    ASSERT_TRUE(outcome.failed);
    EXPECT_EQ(outcome.error.kind(), row.kind);
    for (const std::string& text : row.says) {
      EXPECT_THAT(outcome.error.message(), HasSubstr(text));
    }
    EXPECT_THAT(outcome.error.message(), Not(HasSubstr("s3cret")));
    EXPECT_EQ(machine_.waited, base::Duration::zero());
  }
}

TEST_F(ByFile, NamesAMissingFile) {
  machine_.ByFile("/d/absent.conf");
  EXPECT_THAT(machine_.Run().error.message(), HasSubstr("/d/absent.conf"));
}

// Tests with a file behind an https URL. `ask` plays the server of the URL, whose certificate the
// system trusts.
class ByUrl : public ByFile {
 protected:
  ByUrl() {
    machine_.ByFile("https://user:pass@files.example.org/d.conf?key=s3cret");
    machine_.ask = [this](const Question& question) {
      if (question.path == kClusterInfoPath) {
        return HttpAsk(question);
      }
      asked_.push_back(question);
      return statuses_.empty() ? Answer{.status = 200, .body = File({.token = "t"}).Text()}
                               : Answer{.status = Next()};
    };
  }
  int Next() {
    const int status = statuses_.back();
    statuses_.pop_back();
    return status;
  }
  std::vector<Question> asked_;
  std::vector<int> statuses_;
};

TEST_F(ByUrl, FetchesTheFileFirst) {
  const Outcome outcome = machine_.Run();
  ASSERT_FALSE(outcome.failed) << outcome.error.message();
  EXPECT_EQ(outcome.config.CurrentUser()->token, "t");
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].connection.server, "https://user:pass@files.example.org/d.conf?key=s3cret");
  EXPECT_FALSE(asked_[0].connection.tls.skip_verify);
  EXPECT_EQ(asked_[0].connection.authorization, "");
}

TEST_F(ByUrl, RunsNoProgramThatTheDocumentNames) {
  machine_.ask = [this](const Question& question) {
    return question.path == kClusterInfoPath
               ? HttpAsk(question)
               : Answer{.status = 200, .body = File(ByProgram("/bin/sh")).Text()};
  };
  machine_.plugins.run = [](const kube::PluginCall&, const std::stop_token&) -> std::string {
    ADD_FAILURE() << "it ran";
    return kLogin;
  };
  const Outcome outcome = machine_.Run();
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kInvalid);
  EXPECT_THAT(outcome.error.message(), HasSubstr("a document from the network must not choose it"));
  machine_.join.discovery.tls_bootstrap_token = kToken;
  EXPECT_FALSE(machine_.Run().failed);
}

TEST_F(ByUrl, ReadsNoFileThatTheDocumentNames) {
  kube::KubeconfigUser user{.token_file = "/etc/shadow"};
  machine_.ask = [&](const Question&) { return Answer{.status = 200, .body = File(user).Text()}; };
  for (const char* tls_token : {"", kToken}) {
    machine_.join.discovery.tls_bootstrap_token = tls_token;
    EXPECT_THAT(machine_.Run().error.message(), HasSubstr("by a file of this machine"))
        << tls_token;
  }
  user = {.client_certificate = "/a", .client_key = "/b"};
  EXPECT_THAT(machine_.Run().error.message(), HasSubstr("by a file of this machine"));
  // A user without a name is the current user if there is no context, and must not choose files
  // either.
  kube::Kubeconfig nameless;
  nameless.clusters[""] = {.server = "https://h", .certificate_authority_data = "x"};
  nameless.users[""] = {.token_file = "/etc/shadow"};
  machine_.ask = [&](const Question&) { return Answer{.status = 200, .body = nameless.Text()}; };
  EXPECT_THAT(machine_.Run().error.message(), HasSubstr("by a file of this machine"));
}

TEST_F(ByUrl, AcceptsASchemeInCapitals) {
  machine_.ByFile("HTTPS://files.example.org/d.conf");
  EXPECT_FALSE(machine_.Run().failed);
}

TEST_F(ByUrl, EndsAtOnceAfterAServerError) {
  statuses_ = {503};
  EXPECT_THAT(machine_.Run().error.message(), HasSubstr("status 503"));
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(ByUrl, DoesNotWaitForAServerThatCannotBeReached) {
  machine_.ask = [](const Question&) -> Answer {
    throw Error(Error::Kind::kUnavailable, "cannot connect to files.example.org:443");
  };
  EXPECT_THAT(machine_.Run().error.message(),
              AllOf(HasSubstr("discovery file https://files.example.org:443/d.conf"),
                    HasSubstr("cannot connect")));
  EXPECT_EQ(machine_.waited, base::Duration::zero());
}

TEST_F(ByUrl, NeverPrintsSecretsInTheUrl) {
  statuses_ = {404};
  const Outcome outcome = machine_.Run();
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kNotFound);
  EXPECT_THAT(outcome.error.message(),
              AllOf(HasSubstr("https://files.example.org:443/d.conf"), HasSubstr("404"),
                    Not(HasSubstr("s3cret")), Not(HasSubstr("pass"))));
}

}  // namespace
}  // namespace discovery
