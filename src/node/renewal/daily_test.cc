// SPDX-License-Identifier: Apache-2.0
#include "renewal/daily.h"

#include <gmock/gmock.h>

namespace renewal {
namespace {

TEST(DailyCommand, HasArgumentsWithoutBlanks) {
  const DailyOptions options{.program = "/usr/bin/kubeadm",
                             .within = "2w",
                             .restart = false,
                             .textfile = "/var/lib/x.prom"};
  EXPECT_THAT(DailyCommand(options),
              testing::ElementsAre("/usr/bin/kubeadm", "certs", "auto-renew", "run",
                                   "--if-expires-within=2w", "--restart=false",
                                   "--textfile=/var/lib/x.prom"));
}

}  // namespace
}  // namespace renewal
