// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/init/approver.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace kubeadm {
namespace {

TEST(RefuseApproverWithoutSigner, LetsOthersBe) {
  host::FakeHost fake;
  world::MachineWorld world(fake.host);
  InitData data(world);
  EXPECT_NO_THROW(RefuseApproverWithoutSigner(data));
  data.init_options.approver = addons::ApproverProgram{.image = "a"};
  EXPECT_THROW(RefuseApproverWithoutSigner(data), base::Error);
}

TEST(ApproverPhase, RunsOnlyWhenItIsAskedFor) {
  host::FakeHost fake;
  world::MachineWorld world(fake.host);
  InitData data(world);
  const InitPhase phase = ApproverPhase();
  EXPECT_TRUE(phase.hidden) << "help is upstream's";
  EXPECT_FALSE(phase.when(data));
  data.init_options.approver = addons::ApproverProgram{.image = "a"};
  EXPECT_TRUE(phase.when(data));
}

}  // namespace
}  // namespace kubeadm
