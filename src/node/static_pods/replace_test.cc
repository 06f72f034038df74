// SPDX-License-Identifier: Apache-2.0
#include "static_pods/replace.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fake_error.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "static_pods/snapshot.h"
#include "static_pods/static_pod.h"

namespace static_pods {
namespace {

using components::Component;

using std::chrono::milliseconds;

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMark = "kubeadm.kubernetes.io/replacing";

// A fake kubelet and its runtime. A Pod whose container was stopped ends after the time `ending`.
// Then, at the time `starting` after the manifest was written, the kubelet reads the manifest.
class FakeNode : public cri::FakeRuntime {
 public:
  struct Pace {
    milliseconds ending{100};
    milliseconds starting{100};
    // Delays after the old Pod's end. If the final manifest is written before both have passed, the
    // kubelet reads it 12 s later.
    milliseconds forgetting{0};   // removal of the Pod's directory
    milliseconds working{1'200};  // end of the Pod's worker, which polls once a second
    bool takes_marked = false;    // the kubelet also starts Pods of marked manifests
    bool lost = false;            // the kubelet starts no Pod
    bool hollow = false;          // with `lost`: starts a sandbox without a container
    bool stray = false;           // the kubelet first starts an earlier Pod, for three seconds
  };

  explicit FakeNode(host::FakeHost& host) : host_(host) {}

  std::vector<cri::Sandbox> Sandboxes() override {
    const std::scoped_lock lock(mutex_);
    Act();
    return FakeRuntime::Sandboxes();
  }
  std::vector<cri::Container> Containers(const cri::Wanted& wanted) override {
    const std::scoped_lock lock(mutex_);
    Act();
    return FakeRuntime::Containers(wanted);
  }
  void StopContainer(const std::string& id, std::chrono::seconds grace) override {
    const std::scoped_lock lock(mutex_);
    FakeRuntime::StopContainer(id, grace);
  }

  void StartPod(Component component, const json::Value& pod) {
    const std::string name(Name(component));
    const std::string id = std::to_string(++made_);
    std::map<std::string, std::string> annotations;
    if (const auto command = WholeCommand(pod, Name(component)); !command.empty()) {
      infos["c" + id] = json::Value{{"runtimeSpec", {{"process", {{"args", command}}}}}}.dump();
    }
    if (const auto mark = json::TextAt(pod, {"metadata", "annotations", kMark}); !mark.empty()) {
      annotations[kMark] = mark;
    }
    sandboxes.push_back({.id = "s" + id,
                         .name = name + "-node",
                         .name_space = "kube-system",
                         .ready = true,
                         .annotations = annotations,
                         .uid = "u" + id});
    host_.files.MakeDirectories(DirectoryOf("u" + id), 0755);
    containers.push_back({.id = "c" + id,
                          .sandbox_id = "s" + id,
                          .name = name,
                          .state = cri::Container::State::kRunning});
    started.push_back(name + (annotations.empty() ? "" : " marked"));
  }

  std::map<Component, Pace> paces;
  std::vector<std::string> started;
  int manifests = 0;  // changes of manifests that the kubelet has read

 private:
  static constexpr milliseconds kLooksAgain{12'000};

  struct Seen {
    std::string manifest;
    std::chrono::steady_clock::time_point since;
  };

  static host::fs::path DirectoryOf(const std::string& uid) {
    return host::fs::path("/var/lib/kubelet/pods") / uid;
  }

  // Returns whether the kubelet has finished with a Pod, whose directory it removes.
  bool Forgets(const cri::Sandbox& sandbox, const Pace& pace) {
    const auto passed = host_.clock.Steady() - ended_.at(sandbox.id) - pace.ending;
    if (passed >= pace.forgetting) {
      host_.files.RemoveTree(DirectoryOf(sandbox.uid));
    }
    return passed >= std::max(pace.forgetting, pace.working);
  }

  bool Runs(const cri::Sandbox& sandbox) const {
    return std::ranges::any_of(containers, [&](const cri::Container& container) {
      return container.sandbox_id == sandbox.id &&
             container.state == cri::Container::State::kRunning;
    });
  }

  void Act() {
    for (const auto& [component, pace] : paces) {
      ActOn(component, pace);
    }
  }

  // Starts a Pod of an earlier manifest, and ends it after three seconds.
  void Stray(Component component) {
    const auto now = host_.clock.Steady();
    const auto [began, first] = strayed_.try_emplace(component, now);
    if (first) {
      StartPod(
          component,
          {{"spec", {{"containers", {{{"name", Name(component)}, {"command", {"before"}}}}}}}});
      started.back() += " stray";
      stray_ = containers.back().id;
    } else if (now - began->second >= milliseconds(3'000)) {
      std::ranges::find(containers, stray_, &cri::Container::id)->state =
          cri::Container::State::kExited;
    }
  }

  void ActOn(Component component, const Pace& pace) {
    const auto now = host_.clock.Steady();
    const std::string prefix = std::string(Name(component)) + "-";
    if ((pace.stray && host_.files.Read(components::ManifestPath(component)).contains(kMark)) ||
        strayed_.contains(component)) {
      Stray(component);
    }
    bool knows = false;
    for (cri::Sandbox& sandbox : sandboxes) {
      if (!sandbox.name.starts_with(prefix)) {
        continue;
      }
      if (!sandbox.ready) {
        knows = (ended_.contains(sandbox.id) && !Forgets(sandbox, pace)) || knows;
        continue;
      }
      if (Runs(sandbox)) {
        return;
      }
      const auto [ended, first] = ended_.try_emplace(sandbox.id, now);
      sandbox.ready = now - ended->second < pace.ending;
      if (sandbox.ready) {
        return;
      }
    }
    const std::string manifest = host_.files.Read(components::ManifestPath(component));
    Seen& seen = seen_[component];
    if (seen.manifest != manifest) {
      const bool early = knows && !manifest.contains(kMark);
      seen = {.manifest = manifest, .since = now + (early ? kLooksAgain : milliseconds(0))};
      ++manifests;
    }
    if (pace.lost && pace.hollow && now - seen.since >= pace.starting &&
        hollow_.insert(component).second) {
      sandboxes.push_back(
          {.id = "hollow", .name = prefix + "node", .name_space = "kube-system", .ready = true});
    }
    const bool marked = manifest.contains(kMark);
    if (!pace.lost && now - seen.since >= pace.starting && (!marked || pace.takes_marked)) {
      StartPod(component, ReadManifest(host_.files, component).value());
    }
  }

  host::FakeHost& host_;
  std::mutex mutex_;  // each component is polled by a thread of its own
  std::map<std::string, std::chrono::steady_clock::time_point> ended_;
  std::map<Component, Seen> seen_;
  std::set<Component> hollow_;
  std::map<Component, std::chrono::steady_clock::time_point> strayed_;
  std::string stray_;
  int made_ = 0;
};

class ReplaceTest : public testing::Test {
 protected:
  static json::Value Pod(Component component, const std::string& version) {
    return {{"kind", "Pod"},
            {"metadata", {{"name", Name(component)}}},
            {"spec",
             {{"containers",
               {{{"name", "a-side-car"}, {"command", {"other"}}, {"image", version}},
                {{"name", Name(component)}, {"command", {version}}, {"image", version}}}}}}};
  }

  // Simulates a component whose old Pod runs.
  void Running(Component component, FakeNode::Pace pace) {
    WriteManifest(fake_.files, component, Pod(component, "old"));
    node_.StartPod(component, Pod(component, "old"));
    node_.started.clear();
    node_.paces[component] = pace;
  }

  RestartContext Context() {
    return {.host = fake_.host,
            .runtime = node_,
            .probe_of =
                [](Component) {
                  return
                      [](std::stop_token) -> std::optional<kube::NotYet> { return std::nullopt; };
                },
            .limit = milliseconds(120'000),
            .restart_kubelet =
                [this] {
                  ++kubelet_restarts_;
                  for (auto& [component, pace] : node_.paces) {
                    pace.lost = false;
                  }
                }};
  }

  void Replace(const std::vector<Component>& components) {
    std::vector<Replacement> replacements;
    for (const Component component : components) {
      replacements.push_back({.component = component, .pod = Pod(component, "new")});
    }
    ReplacePods(replacements, Context());
    for (const Component component : components) {
      EXPECT_EQ(ReadManifest(fake_.files, component), Pod(component, "new"));
    }
  }

  host::FakeHost fake_;
  FakeNode node_{fake_};
  int kubelet_restarts_ = 0;
};

TEST_F(ReplaceTest, RollsARestartBackToTheOldPod) {
  Running(Component::kScheduler, {});
  const Snapshot before(fake_.files, {components::ManifestPath(Component::kScheduler)});
  RestartContext context = Context();
  context.limit = milliseconds(20'000);
  context.replacements = {
      {.component = Component::kScheduler, .pod = Pod(Component::kScheduler, "new")}};
  context.probe_of = [this](Component component) {
    return [this, component](std::stop_token) -> std::optional<kube::NotYet> {
      const bool is_old = ReadManifest(fake_.files, component) == Pod(component, "old");
      return is_old ? std::nullopt : std::optional(kube::NotYet{"it does not serve"});
    };
  };
  EXPECT_THAT(base::MessageOf([&] {
                RestartOrRestore(
                    std::array{Component::kScheduler}, [&] { before.Restore(); }, context);
              }),
              AllOf(HasSubstr("it does not serve"), HasSubstr("back and in use")));
  EXPECT_EQ(ReadManifest(fake_.files, Component::kScheduler), Pod(Component::kScheduler, "old"));
  EXPECT_THAT(node_.started, ElementsAre("kube-scheduler", "kube-scheduler"));
}

TEST_F(ReplaceTest, FinishesTheReplacementOfAnInterruptedRun) {
  json::Value pod = Pod(Component::kScheduler, "new");
  EXPECT_FALSE(Unmark(pod));
  pod["metadata"]["annotations"] = {{kMark, "0"}};
  EXPECT_TRUE(Unmark(pod));
  EXPECT_EQ(pod, Pod(Component::kScheduler, "new"));
  pod["metadata"]["annotations"] = {{kMark, "0"}, {"mine", "1"}};
  EXPECT_TRUE(Unmark(pod));
  EXPECT_EQ(json::TextAt(pod, {"metadata", "annotations", "mine"}), "1");
}

TEST_F(ReplaceTest, StartsAnEndedPodBeforeOtherPodsEnd) {
  Running(Component::kScheduler, {.ending = milliseconds(100)});
  Running(Component::kEtcd, {.ending = milliseconds(4'000)});
  Replace({Component::kScheduler, Component::kEtcd});
  EXPECT_THAT(node_.started, ElementsAre("kube-scheduler", "etcd"));
  EXPECT_EQ(kubelet_restarts_, 0);
}

TEST_F(ReplaceTest, WritesTheFinalManifestOnceTheKubeletHasFinishedTheOldPod) {
  for (const int seconds : {0, 2, 5}) {
    Running(Component::kEtcd, {.forgetting = std::chrono::seconds(seconds)});
    const auto begin = fake_.clock.Steady();
    Replace({Component::kEtcd});
    EXPECT_LT(fake_.clock.Steady() - begin, std::chrono::seconds(seconds + 2)) << seconds;
  }
}

TEST_F(ReplaceTest, WritesTheManifestThoughTheKubeletNeverFinishesTheOldPod) {
  Running(Component::kEtcd, {.forgetting = std::chrono::hours(1)});
  Replace({Component::kEtcd});
  EXPECT_THAT(node_.started, ElementsAre("etcd"));
}

TEST_F(ReplaceTest, DoesNotRewriteTheFinalManifestForASlowKubelet) {
  Running(Component::kEtcd, {.starting = milliseconds(14'000)});
  Replace({Component::kEtcd});
  EXPECT_THAT(node_.started, ElementsAre("etcd"));
  EXPECT_EQ(node_.manifests, 2) << "the one that is marked, the final one";
  EXPECT_EQ(kubelet_restarts_, 0);
}

TEST_F(ReplaceTest, ReplacesAPodOfAMarkedManifest) {
  Running(Component::kEtcd, {.starting = milliseconds(200), .takes_marked = true});
  Replace({Component::kEtcd});
  EXPECT_THAT(node_.started, ElementsAre("etcd marked", "etcd"));
  EXPECT_EQ(kubelet_restarts_, 0);
}

TEST_F(ReplaceTest, RestartsAKubeletThatLostTrackOfAPod) {
  Running(Component::kEtcd, {.lost = true});
  Replace({Component::kEtcd});
  EXPECT_EQ(kubelet_restarts_, 1);
  EXPECT_THAT(node_.started, ElementsAre("etcd"));
}

TEST_F(ReplaceTest, DoesNotAcceptASandboxWithoutAContainer) {
  Running(Component::kApiServer, {.lost = true, .hollow = true});
  Replace({Component::kApiServer});
  EXPECT_EQ(kubelet_restarts_, 1);
  EXPECT_THAT(node_.started, ElementsAre("kube-apiserver"));
}

TEST_F(ReplaceTest, TreatsAPodWithAnEndedContainerAsOld) {
  Running(Component::kEtcd, {.ending = milliseconds(2'000)});
  node_.containers.front().state = cri::Container::State::kExited;
  Replace({Component::kEtcd});
  EXPECT_THAT(node_.started, ElementsAre("etcd"));
}

TEST_F(ReplaceTest, AContainerOfAReplacedManifestIsNotASuccessor) {
  Running(Component::kScheduler, {.stray = true});
  Replace({Component::kScheduler});
  EXPECT_THAT(node_.started, ElementsAre("kube-scheduler stray", "kube-scheduler"));
  EXPECT_EQ(kubelet_restarts_, 0);
}

TEST_F(ReplaceTest, ReportsTheReasonOfALongWait) {
  Running(Component::kEtcd, {.lost = true});
  std::vector<std::string> said;
  RestartContext context = Context();
  context.say = [&](const std::string& line) { said.push_back(line); };
  const Replacement replacement{.component = Component::kEtcd, .pod = Pod(Component::kEtcd, "new")};
  ReplacePods(std::span(&replacement, 1), context);
  EXPECT_THAT(said,
              ElementsAre("Waiting for etcd to serve: its old Pod has ended; the kubelet checks "
                          "for that every 10 to 15 seconds, and has not started the new Pod yet"));
}

TEST_F(ReplaceTest, WritesTheUnmarkedManifestAfterAnInterrupt) {
  Running(Component::kEtcd, {.lost = true});
  std::stop_source stop;
  RestartContext context = Context();
  context.stop = stop.get_token();
  stop.request_stop();
  const Replacement replacement{.component = Component::kEtcd, .pod = Pod(Component::kEtcd, "new")};
  EXPECT_THROW(ReplacePods(std::span(&replacement, 1), context), base::Interrupted);
  EXPECT_EQ(ReadManifest(fake_.files, Component::kEtcd), Pod(Component::kEtcd, "new"));
}

}  // namespace
}  // namespace static_pods
