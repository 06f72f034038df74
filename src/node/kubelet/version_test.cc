// SPDX-License-Identifier: Apache-2.0
#include "kubelet/version.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace kubelet {
namespace {

using testing::HasSubstr;

TEST(ParseVersion, AcceptsTheOutputOfAKubeletOnly) {
  EXPECT_EQ(ParseVersion("Kubernetes v1.36.3\n")->Text(), "1.36.3");
  EXPECT_EQ(ParseVersion("Kubernetes v1.36.0-rc.1+build")->Text(), "1.36.0-rc.1+build");
  for (const char* output : {"", "nonsense", "Kubernetes v1.36.0 extra", "kubernetes v1.36.0",
                             "Kubernetes 1.36.0", "Kubernetes 1.x"}) {
    EXPECT_FALSE(ParseVersion(output)) << output;
  }
}

TEST(CollectVersion, ReportsWhyAVersionIsUnknown) {
  host::FakeHost fake;
  EXPECT_THAT(CollectVersion(fake.host).error(), HasSubstr("the kubelet is not installed"));
  fake.processes.AddExecutable("kubelet");
  fake.processes.On("kubelet --version", {.out = "Kubernetes v1.37.2\n"});
  EXPECT_EQ(CollectVersion(fake.host)->Text(), "1.37.2");
  fake.processes.On("kubelet --version", {.exit_code = 127, .err = "no such library"});
  EXPECT_THAT(CollectVersion(fake.host).error(),
              testing::AllOf(HasSubstr("failed with 127"), HasSubstr("no such library")));
}

}  // namespace
}  // namespace kubelet
