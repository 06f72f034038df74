// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/find.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace upgrade_path {
namespace {

using base::Error;
using base::Thrown;
using testing::Not;
using testing::StartsWith;

class FindPathTest : public testing::Test {
 protected:
  void Refuse(int times) {
    server_.Inject({.what = "GET /version",
                    .status = 503,
                    .reason = "ServiceUnavailable",
                    .message = "connection refused",
                    .times = times});
  }
  // Returns the error of FindPath. The cluster has no configuration, so the error shows how many
  // queries were made.
  Error Find() {
    return Thrown([&] { FindPath({.host = fake_.host, .client = client_}); });
  }
  auto Versions() {
    const std::vector<std::string> requests = server_.Requests();
    return std::ranges::count(requests, "GET /version");
  }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{
      server_.NewTransport(), fake_.clock, {.limit = std::chrono::seconds(10), .grace = {}}};
};

TEST_F(FindPathTest, AsksAClusterThatDoesNotAnswerAgain) {
  server_.SetText("/version", 200, R"({"gitVersion":"v1.36.3"})");
  Refuse(3);
  EXPECT_THAT(Find().message(), Not(StartsWith("the cluster does not answer")));
  EXPECT_EQ(Versions(), 4);
}

TEST_F(FindPathTest, GivesUpAtTheLimit) {
  Refuse(-1);
  const Error error = Find();
  EXPECT_EQ(error.kind(), Error::Kind::kUnavailable);
  EXPECT_THAT(error.message(), StartsWith("the cluster does not answer"));
  EXPECT_GE(fake_.clock.Now() - host::FakeClock::kStart, std::chrono::seconds(9));
}

}  // namespace
}  // namespace upgrade_path
