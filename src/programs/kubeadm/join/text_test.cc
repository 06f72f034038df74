// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubeadm {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Scripts match these words (docs/interfaces.md).
TEST(JoinedText, BeginsWithTheWordsThatScriptsWaitFor) {
  for (const JoinedAs role :
       {JoinedAs::kWorker, JoinedAs::kControlPlane, JoinedAs::kControlPlaneWithEtcd}) {
    EXPECT_THAT(JoinedText(role), StartsWith("\nThis node has joined the cluster"));
  }
}

TEST(JoinedText, NamesTheNewControlPlaneAsScriptsMatchIt) {
  EXPECT_THAT(JoinedText(JoinedAs::kWorker), StartsWith("\nThis node has joined the cluster:\n"));
  EXPECT_THAT(JoinedText(JoinedAs::kControlPlane),
              StartsWith("\nThis node has joined the cluster and a new control plane instance was "
                         "created:\n"));
}

TEST(JoinedText, MentionsEtcdOnlyIfAMemberWasAdded) {
  EXPECT_THAT(JoinedText(JoinedAs::kControlPlaneWithEtcd), HasSubstr("etcd cluster"));
  EXPECT_THAT(JoinedText(JoinedAs::kControlPlane), Not(HasSubstr("etcd")));
}

}  // namespace
}  // namespace kubeadm
