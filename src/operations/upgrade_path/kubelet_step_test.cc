// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/kubelet_step.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_cluster.h"

namespace upgrade_path {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

base::Version V(std::string_view text) { return base::Version::Parse(text).value(); }

class KubeletStepTest : public kube::FakeCluster {
 protected:
  KubeletStepTest() {
    host_.files.Write("/srv/v1.35.4/kubelet", "", {.mode = 0755});
    host_.files.Write("/opt/kubelet", "old", {.mode = 0755});
    host_.processes.On("/srv/v1.35.4/kubelet --version", {.out = "Kubernetes v1.35.4\n"});
    host_.processes.On("systemctl", {});
    host_.processes.On("cmp", {.exit_code = 1});
    host_.processes.On("test", {.exit_code = 1});
    for (const char* program : {"kubelet", "install", "ln", "mv", "sh", "sync"}) {
      host_.processes.AddExecutable(program);
    }
    host_.processes.On("readlink -f", {.out = "/opt/kubelet\n"});
    host_.processes.On("/opt/kubelet --version", {.out = "Kubernetes v1.34.4\n"});
  }

  void PutNode(const char* version, const char* ready) {
    server_.Put(kube::resources::kNode,
                {{"apiVersion", "v1"},
                 {"kind", "Node"},
                 {"metadata", {{"name", "one"}}},
                 {"status",
                  {{"nodeInfo", {{"kubeletVersion", version}}},
                   {"conditions", {{{"type", "Ready"}, {"status", ready}}}}}}});
  }

  KubeletStep Step() {
    return {.host = host_.host,
            .client = client_,
            .node = "one",
            .version = V("v1.35.4"),
            .programs = {{.version = V("v1.35.4"), .path = "/srv/v1.35.4/kubelet"}},
            .limit = std::chrono::milliseconds(100),
            .say = [this](const std::string& line) { said_.push_back(line); }};
  }

  host::FakeHost host_;
  std::vector<std::string> said_;
};

TEST_F(KubeletStepTest, ReplacesTheProgramAndKeepsTheOldOne) {
  PutNode("v1.35.4", "True");
  BringKubelet(Step());
  EXPECT_THAT(host_.processes.changes(),
              ElementsAre("install -D -m 0755 /srv/v1.35.4/kubelet /opt/kubelet.next",
                          "sync /opt/kubelet.next", "ln -f /opt/kubelet /opt/kubelet.restore",
                          "ln -f /opt/kubelet.next /opt/kubelet.new",
                          "mv -f /opt/kubelet.next /opt/kubelet", "sync /opt",
                          "systemctl daemon-reload", "systemctl restart kubelet"));
  EXPECT_THAT(said_.back(), HasSubstr("serves at v1.35.4"));
}

TEST_F(KubeletStepTest, DoesNotBackUpAProgramThatIsInPlace) {
  PutNode("v1.35.4", "True");
  host_.processes.On("cmp", {});
  BringKubelet(Step());
  EXPECT_THAT(host_.processes.changes(),
              ElementsAre("sync /opt", "systemctl daemon-reload", "systemctl restart kubelet"));
}

TEST_F(KubeletStepTest, RunsTheInstallCommandAndReportsItsFailure) {
  PutNode("v1.35.4", "True");
  KubeletStep step = Step();
  step.command = "install-kubelet";
  BringKubelet(step);
  EXPECT_EQ(host_.processes.changes().front(), "sh -c install-kubelet");
  host_.processes.On("sh -c install-kubelet", {.exit_code = 7, .err = "no such package\n"});
  EXPECT_THAT(base::MessageOf([&] { BringKubelet(step); }),
              HasSubstr("ended with status 7: no such package"));
}

TEST_F(KubeletStepTest, RestoresTheProgramIfItDoesNotServe) {
  PutNode("v1.34.4", "True");
  host_.files.Write("/opt/kubelet.restore", "old", {.mode = 0755});
  host_.processes.On("test /opt/kubelet -ef /opt/kubelet.new", {});
  host_.files.Write("/var/lib/kubelet/config.yaml", "healthzPort: 0\n", {});
  const std::string failure = base::MessageOf([&] { BringKubelet(Step()); });
  EXPECT_THAT(failure, HasSubstr("does not serve: "));
  EXPECT_THAT(failure, HasSubstr("the cluster has it at v1.34.4"));
  EXPECT_THAT(failure,
              StartsWith("the previous kubelet was restored and serves, because the kubelet of"));
  EXPECT_THAT(host_.processes.changes(), Contains("mv -f /opt/kubelet.restore /opt/kubelet"));
  EXPECT_EQ(host_.processes.changes().back(), "systemctl restart kubelet");
}

TEST_F(KubeletStepTest, CompletesAReplacementThatWasInterrupted) {
  PutNode("v1.35.4", "True");
  const KubeletStep step = Step();
  EXPECT_FALSE(HasUnconfirmedKubelet(host_.host, step.programs, {}));
  host_.files.Write("/opt/kubelet.restore", "old", {.mode = 0755});
  host_.processes.On("test /opt/kubelet -ef /opt/kubelet.new", {});
  EXPECT_TRUE(HasUnconfirmedKubelet(host_.host, step.programs, {}));
  host_.processes.On("cmp", {});
  BringKubelet(step);
  EXPECT_THAT(host_.processes.changes(),
              Contains("mv -f /opt/kubelet.restore /opt/kubelet.previous"));
}

TEST_F(KubeletStepTest, RestoresNoProgramThatItHasNotReplaced) {
  PutNode("v1.35.4", "False");
  std::string failure = base::MessageOf([&] { BringKubelet(Step()); });
  EXPECT_THAT(failure, HasSubstr("does not serve: "));
  EXPECT_THAT(failure, Not(HasSubstr("restored")));
  host_.processes.On("install", {.exit_code = 1, .err = "read-only\n"});
  failure = base::MessageOf([&] { BringKubelet(Step()); });
  EXPECT_THAT(failure, HasSubstr("/opt/kubelet.next failed: read-only"));
  EXPECT_THAT(failure, Not(HasSubstr("does not serve")));
}

TEST_F(KubeletStepTest, RunsTheCommandWithThePreviousVersionIfTheNewOneDoesNotServe) {
  PutNode("v1.34.4", "True");
  host_.files.Write("/var/lib/kubelet/config.yaml", "healthzPort: 0\n", {});
  host_.processes.On("kubelet --version", {.out = "Kubernetes v1.34.4\n"});
  KubeletStep step = Step();
  step.command = "install-kubelet";
  EXPECT_THAT(base::MessageOf([&] { BringKubelet(step); }),
              HasSubstr("the previous kubelet was restored and serves"));
  // The fake command has changed nothing, so it is not run again.
  EXPECT_EQ(std::ranges::count(host_.processes.changes(), "sh -c install-kubelet"), 1);
}

}  // namespace
}  // namespace upgrade_path
