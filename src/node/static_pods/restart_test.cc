// SPDX-License-Identifier: Apache-2.0
#include "static_pods/restart.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/fake_error.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "static_pods/snapshot.h"

namespace static_pods {
namespace {

using components::Component;

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A node whose kubelet restarts every container that ends, and whose containers serve.
class RestartTest : public testing::Test {
 protected:
  RestartTest() {
    for (const Component component :
         {Component::kEtcd, Component::kApiServer, Component::kScheduler}) {
      fake_.files.Write(ManifestPath(component), "kind: Pod\n", {});
      Start(component);
    }
    runtime_.on_stop = [this](const std::string& id) {
      for (const cri::Container& container : runtime_.Containers(cri::AnyContainer)) {
        if (container.id == id && !stuck_.contains(container.name)) {
          StartNamed(container.name);
        }
      }
    };
  }

  void Start(Component component) { StartNamed(std::string(Name(component))); }
  void StartNamed(const std::string& name) {
    runtime_.containers.push_back({.id = name + "-" + std::to_string(++started_),
                                   .name = name,
                                   .state = cri::Container::State::kRunning});
  }

  RestartContext Context() {
    return {.host = fake_.host,
            .runtime = runtime_,
            .probe_of =
                [this](Component component) {
                  return [this, component](std::stop_token) -> std::optional<kube::NotYet> {
                    const auto found = problem_.find(component);
                    return found == problem_.end() ? std::nullopt
                                                   : std::optional(kube::NotYet{found->second});
                  };
                },
            .limit = std::chrono::milliseconds(50),
            .say = [this](const std::string& line) { lines_.push_back(line); }};
  }

  std::vector<std::string> Stopped() const {
    std::vector<std::string> stopped;
    for (const std::string& call : runtime_.calls()) {
      if (call.starts_with("StopContainer ")) {
        stopped.push_back(call.substr(14));
      }
    }
    return stopped;
  }

  host::FakeHost fake_;
  cri::FakeRuntime runtime_;
  std::map<Component, std::string> problem_;
  std::set<std::string> stuck_;
  std::vector<std::string> lines_;
  int started_ = 0;
};

TEST_F(RestartTest, StopsEachContainerAndWaitsForItsSuccessor) {
  Restart(std::array{Component::kEtcd, Component::kApiServer}, Context());
  EXPECT_THAT(Stopped(), ElementsAre("etcd-1", "kube-apiserver-2"));
  EXPECT_THAT(lines_, ElementsAre("Restarting etcd", "etcd serves again",
                                  "Restarting kube-apiserver", "kube-apiserver serves again"));
}

TEST_F(RestartTest, SkipsComponentsWithoutAManifest) {
  Restart(std::array{Component::kControllerManager}, Context());
  EXPECT_THAT(Stopped(), IsEmpty());
}

TEST_F(RestartTest, NamesAComponentThatDoesNotRestart) {
  stuck_.insert("etcd");
  const base::Error error = base::Thrown(
      [&] { Restart(std::array{Component::kEtcd, Component::kApiServer}, Context()); });
  EXPECT_THAT(error.message(), HasSubstr("etcd does not serve after its restart"));
  EXPECT_THAT(error.message(), HasSubstr("the kubelet has not started the next one yet"));
  EXPECT_THAT(error.message(), HasSubstr("no container of etcd has been made"));
  EXPECT_THAT(Stopped(), ElementsAre("etcd-1"));
}

TEST_F(RestartTest, RestoresOldFilesIfTheNewOnesDoNotServe) {
  fake_.files.Write("/pki/a.crt", "old", {});
  const Snapshot before(fake_.files, {"/pki/a.crt", "/pki/none.crt"});
  fake_.files.Write("/pki/a.crt", "new", {});
  fake_.files.Write("/pki/none.crt", "new", {});
  RestartContext context = Context();
  context.probe_of = [this](Component component) {
    return [this, component](std::stop_token) -> std::optional<kube::NotYet> {
      const bool bad =
          component == Component::kApiServer && fake_.files.Read("/pki/a.crt") == "new";
      return bad ? std::optional(kube::NotYet{"it shows something else"}) : std::nullopt;
    };
  };
  const base::Error error = base::Thrown([&] {
    RestartOrRestore(
        std::array{Component::kEtcd, Component::kApiServer, Component::kScheduler},
        [&] { before.Restore(); }, context);
  });
  EXPECT_THAT(error.message(), HasSubstr("it shows something else"));
  EXPECT_THAT(error.message(), HasSubstr("The old certificates are back and in use"));
  EXPECT_EQ(fake_.files.Read("/pki/a.crt"), "old");
  EXPECT_FALSE(fake_.files.Exists("/pki/none.crt"));
  // The scheduler's files are unchanged, so it is not restarted.
  EXPECT_THAT(Stopped(), ElementsAre("etcd-1", "kube-apiserver-2", "etcd-4", "kube-apiserver-5"));
}

TEST_F(RestartTest, ReportsAFailedRestoreToo) {
  problem_[Component::kEtcd] = "broken";
  const Snapshot before(fake_.files, {});
  const base::Error error = base::Thrown([&] {
    RestartOrRestore(std::array{Component::kEtcd}, [&] { before.Restore(); }, Context());
  });
  EXPECT_THAT(error.message(), HasSubstr("the restart with them also failed"));
}

TEST_F(RestartTest, TheSuccessorOfAPodIsInAnotherPod) {
  runtime_.containers[1].sandbox_id = "one";
  const RunningPod before = FindRunning(Component::kApiServer, runtime_);
  const auto wait = [&] { WaitForSuccessors(std::span(&before, 1), Successor::kPod, Context()); };
  EXPECT_THROW(wait(), base::Error);
  runtime_.containers.clear();
  StartNamed("kube-apiserver");
  runtime_.containers.back().sandbox_id = "two";
  wait();
  EXPECT_THAT(Stopped(), IsEmpty());
}

TEST_F(RestartTest, OnlyTheOldPodsContainersAreStopped) {
  RestartContext context = Context();
  runtime_.on_stop = {};
  const auto add = [&](const char* id, const char* sandbox) {
    runtime_.containers.push_back({.id = id,
                                   .sandbox_id = sandbox,
                                   .name = "kube-apiserver",
                                   .state = cri::Container::State::kRunning});
  };
  runtime_.containers.clear();
  add("old", "one");
  const RunningPod before = FindRunning(Component::kApiServer, runtime_);
  runtime_.containers.clear();
  add("again", "one");
  add("crashed", "two");
  runtime_.containers.back().state = cri::Container::State::kExited;
  add("new", "two");
  WaitForSuccessors(std::span(&before, 1), Successor::kPod, context);
  EXPECT_THAT(Stopped(), ElementsAre("again"));
  EXPECT_THAT(runtime_.calls(), Not(Contains("RemoveContainer crashed")))
      << "a diagnosis goes by it";
}

TEST_F(RestartTest, APodOfAMarkedManifestIsNotASuccessor) {
  RestartContext context = Context();
  runtime_.on_stop = {};
  const RunningPod before = FindRunning(Component::kApiServer, runtime_);
  runtime_.containers.clear();
  runtime_.containers.push_back({.id = "marked",
                                 .sandbox_id = "one",
                                 .name = "kube-apiserver",
                                 .state = cri::Container::State::kRunning});
  runtime_.sandboxes.push_back(
      {.id = "one", .ready = true, .annotations = {{std::string(kReplacingAnnotation), "0"}}});
  EXPECT_THROW(WaitForSuccessors(std::span(&before, 1), Successor::kPod, context), base::Error);
  EXPECT_THAT(Stopped(), ElementsAre("marked"));
}

TEST_F(RestartTest, AKubeletThatStartsNothingIsRestartedOnce) {
  int kubelet_restarts = 0;
  RestartContext context = Context();
  context.limit = std::chrono::milliseconds(100'000);
  context.restart_kubelet = [&] { ++kubelet_restarts; };
  stuck_ = {"etcd", "kube-scheduler"};
  EXPECT_THROW(Restart(std::array{Component::kScheduler}, context), base::Error);
  EXPECT_EQ(kubelet_restarts, 1);
  EXPECT_THROW(Restart(std::array{Component::kEtcd}, context), base::Error);
  EXPECT_EQ(kubelet_restarts, 1) << "a new kubelet would wait for the API server, that for etcd";
}

TEST_F(RestartTest, RemovesEndedContainers) {
  runtime_.containers.push_back(
      {.id = "etcd-0", .name = "etcd", .state = cri::Container::State::kExited});
  runtime_.containers.push_back(
      {.id = "other", .name = "kube-scheduler", .state = cri::Container::State::kExited});
  Restart(std::array{Component::kEtcd}, Context());
  std::vector<std::string> ended;
  for (const cri::Container& container : runtime_.containers) {
    if (container.state == cri::Container::State::kExited) {
      ended.push_back(container.id);
    }
  }
  EXPECT_THAT(ended, ElementsAre("other"));
}

TEST_F(RestartTest, RestartsEvenIfTheRuntimeRemovesNoContainer) {
  runtime_.Fail("RemoveContainer", base::Error("busy"));
  Restart(std::array{Component::kEtcd}, Context());
  EXPECT_THAT(Stopped(), ElementsAre("etcd-1"));
}

TEST_F(RestartTest, DoesNotWaitAfterACertificateError) {
  RestartContext context = Context();
  context.limit = std::chrono::hours(1);
  context.probe_of = [](Component) {
    return [](std::stop_token) -> std::optional<kube::NotYet> {
      throw base::Error(base::Error::Kind::kUnauthorized, "who are you?");
    };
  };
  const base::Error error =
      base::Thrown([&] { Restart(std::array{Component::kScheduler}, context); });
  EXPECT_THAT(error.message(), HasSubstr("who are you?"));
}

TEST_F(RestartTest, AWaitCanBeStopped) {
  problem_[Component::kEtcd] = "never";
  std::stop_source stop;
  RestartContext context = Context();
  context.limit = std::chrono::hours(1);
  context.stop = stop.get_token();
  context.probe_of = [&stop](Component) {
    return [&stop](std::stop_token) -> std::optional<kube::NotYet> {
      stop.request_stop();
      return kube::NotYet{"not yet"};
    };
  };
  fake_.files.Write("/pki/a.crt", "old", {});
  const Snapshot before(fake_.files, {"/pki/a.crt"});
  fake_.files.Write("/pki/a.crt", "new", {});
  EXPECT_THROW(RestartOrRestore(
                   std::array{Component::kEtcd}, [&] { before.Restore(); }, context),
               base::Interrupted);
  EXPECT_EQ(fake_.files.Read("/pki/a.crt"), "new");
}

TEST_F(RestartTest, RestoresOldFilesAfterAnyException) {
  fake_.files.Write("/pki/a.crt", "old", {});
  const Snapshot before(fake_.files, {"/pki/a.crt"});
  fake_.files.Write("/pki/a.crt", "new", {});
  RestartContext context = Context();
  context.say = [thrown = false](const std::string& line) mutable {
    if (line == "Restarting etcd" && !std::exchange(thrown, true)) {
      throw std::runtime_error("the disk is full");
    }
  };
  const base::Error error = base::Thrown(
      [&] { RestartOrRestore(std::array{Component::kEtcd}, [&] { before.Restore(); }, context); });
  EXPECT_THAT(error.message(), HasSubstr("the disk is full\nThe old certificates are back"));
  EXPECT_EQ(fake_.files.Read("/pki/a.crt"), "old");
}

}  // namespace
}  // namespace static_pods
