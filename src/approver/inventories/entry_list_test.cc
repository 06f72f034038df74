// SPDX-License-Identifier: Apache-2.0
#include "inventories/entry_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "host/fake_host.h"
#include "kube/wait.h"

namespace inventories {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A sink that records the machines it receives.
class Kept : public Sink {
 public:
  void Put(const judgement::MachineKey& key, judgement::Machine machine) override {
    const std::lock_guard lock(mutex_);
    standing_.insert(machine.one_time ? "" : machine.name);
    machines_.insert_or_assign(key, std::move(machine));
  }
  void Remove(const judgement::MachineKey& key) override {
    const std::lock_guard lock(mutex_);
    machines_.erase(key);
  }
  void SetProblem(int, const std::string&, const std::optional<std::string>& problem) override {
    const std::lock_guard lock(mutex_);
    problem_ = problem;
  }

  std::optional<std::string> Problem() {
    const std::lock_guard lock(mutex_);
    return problem_;
  }

  std::vector<std::string> Names() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [key, machine] : machines_) {
      names.push_back(key.name_space + "/" + key.name + (machine.one_time ? " once" : ""));
    }
    return names;
  }

  // Returns whether an entry of the name ever lacked "use: once".
  bool EverStood(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return standing_.contains(name);
  }

 private:
  std::mutex mutex_;
  std::optional<std::string> problem_;
  std::set<std::string> standing_;
  std::map<judgement::MachineKey, judgement::Machine> machines_;
};

TEST(EntryList, ReplacesThePreviousEntries) {
  Kept kept;
  EntryList list(kept, judgement::Source::kConfigMap, WhileUnread::kOthersAttest);
  list.Take("- hostname: a\n- hostname: b\n  use: once\n");
  EXPECT_THAT(kept.Names(), ElementsAre("configmap/a", "configmap/b once"));
  list.Take("- hostname: b\n- hostname: c\n");
  EXPECT_THAT(kept.Names(), ElementsAre("configmap/b", "configmap/c"));
  list.Take("no list");
  EXPECT_THAT(kept.Names(), IsEmpty()) << "an unreadable list attests no host";
}

TEST(EntryList, BlocksNodesThatCouldTakeItsNamesUntilItIsRead) {
  Kept kept;
  EntryList list(kept, judgement::Source::kFile, WhileUnread::kNoneAttests);
  EXPECT_EQ(kept.Problem(), "inventory file: it has not been read yet");
  list.Take("no list");
  EXPECT_THAT(kept.Problem().value_or(""), testing::StartsWith("inventory file: "));
  list.Take("- hostname: a\n");
  EXPECT_EQ(kept.Problem(), std::nullopt);
  list.TakeNone();
  EXPECT_THAT(kept.Names(), ElementsAre("file/a"));
}

TEST(EntryList, AMissingListDoesNotBlockNodes) {
  Kept kept;
  EntryList list(kept, judgement::Source::kConfigMap, WhileUnread::kNoneAttests);
  list.TakeNone();
  EXPECT_EQ(kept.Problem(), std::nullopt);
}

constexpr const char* kPath = "/etc/hosts.yaml";

// A real clock that completes the file during a wait. A wait for a stable file thus gives the
// writer time to write the missing rest.
class SlowWriter : public host::RealClock {
 public:
  explicit SlowWriter(host::Files& files) : files_(files) {}
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override {
    if (rest_is_missing.exchange(false)) {
      files_.Write(kPath, "- hostname: b\n  use: once\n", {});
    }
    return RealClock::Sleep(duration, std::move(stop));
  }

  std::atomic<bool> rest_is_missing = false;

 private:
  host::Files& files_;
};

// Follows /etc/hosts.yaml of a fake host.
class FollowFileTest : public testing::Test {
 protected:
  void Until(const std::vector<std::string>& names) {
    host::RealClock clock;
    kube::WaitUntil(
        [&](std::stop_token) {
          return kept_.Names() == names ? std::nullopt
                                        : std::optional(kube::NotYet{"the entries differ"});
        },
        {.clock = clock, .limit = std::chrono::seconds(60)});
  }
  void Write(const std::string& text) { fake_.files.Write(kPath, text, {}); }

  host::FakeHost fake_;
  SlowWriter clock_{fake_.files};
  host::Host host_ = fake_.With(clock_);
  Kept kept_;
  EntryList list_{kept_, judgement::Source::kFile, WhileUnread::kOthersAttest};
  std::jthread thread_{
      [this](const std::stop_token& stop) { FollowFile(host_, kPath, list_, stop); }};
};

TEST_F(FollowFileTest, EntriesFollowTheFile) {
  Write("- hostname: a\n");
  Until({"file/a"});
  Write("- hostname: b\n");
  Until({"file/b"});
  fake_.files.Remove(kPath);
  Until({});
}

TEST_F(FollowFileTest, IgnoresAHalfWrittenFile) {
  clock_.rest_is_missing = true;
  Write("- hostname: b\n");
  Until({"file/b once"});
  EXPECT_FALSE(kept_.EverStood("b"));
}

TEST_F(FollowFileTest, AStopEndsTheThread) {
  thread_.request_stop();
  thread_.join();
  EXPECT_THAT(kept_.Names(), IsEmpty());
}

}  // namespace
}  // namespace inventories
