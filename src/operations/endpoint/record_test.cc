// SPDX-License-Identifier: Apache-2.0
#include "endpoint/record.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "kube/fake_cluster.h"

namespace endpoint {
namespace {

using testing::HasSubstr;

class RecordTest : public kube::FakeCluster {};

TEST_F(RecordTest, RoundTrips) {
  EXPECT_EQ(FindRecord(client_), std::nullopt);
  ChangeRecord record{.endpoint = "new:6443", .previous = "old:6443", .names = {"old", "10.0.0.1"}};
  PutRecord(client_, record);
  EXPECT_EQ(FindRecord(client_), record);
  record.switched = std::chrono::sys_seconds(std::chrono::seconds(1'000'000));
  record.names.clear();
  PutRecord(client_, record);
  EXPECT_EQ(FindRecord(client_), record);
  RemoveRecord(client_, record);
  RemoveRecord(client_, record);
  EXPECT_EQ(FindRecord(client_), std::nullopt);
}

TEST_F(RecordTest, ARecordOfAnotherChangeIsNotRemoved) {
  const ChangeRecord other{.endpoint = "newer:6443", .previous = "new:6443", .names = {}};
  PutRecord(client_, other);
  const ChangeRecord record{.endpoint = "new:6443", .previous = "old:6443", .names = {}};
  EXPECT_THAT(base::MessageOf([&] { RemoveRecord(client_, record); }, base::Error::Kind::kConflict),
              HasSubstr("it records a change to newer:6443 that has begun since"));
  EXPECT_EQ(FindRecord(client_), other);
}

TEST_F(RecordTest, RefusesAConfigMapWithoutAnEndpoint) {
  server_.Put(kube::resources::kConfigMap,
              {{"metadata", {{"name", kRecordName}, {"namespace", "kube-system"}}}});
  const base::Error error = base::Thrown([&] { FindRecord(client_); });
  EXPECT_THAT(error.message(), HasSubstr("kube-system/kubeadm-endpoint names no endpoint"));
}

TEST_F(RecordTest, ANodeRecordsItsEndpoint) {
  server_.Put(kube::resources::kNode,
              {{"metadata",
                {{"name", "w"}, {"creationTimestamp", "1970-01-01T00:00:05Z"}, {"labels", {}}}}});
  EXPECT_EQ(MarkOf(client_, "w"), "");
  SetMark(client_, "w", "new:6443");
  EXPECT_EQ(MarkOf(client_, "w"), "new:6443");
  const std::vector<NodeEndpoint> states = NodeStates(client_);
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states.front().mark, "new:6443");
  EXPECT_EQ(states.front().created.time_since_epoch(), std::chrono::seconds(5));
}

}  // namespace
}  // namespace endpoint
