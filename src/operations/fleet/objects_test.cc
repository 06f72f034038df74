// SPDX-License-Identifier: Apache-2.0
#include "fleet/objects.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "fleet/fake_fleet.h"
#include "kube/fake_cluster.h"

namespace fleet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ObjectsTest : public kube::FakeCluster {
 protected:
  static json::Value Renewal() {
    return FakeOperation({{"renewCertificates", json::Value::object()}});
  }
  json::Value Spring() { return Stored(kClusterOperation, "spring"); }
};

TEST_F(ObjectsTest, CreatesAndThenChangesAnObject) {
  EXPECT_TRUE(ApplyObject(client_, Renewal()));
  json::Value paused = Renewal();
  paused["spec"]["paused"] = true;
  EXPECT_FALSE(ApplyObject(client_, paused));
  EXPECT_EQ(json::At(Spring(), {"spec", "paused"}), true);
}

TEST_F(ObjectsTest, RefusesAnInvalidObjectBeforeAnyChange) {
  EXPECT_EQ(base::Thrown([&] { ApplyObject(client_, FakeOperation({{"burn", 1}})); }).kind(),
            base::Error::Kind::kInvalid);
  EXPECT_THAT(Writes(), IsEmpty());
}

TEST_F(ObjectsTest, PausesAndDeletes) {
  ApplyObject(client_, Renewal());
  PauseObject(client_, "spring", true);
  EXPECT_EQ(json::At(Spring(), {"spec", "paused"}), true);
  DeleteObject(client_, "spring");
  EXPECT_TRUE(Spring().is_null());
  EXPECT_EQ(base::Thrown([&] { PauseObject(client_, "spring", false); }).kind(),
            base::Error::Kind::kNotFound);
}

TEST_F(ObjectsTest, ListsOperationsWithTheirNodes) {
  json::Value object = Renewal();
  object["status"] = {
      {"phase", "Running"},
      {"progress", "0/1"},
      {"nodes", json::Value::array({{{"name", "cp"}, {"step", "v1-36"}, {"stage", "Draining"}}})}};
  server_.Put(kClusterOperation, object);
  EXPECT_THAT(StatesOf(CollectOperations(client_)),
              ElementsAre(ElementsAre("OPERATION", "NODE", "STEP", "STATE", "MESSAGE"),
                          ElementsAre("spring", "0/1", "", "Running", ""),
                          ElementsAre("spring", "cp", "v1-36", "Draining", "")));
  EXPECT_EQ(ListOf(CollectOperations(client_)).at("kind"), "ClusterOperationList");
  EXPECT_EQ(ListOf(CollectOperations(client_)).at("items").at(0).at("metadata").at("name"),
            "spring");
}

}  // namespace
}  // namespace fleet
