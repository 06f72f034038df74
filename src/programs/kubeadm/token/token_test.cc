// The token commands as far as they need no cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "base/strings.h"
#include "host/fake_host.h"
#include "kube/kubeconfig.h"
#include "kubeadm/certs/certificate_key.h"
#include "kubeadm/token/cluster.h"
#include "kubeadm/token/commands.h"
#include "kubeadm/token/list.h"

namespace kubeadm {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::chrono::sys_seconds kNow = host::FakeClock::kStart;

TEST(TokenTable, HasTheWidthsThatReadersKnow) {
  const std::vector<config::BootstrapToken> tokens = {
      {.token = "abcdef.0123456789abcdef",
       .description = "the first",
       .expires = kNow + std::chrono::hours(23) + std::chrono::minutes(59),
       .usages = {"authentication", "signing"},
       .groups = {"system:bootstrappers:a", "system:bootstrappers:b"}},
      {.token = "zzzzzz.0123456789abcdef"},
      {.token = "yyyyyy.0123456789abcdef", .expires = kNow - std::chrono::hours(1)}};
  const auto lines = base::Lines(TokenTable(tokens, kNow));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "TOKEN                     TTL         EXPIRES                USAGES                   "
            "DESCRIPTION                                                EXTRA GROUPS");
  EXPECT_EQ(lines[1],
            "abcdef.0123456789abcdef   23h         2026-01-01T23:59:00Z   authentication,signing   "
            "the first                                                  "
            "system:bootstrappers:a,system:bootstrappers:b");
  EXPECT_EQ(base::Fields(lines[2]),
            (std::vector<std::string>{"zzzzzz.0123456789abcdef", "<forever>", "<never>", "<none>",
                                      "<none>", "<none>"}));
  EXPECT_THAT(lines[3], HasSubstr("<invalid>"));
}

TEST(TokenTable, CountsCharactersNotBytes) {
  std::string description;
  for (int i = 0; i < 60; ++i) {
    description += "ü";
  }
  const auto lines = base::Lines(
      TokenTable({{.token = "abcdef.0123456789abcdef", .description = description}}, kNow));
  EXPECT_EQ(lines[0].find("EXTRA GROUPS") + description.size() / 2, lines[1].rfind("<none>"));
}

TEST(TokenTable, IsNothingWithoutTokens) { EXPECT_EQ(TokenTable({}, kNow), ""); }

TEST(TokenObject, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(
      json::Compact(TokenObject({.token = "a"})),
      R"({"kind":"BootstrapToken","apiVersion":"output.kubeadm.k8s.io/v1alpha3","token":"a"})");
  EXPECT_EQ(json::Compact(TokenObject({.token = "a",
                                       .description = "d",
                                       .expires = kNow,
                                       .usages = {"signing"},
                                       .groups = {"g"}})),
            R"({"kind":"BootstrapToken","apiVersion":"output.kubeadm.k8s.io/v1alpha3","token":"a",)"
            R"("description":"d","expires":"2026-01-01T00:00:00Z","usages":["signing"],)"
            R"("groups":["g"]})");
}

class Command : public testing::Test {
 protected:
  // Run gives the command's standard output, or the error's text behind "error: ".
  std::string Run(const std::vector<std::string>& words, const std::string& stdin_text = "") {
    std::istringstream in(stdin_text);
    std::ostringstream out;
    std::ostringstream err;
    cli::Streams streams{in, out, err};
    try {
      cli::Run(TokenCommand(fake_.host), words, streams);
      return out.str();
    } catch (const base::Error& error) {
      return "error: " + error.message();
    }
  }
  void WriteKubeconfig(const std::string& path, const std::string& server) {
    kube::Kubeconfig config;
    config.clusters["c"] = {.server = server};
    config.contexts["x"] = {.cluster = "c"};
    config.current_context = "x";
    fake_.files.Write(path, config.Text(), {});
  }
  host::FakeHost fake_;
};

TEST_F(Command, LooksForAKubeconfigWhereKubectlDoes) {
  fake_.environment.variables["HOME"] = "/root";
  const auto path = [&](const std::string& flag) {
    cli::Parsed flags(std::vector<cli::Flag>{
        {.name = "kubeconfig", .default_text = "/etc/kubernetes/admin.conf"}});
    if (!flag.empty()) {
      flags.Set("kubeconfig", flag);
    }
    return TokenKubeconfigPath(flags, fake_.host);
  };
  EXPECT_EQ(path(""), "/root/.kube/config");  // the name to complain of
  fake_.files.Write("/etc/kubernetes/admin.conf", "", {});
  EXPECT_EQ(path(""), "/etc/kubernetes/admin.conf");
  fake_.files.Write("/root/.kube/config", "", {});
  EXPECT_EQ(path(""), "/root/.kube/config");
  fake_.environment.variables["KUBECONFIG"] = "/absent::/second";
  fake_.files.Write("/second", "", {});
  EXPECT_EQ(path(""), "/second");
  fake_.files.Remove("/second");
  EXPECT_EQ(path(""), "/etc/kubernetes/admin.conf");
  EXPECT_EQ(path("/given"), "/given");
}

TEST_F(Command, TakesATokenFromStandardInputOrAFile) {
  WriteKubeconfig("/k", "https://127.0.0.1:1");
  fake_.files.Write("/token", "bbbbbb.0123456789abcdef\n", {});
  const std::vector<std::string> dry = {"--dry-run", "--kubeconfig", "/k"};
  const auto create = [&](std::vector<std::string> words, const std::string& in) {
    words.insert(words.begin(), "create");
    words.insert(words.end(), dry.begin(), dry.end());
    return Run(words, in);
  };
  EXPECT_THAT(create({"-"}, "aaaaaa.0123456789abcdef\n"), HasSubstr("bootstrap-token-aaaaaa"));
  EXPECT_THAT(create({"--token-file", "/token"}, ""), HasSubstr("bootstrap-token-bbbbbb"));
  EXPECT_THAT(create({"-"}, " \n"), HasSubstr("holds no token"));
  const std::string malformed = create({"-"}, "aaaaaa.0123456789ABCDEF");
  EXPECT_THAT(malformed, HasSubstr("does not have the form"));
  EXPECT_THAT(malformed, Not(HasSubstr("ABCDEF")));  // nearly a secret
  EXPECT_THAT(create({"nope"}, ""), HasSubstr("\"nope\""));
}

TEST_F(Command, DeletesSeveralByTokenOrId) {
  WriteKubeconfig("/k", "https://127.0.0.1:1");
  const std::string done = Run({"delete", "aaaaaa", "-", "--dry-run", "--kubeconfig", "/k"},
                               "bbbbbb.0123456789abcdef\ncccccc\n");
  for (const char* id : {"aaaaaa", "bbbbbb", "cccccc"}) {
    EXPECT_THAT(done, HasSubstr("bootstrap token \"" + std::string(id) + "\" deleted\n"));
  }
  EXPECT_THAT(done, Not(HasSubstr("0123456789abcdef")));
}

TEST(CertificateKey, Is32BytesAsHex) {
  host::FakeHost fake;
  std::istringstream in;
  std::ostringstream out;
  cli::Streams streams{in, out, out};
  cli::Run(CertificateKeyCommand(fake.host), std::vector<std::string>{}, streams);
  const std::string text = out.str();
  ASSERT_EQ(text.size(), 65U);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(base::HexDecode(text.substr(0, 64)).size(), 32U);
}

}  // namespace
}  // namespace kubeadm
