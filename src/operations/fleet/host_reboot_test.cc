// SPDX-License-Identifier: Apache-2.0
#include "fleet/host_reboot.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kBootId = "/proc/sys/kernel/random/boot_id";
constexpr const char* kRecord = "/var/lib/slipway/fleet/reboot.json";

class HostRebootTest : public testing::Test {
 protected:
  HostRebootTest() {
    Boot("one");
    fake_.processes.AddExecutable("systemctl");
  }
  void Boot(const std::string& id) { fake_.files.Write(kBootId, id + "\n", {}); }
  // Runs until the host's shutdown stops it.
  void RunUntilShutdown(const std::string& id, bool if_required = false) {
    fake_.signals.stop.request_stop();
    EXPECT_THROW(Run(id, if_required), base::Interrupted);
    fake_.signals.stop = std::stop_source();
  }
  void Run(const std::string& id, bool if_required = false) {
    RebootOnce(fake_.host, {.id = id, .if_required = if_required}, [](const std::string&) {});
  }
  host::FakeHost fake_;
};

TEST_F(HostRebootTest, RestartsTheHostOnceForEachId) {
  RunUntilShutdown("a");
  EXPECT_THAT(fake_.processes.calls(), ElementsAre("systemctl reboot"));
  Boot("two");
  Run("a");
  EXPECT_EQ(fake_.processes.calls().size(), 1);
  EXPECT_FALSE(fake_.files.Exists(kRecord));
  RunUntilShutdown("b");
  EXPECT_EQ(fake_.processes.calls().size(), 2);
}

TEST_F(HostRebootTest, RequestsTheRestartAgainIfItHasNotHappened) {
  RunUntilShutdown("a");
  RunUntilShutdown("a");
  EXPECT_EQ(fake_.processes.calls().size(), 2);
}

TEST_F(HostRebootTest, LeavesAHostThatNeedsNoRestart) {
  Run("a", true);
  EXPECT_THAT(fake_.processes.calls(), IsEmpty());
  fake_.files.Write("/var/run/reboot-required", "", {});
  RunUntilShutdown("a", true);
  EXPECT_THAT(fake_.processes.calls(), ElementsAre("systemctl reboot"));
}

TEST_F(HostRebootTest, CompletesARestartThatRemovedItsRequestFile) {
  fake_.files.Write("/var/run/reboot-required", "", {});
  RunUntilShutdown("a", true);
  fake_.files.Remove("/var/run/reboot-required");
  Boot("two");
  Run("a", true);
  EXPECT_FALSE(fake_.files.Exists(kRecord));
}

TEST_F(HostRebootTest, FailsIfTheHostDoesNotRestart) {
  EXPECT_THAT(base::MessageOf([&] { Run("a"); }), HasSubstr("still runs 10 minutes"));
}

TEST_F(HostRebootTest, ReportsTheErrorOfTheCommand) {
  fake_.processes.On("systemctl reboot", {.exit_code = 1, .out = {}, .err = "blocked\n"});
  EXPECT_EQ(base::MessageOf([&] { Run("a"); }), "systemctl reboot failed: blocked");
}

}  // namespace
}  // namespace fleet
