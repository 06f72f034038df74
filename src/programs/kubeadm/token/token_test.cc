// SPDX-License-Identifier: Apache-2.0
// The parts of the token commands that need no cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "base/strings.h"
#include "host/fake_host.h"
#include "kube/kubeconfig.h"
#include "kubeadm/commands.h"
#include "kubeadm/token/cluster.h"

namespace kubeadm {
namespace {

using testing::HasSubstr;
using testing::Not;

class Command : public testing::Test {
 protected:
  // Returns the command's standard output, or the error's text after "error: ".
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

TEST_F(Command, TakesTheKubeconfigOfTheFlagFirst) {
  fake_.environment.variables["HOME"] = "/root";
  const auto path = [&](const std::string& flag) {
    cli::Parsed flags(std::vector<cli::Flag>{
        {.name = "kubeconfig", .default_text = "/etc/kubernetes/admin.conf"}});
    flags.Set("kubeconfig", flag);
    return TokenKubeconfigPath(flags, fake_.host);
  };
  EXPECT_EQ(path(""), "/root/.kube/config");
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
  EXPECT_THAT(malformed, Not(HasSubstr("ABCDEF")));  // the text may contain a secret
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
  cli::Run(CertsCommand(fake.host), std::vector<std::string>{"certificate-key"}, streams);
  const std::string text = out.str();
  ASSERT_EQ(text.size(), 65U);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(base::HexDecode(text.substr(0, 64)).size(), 32U);
}

}  // namespace
}  // namespace kubeadm
