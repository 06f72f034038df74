// SPDX-License-Identifier: Apache-2.0
#include "inventories/queried_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "host/fake_host.h"

namespace inventories {
namespace {

using namespace std::chrono_literals;
using judgement::Machine;
using judgement::Source;
using testing::ElementsAre;
using testing::IsEmpty;

// A sink of one inventory.
class Kept : public Sink {
 public:
  void Put(const judgement::MachineKey& key, Machine machine) override {
    ++puts;
    machines[key] = std::move(machine);
  }
  void Remove(const judgement::MachineKey& key) override { machines.erase(key); }
  void SetProblem(int, const std::string&, const std::optional<std::string>& now) override {
    problem = now;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [key, machine] : machines) {
      names.push_back(key.name_space + "/" + key.name);
    }
    return names;
  }

  std::map<judgement::MachineKey, Machine> machines;
  std::optional<std::string> problem;
  int puts = 0;
};

// A list whose queries return `answer`, or fail if it is not set. Run stops before its second
// query.
class QueriedListTest : public testing::Test {
 protected:
  void Refresh() { list_.Confirms({.name_space = {}, .name = "none"}, {}); }
  static Machine Entry(const std::string& name, const std::string& address = "") {
    Machine entry{.source = Source::kHttp, .name_space = {}, .name = name, .is_entry = true};
    if (!address.empty()) {
      entry.addresses = {{.type = "InternalIP", .address = address}};
    }
    return entry;
  }

  host::FakeClock clock_;
  Kept kept_;
  std::optional<Answer> answer_;
  int queries_ = 0;
  QueriedList list_{kept_,
                    clock_,
                    {.source = Source::kHttp,
                     .query =
                         [this](const std::stop_token&) {
                           ++queries_;
                           return answer_ ? *answer_ : throw base::Error("no\nanswer");
                         },
                     .refresh = 30s}};
};

TEST_F(QueriedListTest, ReportsAProblemUntilItIsRead) {
  EXPECT_EQ(kept_.problem, "inventory http: it has not been read yet");
  Refresh();
  EXPECT_EQ(kept_.problem, "inventory http: no\\nanswer");
  answer_ = Answer{.entries = {Entry("b"), Entry("a")}};
  Refresh();
  EXPECT_EQ(kept_.problem, std::nullopt);
  EXPECT_THAT(kept_.Names(), ElementsAre("http/a", "http/b"));
}

TEST_F(QueriedListTest, HasNoEntriesAfterAFailedQuery) {
  answer_ = Answer{.entries = {Entry("a")}};
  Refresh();
  answer_.reset();
  EXPECT_FALSE(list_.Confirms(Entry("a"), {}));
  EXPECT_THAT(kept_.Names(), IsEmpty());
  EXPECT_NE(kept_.problem, std::nullopt);
  answer_ = Answer{.entries = {Entry("a")}};
  EXPECT_TRUE(list_.Confirms(Entry("a"), {}));
  EXPECT_THAT(kept_.Names(), ElementsAre("http/a")) << "the same answer counts again";
  EXPECT_EQ(kept_.problem, std::nullopt);
}

TEST_F(QueriedListTest, ConfirmsByANewQueryAfterTheMaxAge) {
  answer_ = Answer{.entries = {Entry("a", "10.0.0.1")}, .max_age = 60s};
  EXPECT_TRUE(list_.Confirms(Entry("a", "10.0.0.1"), {}));
  EXPECT_FALSE(list_.Confirms(Entry("a", "10.0.0.2"), {}));
  EXPECT_FALSE(list_.Confirms(Entry("b"), {}));
  EXPECT_EQ(queries_, 1);
  answer_ = Answer{.entries = {Entry("a", "10.0.0.2")}, .max_age = 60s};
  clock_.Advance(59s);
  EXPECT_TRUE(list_.Confirms(Entry("a", "10.0.0.1"), {}));
  clock_.Advance(1s);
  EXPECT_FALSE(list_.Confirms(Entry("a", "10.0.0.1"), {}));
  EXPECT_EQ(queries_, 2);
  EXPECT_EQ(kept_.machines.begin()->second.addresses.front().address, "10.0.0.2");
}

TEST_F(QueriedListTest, QueriesForEachApprovalWithoutAMaxAge) {
  answer_ = Answer{.entries = {Entry("a")}};
  EXPECT_TRUE(list_.Confirms(Entry("a"), {}));
  EXPECT_TRUE(list_.Confirms(Entry("a"), {}));
  EXPECT_EQ(queries_, 2);
  EXPECT_EQ(kept_.puts, 1) << "an equal answer causes no work";
}

TEST_F(QueriedListTest, KeepsTheAnswerIfAQueryFailsBeforeTheMaxAge) {
  answer_ = Answer{.entries = {Entry("a")}, .max_age = 45s};
  std::stop_source source;
  // The fake clock advances during each pause: 60 s have passed after the second query, which
  // fails.
  std::optional<std::vector<std::string>> after_second;
  QueriedList list(kept_, clock_,
                   {.source = Source::kHttp,
                    .query = [&](const std::stop_token&) -> Answer {
                      switch (++queries_) {
                        case 1:
                          return *answer_;
                        case 2:
                          throw base::Error("in between");
                        default:
                          after_second = kept_.Names();
                          source.request_stop();
                          throw base::Error("afterwards");
                      }
                    },
                    .refresh = 30s});
  list.Run(source.get_token());
  EXPECT_THAT(after_second.value(), ElementsAre("http/a"));
  EXPECT_THAT(kept_.Names(), IsEmpty());
  EXPECT_EQ(kept_.problem, "inventory http: afterwards");
}

TEST_F(QueriedListTest, AStopChangesNothing) {
  answer_ = Answer{.entries = {Entry("a")}};
  Refresh();
  QueriedList list(
      kept_, clock_,
      {.source = Source::kExec,
       .query = [](const std::stop_token&) -> Answer { throw base::Interrupted("stopped"); },
       .refresh = 30s});
  EXPECT_FALSE(list.Confirms(Entry("a"), {}));
  EXPECT_EQ(kept_.problem, "inventory exec: it has not been read yet");
  EXPECT_THAT(kept_.Names(), ElementsAre("http/a"));
}

}  // namespace
}  // namespace inventories
