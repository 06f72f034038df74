// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/findings.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace upgrade_path {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

using checks::Finding;
using checks::Severity;

class CheckSettingsTest : public testing::Test {
 protected:
  CheckSettingsTest() { cluster_.etcd.local.emplace(); }
  checks::Findings Check(std::string_view version, EtcdHop etcd = EtcdHop::kUpgraded) {
    const base::Version wanted = base::Version::Parse(version).value();
    return CheckSettings({.host = fake_.host, .config = config_, .wanted = wanted, .etcd = etcd});
  }
  static auto Is(Severity severity, const char* text) {
    return AllOf(Field(&Finding::severity, severity), Field(&Finding::what, HasSubstr(text)));
  }

  host::FakeHost fake_;
  config::Init config_;
  config::ClusterConfiguration& cluster_ = config_.cluster;
};

TEST_F(CheckSettingsTest, NamesFeatureGatesThatTheVersionRefuses) {
  cluster_.api_server.component.extra_args = {{"feature-gates", "MemoryManager=true"}};
  cluster_.scheduler.extra_args = {{"feature-gates", "ImageVolume=false,Unknown=true"}};
  EXPECT_THAT(Check("v1.35.4"), IsEmpty());
  EXPECT_THAT(Check("v1.36.3"),
              ElementsAre(Is(Severity::kError, "apiServer.extraArgs sets feature gate MemoryMan"),
                          Is(Severity::kError, "scheduler.extraArgs sets feature gate ImageVol")));
}

TEST_F(CheckSettingsTest, ReportsSettingsOfKubeletsOnlyAsNotes) {
  cluster_.kubelet.value = {{"featureGates", {{"MemoryManager", true}}}};
  fake_.files.Write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--pod-infra-container-image=p\n",
                    {});
  EXPECT_THAT(Check("v1.36.3"), ElementsAre(Is(Severity::kNote, "--pod-infra-container-image"),
                                            Is(Severity::kNote, "MemoryManager")));
}

TEST_F(CheckSettingsTest, NamesGodebugValuesThatGoHasDropped) {
  cluster_.api_server.component.extra_envs = {
      {{"name", "GODEBUG"}, {"value", "tls3des=1,tls10server=0,http2debug=1"}}};
  fake_.files.Write("/etc/default/kubelet", "GODEBUG=asynctimerchan=2\n", {});
  EXPECT_THAT(Check("v1.37.2"), IsEmpty());
  EXPECT_THAT(
      Check("v1.38.0"),
      ElementsAre(Is(Severity::kError, "apiServer.extraEnvs has GODEBUG tls3des=1"),
                  Is(Severity::kNote, "/etc/default/kubelet has GODEBUG asynctimerchan=2")));
}

TEST_F(CheckSettingsTest, NamesRangesOfIdsThatEndTooLate) {
  fake_.files.Write("/etc/passwd", "kubelet:x:997:997::/:/bin/false\n", {});
  fake_.files.Write("/etc/subuid", "kubelet:65536:4294901760\n", {});
  fake_.files.Write("/etc/subgid", "kubelet:65536:4294836224\n", {});
  EXPECT_THAT(Check("v1.37.2"), IsEmpty());
  EXPECT_THAT(Check("v1.38.0"), ElementsAre(Is(Severity::kNote, "/etc/subuid gives user kubelet")));
}

TEST_F(CheckSettingsTest, LooksAtEtcdsArgumentsWhereEtcdIsUpgraded) {
  cluster_.etcd.local->extra_args = {{"discovery", "x"}};
  EXPECT_THAT(Check("v1.37.2"), ElementsAre(Is(Severity::kError, "etcd.local.extraArgs")));
  EXPECT_THAT(Check("v1.37.2", EtcdHop::kKept), IsEmpty());
  cluster_.etcd.local->image_tag = "3.6.5-0";
  EXPECT_THAT(Check("v1.37.2"), IsEmpty());
}

TEST_F(CheckSettingsTest, IgnoresUnknownReleases) {
  cluster_.api_server.component.extra_args = {{"feature-gates", "MemoryManager=true"}};
  EXPECT_THAT(Check("v1.99.0"), IsEmpty());
}

}  // namespace
}  // namespace upgrade_path
