// SPDX-License-Identifier: Apache-2.0
#include "steps/join/pending_request.h"

#include <gmock/gmock.h>

#include "kube/fake_cluster.h"

namespace join_steps {
namespace {

using testing::HasSubstr;
using testing::Optional;

json::Value Request(const std::string& name, const std::string& user, const std::string& created) {
  return {{"apiVersion", "certificates.k8s.io/v1"},
          {"kind", "CertificateSigningRequest"},
          {"metadata", {{"name", name}, {"creationTimestamp", created}}},
          {"spec",
           {{"username", user}, {"signerName", "kubernetes.io/kube-apiserver-client-kubelet"}}}};
}

json::Value With(const char* condition, const char* message) {
  json::Value csr = Request("csr-1", "system:bootstrap:abcdef", "2026-01-01T00:00:00Z");
  csr["status"]["conditions"] = json::Value::array({{{"type", condition}, {"message", message}}});
  return csr;
}

TEST(WhyUnissued, NamesTheApproverOfAPendingRequest) {
  const auto why = WhyUnissued(Request("csr-1", "u", "2026-01-01T00:00:00Z"));
  EXPECT_THAT(why, Optional(HasSubstr("\"csr-1\" is still pending")));
  EXPECT_THAT(why, Optional(HasSubstr("cluster-machine-approver")));
  EXPECT_THAT(why, Optional(HasSubstr("involvedObject.name=csr-1")));
}

TEST(WhyUnissued, TellsDeniedAndUnsignedRequestsApart) {
  EXPECT_THAT(WhyUnissued(With("Denied", "not today")),
              Optional(HasSubstr("denied: \"not today\"")));
  EXPECT_THAT(WhyUnissued(With("Approved", "")), Optional(HasSubstr("kube-controller-manager")));
  json::Value issued = With("Approved", "");
  issued["status"]["certificate"] = "x";
  EXPECT_EQ(WhyUnissued(issued), std::nullopt);
}

using Requests = kube::FakeCluster;

TEST_F(Requests, CountTheNewestOfTheOwnToken) {
  EXPECT_EQ(FindWhyUnissued(client_, "abcdef"), std::nullopt);
  for (const json::Value& csr :
       {Request("csr-old", "system:bootstrap:abcdef", "2026-01-01T00:00:00Z"),
        Request("csr-new", "system:bootstrap:abcdef", "2026-01-01T00:05:00Z"),
        Request("csr-other", "system:bootstrap:ghijkl", "2026-01-01T00:09:00Z")}) {
    client_.Create(kube::resources::kCsr, csr);
  }
  EXPECT_THAT(FindWhyUnissued(client_, "abcdef"), Optional(HasSubstr("\"csr-new\"")));
}

}  // namespace
}  // namespace join_steps
