// SPDX-License-Identifier: Apache-2.0
#include "control_plane/replaced_server.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace control_plane {
namespace {

using base::Error;
using base::Thrown;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ReplacedServerTest : public testing::Test {
 protected:
  ReplacedServerTest() {
    server_.SetText("/readyz", 200, "ok");
    SaveRecord(fake_.files, record_);
  }

  void Refuse(int times) {
    server_.Inject({.what = "GET /readyz",
                    .status = 503,
                    .reason = "ServiceUnavailable",
                    .message = "it starts",
                    .times = times});
  }

  void Await() {
    AwaitReplacedServer({.host = fake_.host,
                         .client = client_,
                         .limit = std::chrono::seconds(60),
                         .progress = [this](std::optional<std::string_view> what) {
                           said_.emplace_back(what.value_or(""));
                         }});
  }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(), fake_.clock, {}};
  UpgradeRecord record_{.command = "apply",
                        .from = "v1.36.3",
                        .to = "v1.37.2",
                        .manifests = {{"kube-apiserver", "/kept"}},
                        .under_way = {{"kube-apiserver", "/kept"}}};
  std::vector<std::string> said_;
};

TEST_F(ReplacedServerTest, CountsAsServingAfterTwoAnswers) {
  Refuse(5);
  Await();
  EXPECT_EQ(server_.Requests().size(), 7U);
  EXPECT_GE(fake_.clock.Now() - host::FakeClock::kStart, std::chrono::seconds(3));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("which an interrupted run was replacing"), ""));
}

TEST_F(ReplacedServerTest, DoesNotWaitAfterAnUninterruptedRun) {
  record_.serving["kube-apiserver"] = true;
  SaveRecord(fake_.files, record_);
  Refuse(-1);
  Await();
  RemoveRecord(fake_.files);
  Await();
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(ReplacedServerTest, OffersARollbackIfItNeverComesUp) {
  Refuse(-1);
  const Error error = Thrown([&] { Await(); });
  EXPECT_EQ(error.kind(), Error::Kind::kTimeout);
  EXPECT_THAT(error.message(), HasSubstr("rollback' restores the old static Pods"));
}

TEST_F(ReplacedServerTest, PointsToTheRollbackWhileEtcdsDataAreRestored) {
  record_.restoring_data = true;
  SaveRecord(fake_.files, record_);
  EXPECT_EQ(Thrown([&] { Await(); }).kind(), Error::Kind::kConflict);
}

}  // namespace
}  // namespace control_plane
