// SPDX-License-Identifier: Apache-2.0
#include "kube/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "host/fake_host.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

using testing::ElementsAre;

json::Value Map(const std::string& name, const std::string& value = "x") {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"data", {{"key", value}}}};
}

// The maximum wait of a test: far more than a busy machine needs for the largest answer.
constexpr std::chrono::minutes kPatience{5};

// Runs an informer and records its reports.
class Follower {
 public:
  explicit Follower(FakeApiServer& server, int page_size = 2,
                    std::chrono::milliseconds idle = std::chrono::minutes(1))
      : transport_(MakeHttpTransport(server.Config(), {.request_timeout = kPatience})),
        informer_(*transport_, clock_,
                  {.list = {.resource = resources::kConfigMap,
                            .name_space = "default",
                            .watch_idle = idle},
                   .page_size = page_size,
                   .page_bytes = 2000,
                   .first_pause = std::chrono::milliseconds(1),
                   .longest_pause = std::chrono::milliseconds(20)},
                  {.on_put =
                       [this](const json::Value& object) {
                         Say("put " + json::TextAt(object, {"metadata", "name"}) + " " +
                             json::TextAt(object, {"data", "key"}));
                       },
                   .on_gone = [this](const std::string&,
                                     const std::string& name) { Say("gone " + name); },
                   .on_synced = [this] { Say("synced"); },
                   .on_error = [this](const base::Error&) { Say("error"); }}),
        thread_([this](const std::stop_token& stop) { informer_.Run(stop); }) {}

  // Waits until the last report is `last`. Returns all reports since the previous Wait.
  std::vector<std::string> Wait(const std::string& last) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !said_.empty() && said_.back() == last; });
    return std::exchange(said_, {});
  }

 private:
  void Say(std::string what) {
    const std::lock_guard lock(mutex_);
    said_.push_back(std::move(what));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> said_;  // guarded by mutex_
  std::unique_ptr<Transport> transport_;
  host::RealClock clock_;
  Informer informer_;
  std::jthread thread_;
};

TEST(Informer, ListsInPagesThenWatches) {
  FakeApiServer server;
  for (const char* name : {"a", "b", "c"}) {
    server.Put(resources::kConfigMap, Map(name));
  }
  Follower follower(server);
  EXPECT_THAT(follower.Wait("synced"), ElementsAre("put a x", "put b x", "put c x", "synced"));
  server.Put(resources::kConfigMap, Map("d"));
  EXPECT_THAT(follower.Wait("put d x"), ElementsAre("put d x"));
  server.Put(resources::kConfigMap, Map("a", "y"));
  EXPECT_THAT(follower.Wait("put a y"), ElementsAre("put a y"));
  server.Remove(resources::kConfigMap, "default", "b");
  EXPECT_THAT(follower.Wait("gone b"), ElementsAre("gone b"));
}

// Stores an object with as many owners as etcd accepts (14 bytes each in etcd), which exceed the
// budget of a parsed answer. The informer must report the object without its owners.
TEST(Informer, SkipsOwnerListsThatExceedTheBudget) {
  FakeApiServer server;
  json::Value owners = json::Value::array();
  for (int i = 0; i < 105'000; ++i) {
    owners.push_back({{"apiVersion", "v"}, {"kind", "K"}, {"name", "n"}, {"uid", "u"}});
  }
  json::Value object = Map("a");
  object["metadata"]["ownerReferences"] = std::move(owners);
  EXPECT_THROW(json::Parse(json::Compact(object)), base::Error);
  server.Put(resources::kConfigMap, object);
  server.Put(resources::kConfigMap, Map("b"));
  Follower follower(server);
  EXPECT_THAT(follower.Wait("synced"), ElementsAre("put a x", "put b x", "synced"));
  object["data"]["key"] = "y";
  server.Put(resources::kConfigMap, object);
  EXPECT_THAT(follower.Wait("put a y"), ElementsAre("put a y"));
}

TEST(Informer, ContinuesAfterAWatchEnds) {
  FakeApiServer server;
  server.Put(resources::kConfigMap, Map("a"));
  Follower follower(server);
  follower.Wait("synced");
  server.EndWatches();
  server.Put(resources::kConfigMap, Map("b"));
  EXPECT_THAT(follower.Wait("put b x"), ElementsAre("put b x"));
}

TEST(Informer, RestartsASilentWatch) {
  FakeApiServer server;
  server.Put(resources::kConfigMap, Map("a"));
  Follower follower(server, 2, std::chrono::milliseconds(100));
  follower.Wait("synced");
  server.Put(resources::kConfigMap, Map("b"));
  follower.Wait("put b x");  // the watch runs
  server.Mute();
  server.Put(resources::kConfigMap, Map("c"));
  EXPECT_THAT(follower.Wait("put c x"), testing::Contains("error"));
}

TEST(Informer, RequestsWatchesWithATimeoutAndBookmarks) {
  FakeApiServer server;
  Follower follower(server);
  follower.Wait("synced");
  server.Put(resources::kConfigMap, Map("a"));
  follower.Wait("put a x");
  EXPECT_THAT(server.Requests(),
              testing::Contains(testing::AllOf(testing::HasSubstr("watch=true"),
                                               testing::HasSubstr("allowWatchBookmarks=true"),
                                               testing::HasSubstr("timeoutSeconds=300"))));
}

TEST(Informer, RequestsFewerObjectsIfTheyAreLarge) {
  FakeApiServer server;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    server.Put(resources::kConfigMap, Map(name, std::string(1200, 'x')));
  }
  Follower follower(server, 4);
  EXPECT_THAT(follower.Wait("synced"), testing::SizeIs(6)) << "each once";
}

TEST(Informer, AnObjectLargerThanAPageHidesNoOthers) {
  FakeApiServer server;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    server.Put(resources::kConfigMap, Map(name, std::string(*name == 'b' ? 5000 : 1, 'x')));
  }
  Follower follower(server, 4);
  EXPECT_THAT(follower.Wait("synced"), testing::SizeIs(6));
  EXPECT_THAT(server.Requests(), testing::Contains(testing::HasSubstr("limit=1")));
  EXPECT_THAT(server.Requests(), testing::Contains(testing::AllOf(testing::HasSubstr("limit=2"),
                                                                  testing::HasSubstr("continue"))))
      << "more again behind it";
}

TEST(Informer, ListsAgainWhenHistoryIsCompacted) {
  FakeApiServer server;
  server.Put(resources::kConfigMap, Map("a"));
  server.Put(resources::kConfigMap, Map("b"));
  Follower follower(server);
  follower.Wait("synced");
  server.ForgetHistory();
  server.EndWatches();
  server.Remove(resources::kConfigMap, "default", "a");
  EXPECT_THAT(follower.Wait("synced"), testing::Contains("gone a"));
}

// A server that refuses each watch, because it has already compacted the version of the list.
class Forgetful : public Transport {
 public:
  explicit Forgetful(std::stop_source& stop) : stop_(stop) {}
  json::Value Do(const Call&, std::stop_token) override {
    if (++lists_ == kLists) {
      stop_.request_stop();
    }
    return {{"metadata", {{"resourceVersion", "1"}}}, {"items", json::Value::array()}};
  }
  std::string GetPath(const std::string&, std::stop_token) override { return ""; }
  void Watch(const Call&, const std::string&, const OnEvent&, std::stop_token) override {
    throw base::Error(base::Error::Kind::kConflict, "too old resource version");
  }
  static constexpr int kLists = 9;

 private:
  std::stop_source& stop_;
  int lists_ = 0;
};

TEST(Informer, BacksOffIfTheServerCompactsAtOnce) {
  std::stop_source stop;
  Forgetful server(stop);
  host::FakeClock clock;
  Informer informer(server, clock,
                    {.list = {.resource = resources::kConfigMap},
                     .first_pause = std::chrono::milliseconds(1),
                     .longest_pause = std::chrono::seconds(10)},
                    {.on_put = [](const json::Value&) {},
                     .on_gone = [](const std::string&, const std::string&) {},
                     .on_synced = [] {},
                     .on_error = [](const base::Error&) {}});
  informer.Run(stop.get_token());
  // Between nine lists there are pauses of 2, 4, … 256 ms.
  EXPECT_GE(clock.Steady().time_since_epoch(), std::chrono::milliseconds(500));
}

TEST(Informer, RetriesAfterFailures) {
  FakeApiServer server;
  server.Put(resources::kConfigMap, Map("a"));
  server.Inject({.what = "GET /api/v1/namespaces/default/configmaps",
                 .status = 503,
                 .reason = "ServiceUnavailable",
                 .message = "later",
                 .times = 2});
  Follower follower(server);
  EXPECT_THAT(follower.Wait("synced"), ElementsAre("error", "error", "put a x", "synced"));
}

TEST(Informer, DropsObjectsOfAnInterruptedListThatTheNextListLacks) {
  FakeApiServer server;
  server.Put(resources::kConfigMap, Map("a"));
  server.Put(resources::kConfigMap, Map("b"));
  const auto transport = server.NewTransport();
  std::vector<std::string> said;
  std::stop_source stop;
  host::FakeClock clock;
  Informer informer(*transport, clock,
                    {.list = {.resource = resources::kConfigMap, .name_space = "default"},
                     .page_size = 1,
                     .first_pause = std::chrono::milliseconds(1)},
                    {.on_put =
                         [&](const json::Value& object) {
                           said.push_back("put " + json::TextAt(object, {"metadata", "name"}));
                           if (said.size() == 1) {
                             server.Inject({.what = "GET /api/v1/namespaces/default/configmaps",
                                            .status = 503,
                                            .reason = "ServiceUnavailable",
                                            .message = "later"});
                             server.Remove(resources::kConfigMap, "default", "a");
                           }
                         },
                     .on_gone = [&](const std::string&,
                                    const std::string& name) { said.push_back("gone " + name); },
                     .on_synced = [&] { stop.request_stop(); },
                     .on_error = [&](const base::Error&) { said.emplace_back("error"); }});
  informer.Run(stop.get_token());
  EXPECT_THAT(said, ElementsAre("put a", "error", "put b", "gone a"));
}

TEST(Informer, ReportsAResourceThatIsNotServed) {
  FakeApiServer server;
  server.Inject({.what = "GET /api/v1/namespaces/default/configmaps",
                 .status = 404,
                 .reason = "NotFound",
                 .message = "no",
                 .times = -1});
  const auto transport = server.NewTransport();
  host::FakeClock clock;
  Informer informer(*transport, clock,
                    {.list = {.resource = resources::kConfigMap, .name_space = "default"}},
                    {.on_put = [](const json::Value&) {},
                     .on_gone = [](const std::string&, const std::string&) {},
                     .on_synced = [] {},
                     .on_error = [](const base::Error&) {}});
  EXPECT_THROW(informer.Run({}), base::Error);
}

// Each page has `items` new objects and announces another page, until `good` is set.
class EndlessLists : public Transport {
 public:
  EndlessLists(int items, std::size_t name_size) : items_(items), name_size_(name_size) {}

  json::Value Do(const Call& /*call*/, std::stop_token /*stop*/) override {
    ++pages;
    json::Value page = {{"metadata", {{"continue", good ? "" : "more"}, {"resourceVersion", "1"}}},
                        {"items", json::Value::array()}};
    for (int i = 0; i < (good ? 1 : items_); ++i) {
      std::string name = std::to_string(made_++);
      name.resize(std::max(name.size(), name_size_), 'x');
      page["items"].push_back(Map(good ? "good" : name));
    }
    return page;
  }
  std::string GetPath(const std::string&, std::stop_token) override { return ""; }
  void Watch(const Call&, const std::string&, const OnEvent&, std::stop_token) override {
    throw base::Error(base::Error::Kind::kNotFound, "the end of the test");
  }

  bool good = false;
  int pages = 0;

 private:
  int items_;
  std::size_t name_size_;
  long made_ = 0;
};

// An informer of endless lists, and its reports.
struct ManyObjects {
  explicit ManyObjects(EndlessLists& server, bool may_cut, std::size_t most_objects)
      : informer(
            server, clock,
            {.list = {.resource = resources::kConfigMap},
             .most_objects = most_objects,
             .may_cut = may_cut,
             .first_pause = {}},
            {.on_put =
                 [this](const json::Value& object) {
                   told.insert(json::TextAt(object, {"metadata", "name"}));
                 },
             .on_gone = [this](const std::string&, const std::string& name) { told.erase(name); },
             .on_synced = [this] { on_synced(); },
             .on_error = [this](const base::Error& error) { on_error(error); }}) {}
  std::set<std::string> told;
  std::function<void()> on_synced = [] {};
  std::function<void(const base::Error& error)> on_error = [](const base::Error&) {};
  host::FakeClock clock;
  Informer informer;
};

TEST(Informer, FailsAndForgetsAnEndlessList) {
  struct Case {
    int items, pages;
  };
  for (const Case& c : {Case{0, 1}, Case{100, 10}}) {
    EndlessLists server(c.items, 250);
    ManyObjects many(server, false, 1000);
    std::vector<std::string> errors;
    many.on_error = [&](const base::Error& error) {
      errors.emplace_back(error.message());
      EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
      EXPECT_EQ(server.pages, c.pages);
      EXPECT_THAT(many.told, testing::IsEmpty());
      server.good = true;
    };
    many.on_synced = [&] { EXPECT_EQ(many.told, std::set<std::string>{"good"}); };
    EXPECT_THROW(many.informer.Run({}), base::Error);
    EXPECT_THAT(errors, ElementsAre("the server's list of configmaps has no end"));
  }
}

TEST(Informer, StartsTheWatchAtTheRevisionOfATruncatedList) {
  EndlessLists server(100, 250);
  ManyObjects many(server, true, 1000);
  std::vector<std::string> errors;
  bool synced = false;
  many.on_error = [&](const base::Error& error) { errors.emplace_back(error.message()); };
  many.on_synced = [&] {
    synced = true;
    EXPECT_EQ(many.told.size(), 1000U);
  };
  EXPECT_THROW(many.informer.Run({}), base::Error);
  EXPECT_TRUE(synced);
  EXPECT_THAT(errors, ElementsAre(testing::HasSubstr("more than 1000 configmaps")));
}

// A server with many objects, whose watch reports an added object and a deleted object.
class Fuller : public EndlessLists {
 public:
  Fuller() : EndlessLists(100, 250) {}
  void Watch(const Call& call, const std::string& version, const OnEvent& on_event,
             std::stop_token stop) override {
    json::Value more = Map("more");
    more["metadata"]["resourceVersion"] = "2";
    on_event("ADDED", more);
    on_event("DELETED", Map("more"));
    more["metadata"]["resourceVersion"] = "3";
    on_event("ADDED", more);
    EndlessLists::Watch(call, version, on_event, std::move(stop));
  }
};

TEST(Informer, ReportsObjectsThatItDoesNotCache) {
  Fuller server;
  ManyObjects many(server, true, 1000);
  std::size_t known = 0;
  many.on_synced = [&] { known = many.told.size(); };
  EXPECT_THROW(many.informer.Run({}), base::Error);
  EXPECT_EQ(known, 1000U);
  EXPECT_EQ(many.told, std::set<std::string>{"more"}) << "all the others are gone";
}

TEST(Informer, IgnoresNamesThatNoServerAccepts) {
  EndlessLists server(2, 254);
  ManyObjects many(server, false, 10);
  many.on_error = [&](const base::Error&) { server.good = true; };
  many.on_synced = [&] { EXPECT_EQ(many.told, std::set<std::string>{"good"}); };
  EXPECT_THROW(many.informer.Run({}), base::Error);
}

TEST(Informer, DropsObjectsOfAFailedListWithTheNext) {
  class Breaks : public EndlessLists {
   public:
    Breaks() : EndlessLists(1, 1) {}
    json::Value Do(const Call& call, std::stop_token stop) override {
      if (pages == 1 && !good) {
        good = true;
        throw base::Error(base::Error::Kind::kUnavailable, "broken");
      }
      return EndlessLists::Do(call, std::move(stop));
    }
  } transport;
  std::vector<std::string> said;
  host::FakeClock clock;
  Informer informer(transport, clock,
                    {.list = {.resource = resources::kConfigMap}, .first_pause = {}},
                    {.on_put =
                         [&](const json::Value& object) {
                           said.push_back("put " + json::TextAt(object, {"metadata", "name"}));
                         },
                     .on_gone = [&](const std::string&,
                                    const std::string& name) { said.push_back("gone " + name); },
                     .on_synced = [&] { said.emplace_back("synced"); },
                     .on_error = [&](const base::Error&) { said.emplace_back("error"); }});
  EXPECT_THROW(informer.Run({}), base::Error);
  EXPECT_THAT(said, ElementsAre("put 0", "error", "put good", "gone 0", "synced", "gone good"));
}

}  // namespace
}  // namespace kube
