// SPDX-License-Identifier: Apache-2.0
#include "etcd/serving.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "etcd/fake_client.h"

namespace etcd {
namespace {

constexpr std::uint64_t kNamed = 100;  // the index of the change that published the name

class ServingTest : public testing::Test {
 protected:
  ServingTest() {
    client_.Start(1, "one");
    SetApplied(1, kNamed);
  }

  void SetApplied(std::uint64_t id, std::uint64_t applied) {
    client_.statuses.at(UrlOf(id)).applied_index = applied;
  }

  std::string UrlOf(std::uint64_t id) {
    return std::ranges::find(client_.members, id, &Member::id)->client_urls.front();
  }

  // Makes member 2 stop answering while its process runs.
  void Silence() { client_.refusals[UrlOf(2)] = "it says nothing"; }

  // Adds member 2, a silent learner that has applied `applied` changes.
  void AddSilentLearner(std::optional<std::uint64_t> applied) {
    client_.Start(2, "two", /*learner=*/true);
    Silence();
    applied_ = applied;
  }

  // Waits until member 2 serves. A restart makes it serve.
  void Wait() {
    WaitUntilServing(client_, 2, time_.Wait(),
                     {.applied = [&] { return applied_; },
                      .run =
                          [&] {
                            ++restarts_;
                            client_.refusals.clear();
                          }});
  }

  FakeClient client_;
  FakeTime time_;
  std::optional<std::uint64_t> applied_;
  int restarts_ = 0;
};

TEST_F(ServingTest, RestartsASilentLearnerOnceAfterItsNameWasApplied) {
  AddSilentLearner(kNamed);
  Wait();
  EXPECT_EQ(restarts_, 1);
}

TEST_F(ServingTest, DoesNotRestartALearnerThatStillCopies) {
  AddSilentLearner(kNamed - 1);
  time_.on_pause = [&] {
    SetApplied(1, 10 * kNamed);  // concurrent writes of other clients do not matter
    if (time_.pauses.size() == 5) {
      client_.refusals.clear();
    }
    return true;
  };
  Wait();
  EXPECT_EQ(restarts_, 0);
}

TEST_F(ServingTest, DoesNotRestartALearnerThatServesAfterItsNameWasApplied) {
  AddSilentLearner(kNamed);
  time_.on_pause = [&] {
    client_.refusals.clear();
    return true;
  };
  Wait();
  EXPECT_EQ(restarts_, 0);
}

TEST_F(ServingTest, DoesNotRestartALearnerOfUnknownProgress) {
  AddSilentLearner(std::nullopt);
  EXPECT_THROW(Wait(), base::Error);
  client_.statuses.erase(UrlOf(1));  // the target index is unknown
  applied_ = kNamed;
  EXPECT_THROW(Wait(), base::Error);
  EXPECT_EQ(restarts_, 0);
}

TEST_F(ServingTest, RestartsNeitherAnUnstartedMemberNorAVoter) {
  applied_ = kNamed;
  Member& two = client_.Start(2, "", /*learner=*/true);
  EXPECT_THROW(Wait(), base::Error);
  two.name = "two";
  two.learner = false;
  Silence();
  EXPECT_THROW(Wait(), base::Error);
  EXPECT_EQ(restarts_, 0);
}

TEST_F(ServingTest, DoesNotRestartAServingMember) {
  client_.Start(2, "two", /*learner=*/true);
  applied_ = kNamed;
  Wait();
  EXPECT_EQ(restarts_, 0);
  EXPECT_TRUE(time_.pauses.empty());
}

}  // namespace
}  // namespace etcd
