// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/connect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_identity.h"
#include "kube/fake_server.h"
#include "kubeconfigs/load.h"

namespace kubeconfigs {
namespace {

using base::Error;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

constexpr const char* kAnswer =
    R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
        "status": {"token": "good"}})";

class ConnectTest : public ::testing::Test {
 protected:
  ConnectTest() {
    server_.RequireAuthorization("Bearer good");
    server_.SetText("/version", 200, "v1");
  }

  // Creates /home/kube/config with a user who logs in with `command`.
  void WriteConfig(const std::string& command, const std::string& mode = "Never") {
    kube::Kubeconfig config = server_.Config(kube::OneFakeIdentity().ca_pem);
    config.users.begin()->second.rest = {{"exec",
                                          {{"apiVersion", "client.authentication.k8s.io/v1"},
                                           {"command", command},
                                           {"args", {"get", "a b; c"}},
                                           {"interactiveMode", mode},
                                           {"installHint", "apt install plug"}}}};
    host_.files.Write("/home/kube/config", config.Text(), {});
  }

  std::string Ask() { return ConnectBy(host_.host, "/home/kube/config")->GetPath("/version", {}); }

  std::string Failure() {
    return base::MessageOf([&] { Ask(); }, Error::Kind::kUnauthorized);
  }

  host::FakeHost host_;
  kube::FakeApiServer server_{kube::OneFakeIdentity().tls};
};

TEST_F(ConnectTest, LogsInWithAPlugin) {
  WriteConfig("plug");
  host_.processes.On("plug", {.out = kAnswer});
  EXPECT_EQ(Ask(), "v1");
  EXPECT_THAT(host_.processes.calls(), ElementsAre("plug get a b; c"));
  EXPECT_TRUE(host_.processes.changes().empty());  // dry runs log in as well
  const host::RunOptions options = host_.processes.last_options();
  EXPECT_EQ(options.talk, host::Talk::kErrorsToUser);
  EXPECT_EQ(options.timeout, 1min);
  EXPECT_THAT(options.environment.at("KUBERNETES_EXEC_INFO"), HasSubstr("\"interactive\":false"));
}

TEST_F(ConnectTest, AProgramAtATerminalMayAskAndTakeLonger) {
  WriteConfig("plug", "IfAvailable");
  host_.processes.On("plug", {.out = kAnswer});
  host_.environment.terminal = true;
  Ask();
  const host::RunOptions options = host_.processes.last_options();
  EXPECT_EQ(options.talk, host::Talk::kAtTerminal);
  EXPECT_EQ(options.timeout, 5min);
}

TEST_F(ConnectTest, ARelativeProgramIsNextToTheKubeconfig) {
  WriteConfig("./bin/../bin/plug");
  host_.processes.On("/home/kube/bin/plug", {.out = kAnswer});
  EXPECT_EQ(Ask(), "v1");
}

TEST_F(ConnectTest, AProgramThatIsMissingOrFailsIsNamed) {
  WriteConfig("plug");
  EXPECT_THAT(Failure(), HasSubstr("user logs in by the program \"plug\", which cannot be run"));
  EXPECT_THAT(Failure(), HasSubstr("apt install plug"));
  host_.processes.On("plug", {.exit_code = 3, .out = "secret"});
  EXPECT_EQ(Failure(), "cannot log in: \"plug\" failed with exit code 3\n\napt install plug");
  host_.processes.On("plug", {.timed_out = true, .out = "secret"});
  EXPECT_THAT(Failure(), HasSubstr("\"plug\" has not answered within 1m0s"));
}

TEST_F(ConnectTest, AKubeconfigThatCannotBeUsedIsNamed) {
  WriteConfig("plug", "Sometimes");
  const base::Error error = base::Thrown([&] { Ask(); });
  EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("/home/kube/config: "));
  EXPECT_THAT(error.message(), HasSubstr("exec.interactiveMode is \"Sometimes\""));
}

TEST_F(ConnectTest, ReadsARelativeTokenFileFromTheKubeconfigsDirectory) {
  kube::Kubeconfig config = server_.Config(kube::OneFakeIdentity().ca_pem);
  config.users.begin()->second.token_file = "token";
  host_.files.Write("/home/kube/config", config.Text(), {});
  host_.files.Write("/home/kube/token", "good\n", {});
  EXPECT_EQ(Ask(), "v1");
}

}  // namespace
}  // namespace kubeconfigs
