// SPDX-License-Identifier: Apache-2.0
#include "reset/leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "kube/kubeconfig.h"
#include "renewal/daily.h"
#include "timers/timer.h"

namespace reset {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LeftoversTest : public testing::Test {
 protected:
  void WriteKubeconfig(const std::string& path, const std::vector<std::string>& cas) {
    kube::Kubeconfig config{.current_context = "0"};
    for (const std::string& ca : cas) {
      const std::string name = std::to_string(config.clusters.size());
      config.clusters[name] = {.server = "https://" + ca, .certificate_authority_data = ca};
      config.contexts[name] = {.cluster = name, .user = "me"};
    }
    fake_.files.Write(path, config.Text(), {});
  }
  host::FakeHost fake_;
};

TEST_F(LeftoversTest, FindsKubeconfigsOfHomeAndOfTheUserBehindSudo) {
  fake_.environment.variables = {{"HOME", "/root"}, {"SUDO_USER", "ann"}};
  fake_.files.Write("/etc/passwd", "ann:x:1000:1000:Ann,,,:/home/ann:/bin/sh\nshort:x\n", {});
  EXPECT_THAT(UserKubeconfigs(fake_.host), IsEmpty());
  fake_.files.Write("/root/.kube/config", "", {});
  fake_.files.Write("/home/ann/.kube/config", "", {});
  EXPECT_THAT(UserKubeconfigs(fake_.host),
              ElementsAre("/root/.kube/config", "/home/ann/.kube/config"));
  fake_.environment.variables = {{"HOME", "/root"}, {"SUDO_USER", "unknown"}};
  EXPECT_THAT(UserKubeconfigs(fake_.host), ElementsAre("/root/.kube/config"));
}

TEST_F(LeftoversTest, RecognizesTheClusterByItsCa) {
  EXPECT_EQ(ClusterCa(fake_.files), std::nullopt);
  WriteKubeconfig("/etc/kubernetes/kubelet.conf", {"of the kubelet"});
  EXPECT_EQ(ClusterCa(fake_.files), "of the kubelet");
  WriteKubeconfig("/etc/kubernetes/admin.conf", {"ours"});
  EXPECT_EQ(ClusterCa(fake_.files), "ours");
}

TEST_F(LeftoversTest, AKubeconfigBelongsToTheClusterWhollyPartlyOrNot) {
  WriteKubeconfig("/only", {"ours"});
  WriteKubeconfig("/partly", {"ours", "theirs"});
  WriteKubeconfig("/not", {"theirs"});
  fake_.files.Write("/broken", "{", {});
  EXPECT_EQ(BelongsTo(fake_.files, "/only", "ours"), Belongs::kOnly);
  EXPECT_EQ(BelongsTo(fake_.files, "/partly", "ours"), Belongs::kPartly);
  EXPECT_EQ(BelongsTo(fake_.files, "/not", "ours"), Belongs::kNo);
  EXPECT_EQ(BelongsTo(fake_.files, "/broken", "ours"), Belongs::kNo);
  EXPECT_EQ(BelongsTo(fake_.files, "/absent", "ours"), Belongs::kNo);
  EXPECT_EQ(BelongsTo(fake_.files, "/only", ""), Belongs::kNo);
}

TEST_F(LeftoversTest, AreAllNamed) {
  const LeftoverQuestion question{.emptied = {"/a", "/a/b", "/absent"},
                                  .removed = {"/c", "/gone"},
                                  .kubelet_dir = "/var/lib/kubelet",
                                  .kubeconfigs = {"/root/.kube/config"}};
  EXPECT_THAT(FindLeftovers(fake_.host, {.kubelet_dir = "/var/lib/kubelet"}), IsEmpty());
  fake_.files.Write("/a/b", "", {});
  fake_.files.Write("/c", "", {});
  fake_.files.Write("/etc/cni/net.d/10.conf", "{}", {});
  fake_.network.port_problems[10250] = "in use";
  fake_.processes.On("nft list tables", {.out = "table ip kube-proxy\n"});
  fake_.mounts.mounts = {{"x", "/var/lib/kubelet/v", "nfs"}};
  fake_.files.MakeDirectories("/etc/cron.d", 0755);
  timers::Apply(timers::PlanEnable(renewal::kDaily, timers::Scheduler::kCronDirectory, {"/kubeadm"},
                                   fake_.files),
                fake_.host);
  EXPECT_THAT(
      FindLeftovers(fake_.host, question),
      ElementsAre("directory /a is not empty: b", "/c could not be removed",
                  "a mount on /var/lib/kubelet/v", HasSubstr("port 10250, which is a kubelet's"),
                  "CNI's configuration in /etc/cni/net.d: 10.conf",
                  HasSubstr("nftables table ip kube-proxy"),
                  HasSubstr("timer kubeadm-certs-renew (\"kubeadm certs auto-renew disable\""),
                  HasSubstr("kubeconfig /root/.kube/config")));
}

}  // namespace
}  // namespace reset
