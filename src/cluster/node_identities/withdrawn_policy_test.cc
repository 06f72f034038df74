// SPDX-License-Identifier: Apache-2.0
#include "node_identities/withdrawn_policy.h"

#include <gmock/gmock.h>

#include "json/value.h"
#include "kube/fake_cluster.h"

namespace node_identities {
namespace {

constexpr kube::Resource kPolicies{"admissionregistration.k8s.io", "v1",
                                   "validatingadmissionpolicies", "ValidatingAdmissionPolicy",
                                   false};

using WithdrawnPolicyTest = kube::FakeCluster;

TEST_F(WithdrawnPolicyTest, IsRestoredIfItWasWeakened) {
  ApplyWithdrawnPolicy(client_);
  json::Value weak = Stored(kPolicies, "kubeadm-withdrawn-nodes");
  ASSERT_FALSE(weak.is_null());
  weak["spec"]["failurePolicy"] = "Ignore";
  server_.Put(kPolicies, weak);
  ApplyWithdrawnPolicy(client_);
  EXPECT_EQ(Stored(kPolicies, "kubeadm-withdrawn-nodes")["spec"], WithdrawnPolicy()["spec"]);
}

TEST(WithdrawnPolicy, ReadsTheMapThatTheCommandWrites) {
  const json::Value reference = WithdrawnPolicyBinding()["spec"]["paramRef"];
  EXPECT_EQ(reference["name"], "kubeadm-node-identities");
  EXPECT_EQ(reference["namespace"], "kube-system");
}

}  // namespace
}  // namespace node_identities
