// SPDX-License-Identifier: Apache-2.0
#include "kubelet/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace kubelet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

config::NodeRegistration Registration() {
  config::NodeRegistration registration;
  registration.name = "cp-one";
  registration.cri_socket = "unix:///run/containerd/containerd.sock";
  return registration;
}

struct Case {
  std::string name;
  std::function<void(config::NodeRegistration&)> change;
  std::string hostname = "node-a";
  FlagsInput::Taints taints = FlagsInput::Taints::kByApi;
  FlagsInput::CriSocket cri_socket = FlagsInput::CriSocket::kInInstanceConfig;
  std::string want;
};

TEST(FlagsTest, HasKubeadmsFlagsBeforeTheUsers) {
  const auto none = [](config::NodeRegistration&) {};
  const auto taints = [](config::NodeRegistration& r) {
    r.taints = {{.key = "a", .value = "b", .effect = "NoExecute"},
                {.key = "c", .effect = "NoSchedule"}};
  };
  const Case cases[] = {
      {.name = "another name", .change = none, .want = "--hostname-override=cp-one"},
      {.name = "the host's name", .change = none, .hostname = "cp-one", .want = ""},
      {.name = "the host's name, capitals and blanks",
       .change = none,
       .hostname = " CP-One\n",
       .want = ""},
      {.name = "socket by flag",
       .change = none,
       .cri_socket = FlagsInput::CriSocket::kByFlag,
       .want = "--container-runtime-endpoint=unix:///run/containerd/containerd.sock "
               "--hostname-override=cp-one"},
      {.name = "taints by API", .change = taints, .hostname = "cp-one", .want = ""},
      {.name = "taints by flag",
       .change = taints,
       .hostname = "cp-one",
       .taints = FlagsInput::Taints::kByFlag,
       .want = "--register-with-taints=a=b:NoExecute,c:NoSchedule"},
      {.name = "no taints by flag",
       .change = [](config::NodeRegistration& r) { r.taints.emplace(); },
       .hostname = "cp-one",
       .taints = FlagsInput::Taints::kByFlag,
       .want = ""},
      {.name = "the user's replace ours and keep their order",
       .change =
           [](config::NodeRegistration& r) {
             r.kubelet_extra_args = {{"v", "5"},
                                     {"node-labels", "b=2"},
                                     {"node-labels", "a=1"},
                                     {"hostname-override", "special"},
                                     {"zeta", ""}};
           },
       .want = "--v=5 --node-labels=b=2 --node-labels=a=1 --hostname-override=special --zeta="}};
  for (const Case& c : cases) {
    config::NodeRegistration registration = Registration();
    c.change(registration);
    const config::Args flags = Flags({.registration = registration,
                                      .hostname = c.hostname,
                                      .taints = c.taints,
                                      .cri_socket = c.cri_socket});
    EXPECT_EQ(FlagsFileText(flags), "KUBELET_KUBEADM_ARGS=\"" + c.want + "\"\n") << c.name;
  }
}

TEST(FlagsTest, QuotesAsGoDoes) {
  EXPECT_EQ(FlagsFileText({{"l", "a \"b\" c$ \\ é\t"}}),
            "KUBELET_KUBEADM_ARGS=\"--l=a \\\"b\\\" c$ \\\\ é\\t\"\n");
}

TEST(FlagsTest, TheFileIsReadableByAllInAClosedDirectory) {
  host::FakeHost fake;
  WriteFlagsFile(fake.files, {{"a", "b"}});
  EXPECT_EQ(fake.files.Read(kFlagsFile), "KUBELET_KUBEADM_ARGS=\"--a=b\"\n");
  EXPECT_EQ(fake.files.Stat(kFlagsFile)->mode, 0644U);
  EXPECT_EQ(fake.files.Stat("/var/lib/kubelet")->mode, 0700U);
}

TEST(ParseFlagsTest, SplitsArgumentsAtBlanks) {
  const ParsedFlags parsed =
      ParseFlagsFile("  KUBELET_KUBEADM_ARGS=\"--a=1 --b 2 --bare --q=x=y --q= stray --last\"  \n");
  EXPECT_THAT(parsed.flags, ElementsAre(config::Arg{"a", "1"}, config::Arg{"b", "2"},
                                        config::Arg{"q", "x=y"}, config::Arg{"q", ""}));
  EXPECT_THAT(parsed.dropped, ElementsAre("--bare", "stray", "--last"));
}

TEST(ParseFlagsTest, AcceptsMissingQuotes) {
  EXPECT_THAT(ParseFlagsFile("KUBELET_KUBEADM_ARGS=--a=1").flags,
              ElementsAre(config::Arg{"a", "1"}));
  EXPECT_THAT(ParseFlagsFile("KUBELET_KUBEADM_ARGS=\"\"\n").flags, IsEmpty());
}

TEST(ParseFlagsTest, RefusesMalformedText) {
  for (const char* text : {"", "OTHER=1\nKUBELET_KUBEADM_ARGS=\"\"", "kubelet_kubeadm_args="}) {
    EXPECT_THROW(ParseFlagsFile(text), base::Error) << text;
  }
}

TEST(PodInfraImageTest, IsPassedToKubeletsOfVersion134) {
  config::ClusterConfiguration cluster;
  cluster.image_repository = "reg.example.org";
  cluster.kubernetes_version = "v1.34.4";
  EXPECT_EQ(PodInfraImage(cluster), "reg.example.org/pause:3.10.1");
  cluster.kubernetes_version = "v1.35.4";
  EXPECT_EQ(PodInfraImage(cluster), "");
}

TEST(TakeFlagTest, SortsTheRemainingFlags) {
  const auto taken = TakeFlag(
      "KUBELET_KUBEADM_ARGS=\"--z=1 --container-runtime-endpoint=unix:///run/x.sock "
      "--pod-infra-container-image=pause --a=2 --a=1 --last\"\n",
      kRuntimeEndpointFlag);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->value, "unix:///run/x.sock");
  EXPECT_EQ(FlagsFileText(taken->rest),
            "KUBELET_KUBEADM_ARGS=\"--a=2 --a=1 --pod-infra-container-image=pause --z=1\"\n");
  EXPECT_THAT(taken->dropped, ElementsAre("--last"));
}

TEST(TakeFlagTest, KeepsAFileWithoutTheFlag) {
  EXPECT_FALSE(TakeFlag("KUBELET_KUBEADM_ARGS=\"--a=1\"\n", kRuntimeEndpointFlag));
}

}  // namespace
}  // namespace kubelet
