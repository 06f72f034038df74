// SPDX-License-Identifier: Apache-2.0
#include "upgrade/mirror_pods.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"
#include "kube/fake_server.h"
#include "kube/objects.h"
#include "objects/fake_mirror_pod.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

using components::Component;

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;
using testing::StartsWith;

// Records the options of deletions.
class Deletions : public kube::Transport {
 public:
  Deletions(std::unique_ptr<kube::Transport> server, std::vector<json::Value>& bodies)
      : server_(std::move(server)), bodies_(bodies) {}
  json::Value Do(const kube::Call& call, std::stop_token stop) override {
    if (call.verb == kube::Verb::kDelete) {
      bodies_.push_back(call.body);
    }
    return server_->Do(call, std::move(stop));
  }
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return server_->GetPath(path, std::move(stop));
  }
  void Watch(const kube::Call& call, const std::string& version, const OnEvent& on_event,
             std::stop_token stop) override {
    server_->Watch(call, version, on_event, std::move(stop));
  }

 private:
  std::unique_ptr<kube::Transport> server_;
  std::vector<json::Value>& bodies_;
};

class MirrorsTest : public testing::Test {
 protected:
  static json::Value Pod(Component component, const std::string& image) {
    json::Value pod = objects::FakeMirrorPod(component, "a", image);
    pod["metadata"]["uid"] = "of-" + image;
    return pod;
  }
  void Here(Component component, const std::string& image) {
    static_pods::WriteManifest(fake_.files, component, Pod(component, image));
  }
  void Shown(Component component, const std::string& image) {
    server_.Put(kube::resources::kPod, Pod(component, image));
  }
  std::optional<std::string> Await() {
    return WaitForMirrors({.client = client_, .host = fake_.host, .node = "a"});
  }

  host::FakeHost fake_;
  kube::FakeApiServer server_;
  kube::Client client_{server_.NewTransport(), fake_.clock, {}};
};

TEST_F(MirrorsTest, RequiresTheImagesOfTheManifests) {
  Here(Component::kApiServer, "x:new");
  Shown(Component::kApiServer, "x:new");
  EXPECT_EQ(Await(), std::nullopt);
}

TEST_F(MirrorsTest, NamesMissingPods) {
  Here(Component::kEtcd, "e:new");
  EXPECT_THAT(Await(), Optional(HasSubstr("etcd-a is not shown")));
  EXPECT_THAT(server_.Requests(), Not(Contains(StartsWith("DELETE"))));
}

TEST_F(MirrorsTest, DeletesStalePodsForTheirKubeletToRecreate) {
  Here(Component::kScheduler, "y:new");
  Shown(Component::kScheduler, "y:old");
  const kube::Probe fresh = FreshMirrors(client_, fake_.host, "a");
  EXPECT_TRUE(fresh({}));
  EXPECT_TRUE(server_.Find(kube::resources::kPod, "kube-system", "kube-scheduler-a"));
  fake_.clock.Advance(std::chrono::seconds(3));
  EXPECT_TRUE(fresh({}));
  EXPECT_FALSE(server_.Find(kube::resources::kPod, "kube-system", "kube-scheduler-a"));
  Shown(Component::kScheduler, "y:new");
  EXPECT_FALSE(fresh({}));
}

// The deletion of a stale mirror Pod must not set a grace period. With a grace period of zero, a
// kubelet that misses the event would not recreate the Pod.
TEST_F(MirrorsTest, DeletesAStalePodWithItsOwnGracePeriod) {
  std::vector<json::Value> bodies;
  kube::Client client(std::make_shared<Deletions>(server_.NewTransport(), bodies), fake_.clock, {});
  Here(Component::kScheduler, "y:new");
  Shown(Component::kScheduler, "y:old");
  const kube::Probe fresh = FreshMirrors(client, fake_.host, "a");
  fresh({});
  fake_.clock.Advance(std::chrono::seconds(3));
  fresh({});
  ASSERT_EQ(bodies.size(), 1U);
  EXPECT_FALSE(bodies[0].contains("gracePeriodSeconds")) << bodies[0];

  json::Value pod = Pod(Component::kScheduler, "y:old");
  pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  server_.Put(kube::resources::kPod, pod);
  for (int i = 0; i < 3; ++i) {
    fake_.clock.Advance(std::chrono::seconds(3));
    EXPECT_TRUE(fresh({}));
  }
  EXPECT_EQ(bodies.size(), 1U) << "once is enough";
}

// Another node's kubelet has created a Pod with the name of this mirror Pod, and may keep it. The
// wait must end without deleting that Pod.
TEST_F(MirrorsTest, DoesNotWaitForAMirrorPodWhoseNameAnotherPodHas) {
  Here(Component::kScheduler, "y:new");
  json::Value pod = objects::FakeMirrorPod(Component::kScheduler, "worker", "y:old");
  pod["metadata"]["name"] = "kube-scheduler-a";
  server_.Put(kube::resources::kPod, pod);
  EXPECT_EQ(Await(), std::nullopt);
  EXPECT_THAT(server_.Requests(), Not(Contains(StartsWith("DELETE"))));
}

TEST_F(MirrorsTest, WaitsForPodsThatMustNotBeDeleted) {
  Here(Component::kScheduler, "y:new");
  Shown(Component::kScheduler, "y:old");
  server_.Inject({.what = "DELETE ", .status = 403, .reason = "Forbidden", .times = -1});
  EXPECT_THAT(Await(), Optional(HasSubstr("kube-scheduler-a is shown with its previous image")));
}

TEST_F(MirrorsTest, RetriesAServerThatHasJustStarted) {
  Here(Component::kEtcd, "e:new");
  Shown(Component::kEtcd, "e:new");
  server_.Inject({.what = "GET /api/v1/namespaces/kube-system/pods/",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "no rules"});
  EXPECT_EQ(Await(), std::nullopt);
}

}  // namespace
}  // namespace upgrade
