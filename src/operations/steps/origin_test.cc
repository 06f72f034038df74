// SPDX-License-Identifier: Apache-2.0
#include "steps/origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "workflow/resume.h"

namespace steps {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

config::Init NewInit() {
  config::Init init;
  init.init.node_registration.name = "cp1";
  init.init.local_api_endpoint.advertise_address = "10.0.2.15";
  init.cluster.networking.service_subnet = "10.96.0.0/12";
  return init;
}

config::JoinConfiguration NewJoin() {
  config::JoinConfiguration join;
  join.discovery.bootstrap_token.emplace().api_server_endpoint = "10.0.0.1:6443";
  return join;
}

TEST(OriginOf, IncludesNameAndAddressOfTheMachine) {
  const config::Init init = NewInit();
  config::Init renamed = NewInit();
  renamed.init.node_registration.name = "cp2";
  config::Init moved = NewInit();
  moved.init.local_api_endpoint.advertise_address = "10.0.0.5";
  EXPECT_EQ(OriginOf(init, {}).config, OriginOf(NewInit(), {}).config);
  EXPECT_NE(OriginOf(init, {}).config, OriginOf(renamed, {}).config);
  EXPECT_NE(OriginOf(init, {}).config, OriginOf(moved, {}).config);
}

TEST(OriginOf, IncludesThePatches) {
  const auto with = [](const char* image) {
    return OriginOf(NewInit(), {.patches = {{.target = "etcd",
                                             .type = node_input::PatchType::kStrategic,
                                             .document = {{"image", image}}}}})
        .config;
  };
  EXPECT_EQ(with("etcd:1"), with("etcd:1"));
  EXPECT_NE(with("etcd:1"), with("etcd:2"));
  EXPECT_NE(with("etcd:1"), OriginOf(NewInit(), {}).config);
}

TEST(OriginOf, IgnoresSecretsAndOptionsOfTheRun) {
  config::Init init = NewInit();
  init.init.bootstrap_tokens.emplace_back().token = "abcdef.0123456789abcdef";
  init.init.certificate_key = std::string(64, 'a');
  init.init.skip_phases = {"certs"};
  init.init.node_registration.ignore_preflight_errors = {"Swap"};
  EXPECT_EQ(OriginOf(init, {}).config, OriginOf(NewInit(), {}).config);
  config::JoinConfiguration join = NewJoin();
  join.discovery.bootstrap_token->token = "abcdef.0123456789abcdef";
  join.discovery.tls_bootstrap_token = "abcdef.0123456789abcdef";
  join.skip_phases = {"preflight"};
  EXPECT_EQ(OriginOf(join).config, OriginOf(NewJoin()).config);
}

TEST(OriginOf, DiffersForAnotherCluster) {
  config::JoinConfiguration join = NewJoin();
  join.discovery.bootstrap_token->api_server_endpoint = "10.0.0.2:6443";
  EXPECT_NE(OriginOf(join).config, OriginOf(NewJoin()).config);
}

class RequireSameSettingsTest : public testing::Test {
 protected:
  // Simulates a run that has written this file and was interrupted.
  void LeaveBehind(const std::string& command, const workflow::Origin& origin,
                   const std::string& path) {
    workflow::OpenJournal(host_.host, command, origin)->FileWritten("phase", path, "hash");
  }

  std::string ErrorOf(const std::string& command, const workflow::Origin& origin) {
    return base::MessageOf(
        [&] { RequireSameSettings(*workflow::OpenJournal(host_.host, command, origin)); });
  }

  host::FakeHost host_;
};

TEST_F(RequireSameSettingsTest, RefusesChangesOfSettingsThatEtcdOrTheKubeletStore) {
  LeaveBehind("init", OriginOf(NewInit(), {}), "/var/lib/kubelet/config.yaml");
  config::Init changed = NewInit();
  changed.init.node_registration.name = "cp2";
  changed.cluster.networking.service_subnet = "10.97.0.0/16";
  EXPECT_THAT(ErrorOf("init", OriginOf(changed, {})),
              AllOf(HasSubstr("nodeRegistration.name: it was \"cp1\", and is \"cp2\" now"),
                    HasSubstr("networking.serviceSubnet"), HasSubstr("kubeadm reset"),
                    Not(HasSubstr("advertiseAddress"))));
  EXPECT_EQ(ErrorOf("init", OriginOf(NewInit(), {})), "");
}

TEST_F(RequireSameSettingsTest, AcceptsAnyChangeBeforeTheKubeletStarts) {
  LeaveBehind("init", OriginOf(NewInit(), {}), "/etc/kubernetes/pki/ca.crt");
  config::Init changed = NewInit();
  changed.init.node_registration.name = "cp2";
  EXPECT_EQ(ErrorOf("init", OriginOf(changed, {})), "");
}

TEST_F(RequireSameSettingsTest, AllowsAFirstPodNetworkButNotAnotherOne) {
  config::Init changed = NewInit();
  LeaveBehind("init", OriginOf(changed, {}), "/var/lib/kubelet/config.yaml");
  changed.cluster.networking.pod_subnet = "10.244.0.0/16";
  EXPECT_EQ(ErrorOf("init", OriginOf(changed, {})), "");
  LeaveBehind("init", OriginOf(changed, {}), "/var/lib/kubelet/config.yaml");
  changed.cluster.networking.pod_subnet = "10.245.0.0/16";
  EXPECT_THAT(ErrorOf("init", OriginOf(changed, {})), HasSubstr("networking.podSubnet"));
}

TEST_F(RequireSameSettingsTest, RefusesToTurnAControlPlaneIntoAWorker) {
  config::JoinConfiguration control_plane = NewJoin();
  control_plane.control_plane.emplace();
  LeaveBehind("join", OriginOf(control_plane), "/etc/kubernetes/pki/ca.key");
  EXPECT_THAT(ErrorOf("join", OriginOf(NewJoin())),
              AllOf(HasSubstr("role: it was \"control plane\", and is \"worker\" now"),
                    HasSubstr("kubeadm reset")));
  EXPECT_EQ(ErrorOf("join", OriginOf(control_plane)), "");
}

TEST_F(RequireSameSettingsTest, AnInterruptedWorkerMayBecomeAControlPlane) {
  config::JoinConfiguration control_plane = NewJoin();
  control_plane.control_plane.emplace();
  LeaveBehind("join", OriginOf(NewJoin()), "/etc/kubernetes/pki/ca.crt");
  EXPECT_EQ(ErrorOf("join", OriginOf(control_plane)), "");
}

}  // namespace
}  // namespace steps
