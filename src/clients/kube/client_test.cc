// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "http/fake_server.h"
#include "kube/fake_server.h"

namespace kube {
namespace {

using base::Error;
using base::Thrown;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const RetryPolicy kQuick{
    .first = milliseconds(1), .most = milliseconds(2), .limit = milliseconds(40), .grace = {}};
const RetryPolicy kPatient{.first = milliseconds(1), .most = milliseconds(2)};

json::Value Map(const std::string& name, const std::string& value) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "kube-system"}}},
          {"data", {{"key", value}}}};
}

class ClientTest : public testing::Test {
 protected:
  Client NewClient(RetryPolicy retry = kPatient, std::stop_token stop = {}) {
    return {server_.NewTransport(), clock_, retry, std::move(stop)};
  }
  std::string Value(const std::string& name) {
    const auto found = server_.Find(resources::kConfigMap, "kube-system", name);
    return found ? json::TextAt(*found, {"data", "key"}) : "none";
  }
  FakeApiServer server_;
  host::FakeClock clock_;
};

TEST_F(ClientTest, DoesEachVerb) {
  Client client = NewClient();
  EXPECT_FALSE(client.Find({resources::kConfigMap, "kube-system", "m"}));
  EXPECT_EQ(Thrown([&] { client.Get({resources::kConfigMap, "kube-system", "m"}); }).kind(),
            Error::Kind::kNotFound);
  client.Create(resources::kConfigMap, Map("m", "one"));
  EXPECT_EQ(Thrown([&] { client.Create(resources::kConfigMap, Map("m", "two")); }).kind(),
            Error::Kind::kAlreadyExists);
  EXPECT_EQ(Value("m"), "one");
  client.Update(resources::kConfigMap, Map("m", "three"));
  EXPECT_EQ(Value("m"), "three");
  client.Patch({resources::kConfigMap, "kube-system", "m"}, "application/merge-patch+json",
               {{"data", {{"key", "four"}}}});
  EXPECT_EQ(Value("m"), "four");
  client.Delete({resources::kConfigMap, "kube-system", "m"});
  EXPECT_EQ(Value("m"), "none");
}

TEST_F(ClientTest, ListsAllPages) {
  for (int i = 0; i < 1203; ++i) {
    json::Value map = Map("m" + std::to_string(10000 + i), "");
    map["metadata"]["labels"]["half"] = i % 2 == 0 ? "even" : "odd";
    server_.Put(resources::kConfigMap, std::move(map));
  }
  Client client = NewClient();
  const auto all = client.List(resources::kConfigMap, "kube-system");
  ASSERT_EQ(all.size(), 1203U);
  EXPECT_EQ(json::TextAt(all.back(), {"metadata", "name"}), "m11202");
  EXPECT_EQ(client.List(resources::kConfigMap, "", {.labels = "half=odd"}).size(), 601U);
  EXPECT_EQ(client.List(resources::kConfigMap, "", {.fields = "metadata.name=m10007"}).size(), 1U);
  EXPECT_TRUE(client.List(resources::kPod, "kube-system").empty());
}

TEST_F(ClientTest, CreateOrUpdateReplacesTheWholeObject) {
  Client client = NewClient();
  json::Value old = Map("m", "old");
  old["data"]["other"] = "x";
  server_.Put(resources::kConfigMap, old);
  client.CreateOrUpdate(resources::kConfigMap, Map("m", "new"));
  client.CreateOrUpdate(resources::kConfigMap, Map("n", "new"));
  EXPECT_EQ(server_.Find(resources::kConfigMap, "kube-system", "m")->at("data"),
            json::Value({{"key", "new"}}));
  EXPECT_EQ(Value("n"), "new");
}

TEST_F(ClientTest, CreateOrMutateKeepsChangesOfOtherClients) {
  Client client = NewClient();
  const auto mutate = [](json::Value& map) { map["data"]["key"] = "new"; };
  client.CreateOrMutate(resources::kConfigMap, Map("m", "first"), mutate);
  EXPECT_EQ(Value("m"), "first");
  json::Value other = Map("m", "old");
  other["data"]["other"] = "kept";
  server_.Put(resources::kConfigMap, other);
  client.CreateOrMutate(resources::kConfigMap, Map("m", "first"), mutate);
  EXPECT_EQ(server_.Find(resources::kConfigMap, "kube-system", "m")->at("data"),
            json::Value({{"key", "new"}, {"other", "kept"}}));
}

TEST_F(ClientTest, CreateOrMutateRetriesAfterAConflict) {
  Client client = NewClient();
  server_.Put(resources::kConfigMap, Map("m", "old"));
  int calls = 0;
  client.CreateOrMutate(resources::kConfigMap, Map("m", "first"), [&](json::Value& map) {
    if (++calls == 1) {
      json::Value theirs = Map("m", "theirs");
      theirs["data"]["other"] = "kept";
      server_.Put(resources::kConfigMap, theirs);
    }
    map["data"]["key"] = "ours";
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(server_.Find(resources::kConfigMap, "kube-system", "m")->at("data"),
            json::Value({{"key", "ours"}, {"other", "kept"}}));
}

TEST_F(ClientTest, CreateOrRetainKeepsAnExistingObject) {
  Client client = NewClient();
  client.CreateOrRetain(resources::kConfigMap, Map("m", "first"));
  client.CreateOrRetain(resources::kConfigMap, Map("m", "second"));
  EXPECT_EQ(Value("m"), "first");
}

TEST_F(ClientTest, RetriesWritesAfterTransientFailures) {
  struct Case {
    int status;
    std::string reason;
  };
  for (const Case& c : std::initializer_list<Case>{{503, "ServiceUnavailable"},
                                                   {500, "InternalError"},
                                                   {429, "TooManyRequests"},
                                                   {404, "NotFound"},
                                                   {403, "Forbidden"}}) {
    server_.Inject({"POST ", c.status, c.reason, "not yet", 3});
    NewClient().CreateOrUpdate(resources::kConfigMap, Map(c.reason, "x"));
    EXPECT_EQ(Value(c.reason), "x") << c.reason;
  }
}

TEST_F(ClientTest, WritesEndAtAPermanentFailure) {
  server_.Inject({"POST ", 422, "Invalid", "the map is wrong", -1});
  const Error invalid =
      Thrown([&] { NewClient().CreateOrUpdate(resources::kConfigMap, Map("m", "x")); });
  EXPECT_EQ(invalid.kind(), Error::Kind::kInvalid);
  EXPECT_EQ(invalid.message(), "the map is wrong");
  EXPECT_EQ(server_.Requests().size(), 1U);
}

TEST_F(ClientTest, TreatsForbiddenAsPermanentAfterTheGracePeriod) {
  server_.Inject({"POST ", 403, "Forbidden", "you may not", -1});
  const Error error =
      Thrown([&] { NewClient(kQuick).CreateOrRetain(resources::kConfigMap, Map("m", "x")); });
  EXPECT_EQ(error.kind(), Error::Kind::kForbidden);
  EXPECT_EQ(error.message(), "you may not");
}

TEST_F(ClientTest, RetriesEndAtTheLimitWithTheLastError) {
  server_.Inject({"", 503, "ServiceUnavailable", "not yet", -1});
  const Error error =
      Thrown([&] { NewClient(kQuick).CreateOrUpdate(resources::kConfigMap, Map("m", "x")); });
  EXPECT_EQ(error.kind(), Error::Kind::kUnavailable);
  EXPECT_EQ(error.message(), "gave up after 40ms: not yet");
  EXPECT_GT(server_.Requests().size(), 1U);
  Client client = NewClient(kQuick);
  EXPECT_EQ(Thrown([&] { client.Retry("reading", [] { throw Error("broken"); }); }).message(),
            "reading: broken");
}

TEST_F(ClientTest, RetriesWhileTheServerHasNotLoadedItsRules) {
  const std::string path = "GET /api/v1/namespaces/kube-system/configmaps/m";
  server_.Put(resources::kConfigMap, Map("m", "x"));
  server_.Inject({path, 503, "ServiceUnavailable", "not yet", 2});
  server_.Inject({path, 403, "Forbidden", "you may not", 3});
  server_.Inject({"GET /readyz", 403, "Forbidden", "nobody may", 3});
  Client client = NewClient();
  json::Value map;
  client.Retry("", [&] { map = client.Get({resources::kConfigMap, "kube-system", "m"}); });
  EXPECT_EQ(json::TextAt(map, {"metadata", "name"}), "m");
}

TEST_F(ClientTest, RetriesAServerThatIsNotReadyOrJustBecameReady) {
  const std::string path = "GET /api/v1/namespaces/kube-system/configmaps/m";
  server_.Put(resources::kConfigMap, Map("m", "x"));
  server_.SetText("/readyz", 200, "ok");
  server_.Inject({path, 403, "Forbidden", "you may not", 2});
  server_.Inject({"GET /readyz", 500, "InternalError", "[-]rbac failed", 1});
  Client client = NewClient();
  client.Retry("", [&] { client.Get({resources::kConfigMap, "kube-system", "m"}); });
  EXPECT_EQ(server_.Requests().size(), 5U);  // the ConfigMap and /readyz twice, then the ConfigMap
}

TEST_F(ClientTest, ReportsAForbiddenCallOfAReadyServerImmediately) {
  server_.SetText("/readyz", 200, "ok");
  server_.Inject({"GET /api", 403, "Forbidden", "you may not", -1});
  Client client = NewClient();
  const Error error = Thrown(
      [&] { client.Retry("", [&] { client.Get({resources::kConfigMap, "kube-system", "m"}); }); });
  EXPECT_EQ(error.kind(), Error::Kind::kForbidden);
  EXPECT_EQ(server_.Requests().size(), 3U);  // the ConfigMap, /readyz, the ConfigMap
}

TEST_F(ClientTest, ReportsAServerThatNeverLoadsItsRulesAsNotReady) {
  server_.Inject({"GET /", 403, "Forbidden", "you may not", -1});
  Client client = NewClient(kQuick);
  const Error error = Thrown([&] {
    client.Retry("reading", [&] { client.Get({resources::kConfigMap, "kube-system", "m"}); });
  });
  EXPECT_EQ(error.kind(), Error::Kind::kUnavailable);
  EXPECT_THAT(error.message(), StartsWith("reading: the API server is not ready"));
  EXPECT_THAT(error.message(), HasSubstr("you may not"));
}

TEST_F(ClientTest, ReportsATimeoutIfTheServerBecomesReadyAtTheLimit) {
  server_.Inject({"GET /readyz", 403, "Forbidden", "nobody may", 1});
  server_.SetText("/readyz", 200, "ok");
  Client client = NewClient({.limit = milliseconds(10'000)});
  int tries = 0;
  const Error error = Thrown([&] {
    client.Retry("", [&] {
      clock_.Sleep(std::chrono::seconds(++tries == 2 ? 20 : 0), {});
      throw Error(Error::Kind::kForbidden, "you may not");
    });
  });
  EXPECT_EQ(error.kind(), Error::Kind::kUnavailable);
  EXPECT_EQ(tries, 2);
}

TEST_F(ClientTest, StopEndsRetries) {
  std::stop_source stop;
  Client client = NewClient(kPatient, stop.get_token());
  EXPECT_EQ(base::InterruptionOf([&] {
              client.Retry("", [&] {
                stop.request_stop();
                throw Error(Error::Kind::kUnavailable, "away");
              });
            }),
            "stopped: away");
}

TEST_F(ClientTest, PatchNodeWaitsForTheLabelledNodeAndSendsTheDifference) {
  const json::Value bare = {{"metadata", {{"name", "n"}}}};
  server_.Put(resources::kNode, bare);
  Client client = NewClient();
  int calls = 0;
  std::jthread kubelet([&] {
    while (server_.Requests().size() < 2) {
      std::this_thread::yield();
    }
    json::Value labelled = bare;
    labelled["metadata"]["labels"]["kubernetes.io/hostname"] = "n";
    server_.Put(resources::kNode, labelled);
  });
  client.PatchNode("n", [&](json::Value& node) {
    ++calls;
    node["metadata"]["labels"]["mark"] = "";
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(server_.Find(resources::kNode, "", "n")->at("metadata").at("labels"),
            json::Value({{"kubernetes.io/hostname", "n"}, {"mark", ""}}));
  const auto before = server_.Requests().size();
  client.PatchNode("n", [](json::Value&) {});
  EXPECT_EQ(server_.Requests().size(), before + 1) << "no change, no patch";
}

TEST_F(ClientTest, ReportsTheReasonOfAWaitOnce) {
  server_.Inject({"", 503, "ServiceUnavailable", "not yet", -1});
  std::vector<std::string> told;
  const RetryPolicy policy{.limit = milliseconds(10'000),
                           .waiting = [&](const std::string& why) { told.push_back(why); }};
  Client client = NewClient(kQuick).With(policy);
  EXPECT_THROW(client.CreateOrUpdate(resources::kConfigMap, Map("m", "x")), Error);
  EXPECT_THAT(told, ElementsAre("trying for up to 10s: not yet"));
}

TEST_F(ClientTest, PatchNodeGivesUpOnANodeThatNeverRegisters) {
  const Error error = Thrown([&] { NewClient(kQuick).PatchNode("n", [](json::Value&) {}); });
  EXPECT_EQ(error.kind(), Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), StartsWith("gave up after 40ms: "));
}

TEST_F(ClientTest, WatchDeliversChangesUntilTheReaderHasEnough) {
  server_.Put(resources::kConfigMap, Map("before", "x"));
  Client client = NewClient();
  std::vector<std::string> seen;
  client.Watch({.verb = Verb::kList, .resource = resources::kConfigMap}, "",
               [&](const std::string& type, const json::Value& object) {
                 seen.push_back(type + " " + json::TextAt(object, {"metadata", "name"}));
                 if (type == "BOOKMARK") {
                   server_.Put(resources::kConfigMap, Map("m", "one"));
                   server_.Put(resources::kConfigMap, Map("m", "two"));
                   server_.Put(resources::kNode, {{"metadata", {{"name", "other"}}}});
                   server_.Remove(resources::kConfigMap, "kube-system", "m");
                 }
                 return type != "DELETED";
               });
  EXPECT_THAT(seen, ElementsAre("BOOKMARK ", "ADDED m", "MODIFIED m", "DELETED m"));
}

TEST_F(ClientTest, WatchReturnsWhenTheServerEndsIt) {
  Client client = NewClient();
  int events = 0;
  client.Watch({.resource = resources::kConfigMap, .name_space = "kube-system", .name = "m"}, "",
               [&](const std::string&, const json::Value&) {
                 ++events;
                 server_.EndWatches();
                 return true;
               });
  EXPECT_EQ(events, 1);
}

TEST_F(ClientTest, WatchReturnsWhenStopped) {
  std::stop_source stop;
  Client client = NewClient(kPatient, stop.get_token());
  client.Watch({.verb = Verb::kList, .resource = resources::kConfigMap}, "",
               [&](const std::string&, const json::Value&) {
                 stop.request_stop();
                 return true;
               });
  EXPECT_TRUE(stop.stop_requested());
}

TEST_F(ClientTest, WatchThatIsTooOldIsAConflict) {
  Client client = NewClient();
  server_.ForgetHistory();
  const Error error = Thrown([&] {
    client.Watch({.verb = Verb::kList, .resource = resources::kConfigMap}, "1",
                 [](const std::string&, const json::Value&) { return true; });
  });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_EQ(error.message(), "too old resource version");
}

// A server whose lists never end.
class Endless : public Transport {
 public:
  Endless(std::size_t items, std::size_t size) : items_(items), size_(size) {}
  json::Value Do(const Call& call, std::stop_token) override {
    EXPECT_LE(call.limit, 100);
    json::Value page = {{"metadata", {{"continue", "more" + std::to_string(++pages)}}},
                        {"items", json::Value::array()}};
    for (std::size_t i = 0; i < items_; ++i) {
      page["items"].push_back({{"metadata", {{"name", std::string(size_, 'n')}}}});
    }
    return page;
  }
  std::string GetPath(const std::string&, std::stop_token) override { return ""; }
  void Watch(const Call&, const std::string&, const OnEvent&, std::stop_token) override {}
  int pages = 0;

 private:
  std::size_t items_, size_;
};

TEST(ClientList, RefusesAListWithEndlessPages) {
  struct Case {
    std::size_t items, size;
    int pages;  // the maximum number of pages
  };
  for (const Case& c : {Case{0, 0, 1}, Case{1, 1, 2000}, Case{100, 100'000, 20}}) {
    const auto endless = std::make_shared<Endless>(c.items, c.size);
    host::FakeClock clock;
    Client client(endless, clock, kQuick);
    const Error error = Thrown([&] { client.List(resources::kConfigMap, ""); });
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("has no end"));
    EXPECT_LE(endless->pages, c.pages);
  }
}

// A server whose objects are so large that two exceed an answer.
class Heavy : public Transport {
 public:
  json::Value Do(const Call& call, std::stop_token) override {
    if (call.limit > 1) {
      throw Error(Error::Kind::kInvalid, "the answer is larger than it may be");
    }
    const int next = call.continue_token.empty() ? 0 : std::stoi(call.continue_token);
    return {{"metadata", {{"continue", next == 2 ? "" : std::to_string(next + 1)}}},
            {"items", {{{"metadata", {{"name", std::to_string(next)}}}}}}};
  }
  std::string GetPath(const std::string&, std::stop_token) override { return ""; }
  void Watch(const Call&, const std::string&, const OnEvent&, std::stop_token) override {}
};

TEST(ClientList, RequestsFewerItemsIfTheyAreLarge) {
  host::FakeClock clock;
  Client client(std::make_shared<Heavy>(), clock, kQuick);
  std::string names;
  client.ForEach(resources::kConfigMap, "", [&](const json::Value& item) {
    names += json::TextAt(item, {"metadata", "name"});
    return names.size();
  });
  EXPECT_EQ(names, "012");
}

TEST(ClientList, BoundsTheSizeOfKeptItems) {
  const auto endless = std::make_shared<Endless>(100, 100);
  host::FakeClock clock;
  Client client(endless, clock, kQuick);
  const auto each = [&](std::size_t bytes) {
    return Thrown([&] {
      client.ForEach(resources::kConfigMap, "", [&](const json::Value&) { return bytes; });
    });
  };
  EXPECT_THAT(each(0).message(), HasSubstr("and more to come"));
  endless->pages = 0;
  EXPECT_THAT(each(1 << 20).message(), HasSubstr("more than 32 MiB of memory"));
  EXPECT_EQ(endless->pages, 1);
}

TEST_F(ClientTest, ListsDropUnusedFields) {
  json::Value node = {{"metadata", {{"name", "n"}, {"managedFields", {{{"manager", "x"}}}}}},
                      {"status", {{"images", {{{"sizeBytes", 1}}}}, {"phase", "x"}}}};
  server_.Put(resources::kNode, node);
  const json::Value listed = NewClient().List(resources::kNode, "").at(0);
  EXPECT_FALSE(listed["metadata"].contains("managedFields"));
  EXPECT_EQ(listed["status"], (json::Value{{"phase", "x"}}));
  EXPECT_TRUE(NewClient().Get({resources::kNode, "", "n"})["metadata"].contains("managedFields"));
}

TEST(Watch, EventsAreBounded) {
  http::FakeServer server([](const http::FakeRequest&) {
    return http::FakeReply{.stream = [] { return std::string(100'000, ' '); }};  // no line ends
  });
  Kubeconfig config;
  config.clusters["c"].server = server.Url();
  config.contexts["x"].cluster = "c";
  config.current_context = "x";
  const Error error = Thrown([&] {
    MakeHttpTransport(config, {})
        ->Watch({.verb = Verb::kList, .resource = resources::kNode}, "1",
                [](const std::string&, const json::Value&) { return true; }, {});
  });
  EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
  EXPECT_THAT(error.message(), HasSubstr("longer than 20 MiB"));
}

}  // namespace
}  // namespace kube
