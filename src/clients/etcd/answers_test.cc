// SPDX-License-Identifier: Apache-2.0
#include "etcd/answers.h"

#include <gtest/gtest.h>

#include "base/fake_error.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;

TEST(Refusal, IsToldByEtcdsMessage) {
  struct Case {
    std::string message;
    Refusal want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"etcdserver: Peer URLs already exists", Refusal::kPeerUrlExists},
           {"etcdserver: member ID already exist", Refusal::kPeerUrlExists},
           {"etcdserver: too many learner members in cluster", Refusal::kTooManyLearners},
           {"etcdserver: re-configuration failed due to not enough started members",
            Refusal::kNotEnoughStarted},
           {"etcdserver: unhealthy cluster", Refusal::kUnhealthy},
           {"etcdserver: can only promote a learner member which is in sync with leader",
            Refusal::kNotInSync},
           {"etcdserver: can only promote a learner member", Refusal::kNotLearner},
           {"etcdserver: member not found", Refusal::kMemberNotFound},
           {"etcdserver: mvcc: database space exceeded", Refusal::kNone},
           {"", Refusal::kNone},
       }) {
    EXPECT_EQ(RefusalIn(c.message), c.want) << c.message;
  }
}

TEST(CallError, HasKindAndEndpoint) {
  struct Case {
    int code;
    std::string message;
    Kind kind;
    std::string text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {14, "failed to connect to all addresses; last error: UNKNOWN: ipv4:1.2.3.4:2379: gone",
            Kind::kUnavailable, "etcd at https://e:2379 is not available: gone"},
           {14, "Ssl handshake failed: SSL_ERROR_SSL: CERTIFICATE_VERIFY_FAILED",
            Kind::kUnauthorized,
            "etcd at https://e:2379 and this client do not accept each other's certificates: "
            "CERTIFICATE_VERIFY_FAILED: compare the etcd CA on both machines"},
           {14, "last error: UNKNOWN: Peer name 10.0.0.1 is not in peer certificate",
            Kind::kUnauthorized,
            "etcd at https://e:2379 and this client do not accept each other's certificates: Peer "
            "name 10.0.0.1 is not in peer certificate: compare the etcd CA on both machines"},
           {14, "last error: UNKNOWN: tcp handshaker shutdown", Kind::kUnavailable,
            "etcd at https://e:2379 is not available: tcp handshaker shutdown"},
           {14, "etcdserver: no leader", Kind::kUnavailable,
            "etcd at https://e:2379 is not available: no leader"},
           {9, "etcdserver: rpc not supported for learner", Kind::kUnavailable,
            "etcd at https://e:2379 is not available: rpc not supported for learner"},
           {4, "Deadline Exceeded", Kind::kTimeout,
            "etcd at https://e:2379 does not answer in time"},
           {1, "CANCELLED", Kind::kCancelled, "stopped while waiting for etcd at https://e:2379"},
           {7, "etcdserver: permission denied", Kind::kForbidden,
            "etcd at https://e:2379 does not allow it: etcdserver: permission denied"},
           {16, "etcdserver: invalid auth token", Kind::kUnauthorized,
            "etcd at https://e:2379 does not know who asks: etcdserver: invalid auth token"},
           {3, "etcdserver: given member URLs are invalid", Kind::kOther,
            "etcd at https://e:2379 answers: etcdserver: given member URLs are invalid"},
       }) {
    const base::Error error = CallError("https://e:2379", c.code, c.message);
    EXPECT_EQ(error.kind(), c.kind) << c.message;
    EXPECT_EQ(error.message(), c.text);
  }
}

TEST(Target, IsWhatGrpcDials) {
  struct Case {
    std::string url, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"https://10.0.0.1:2379", "ipv4:10.0.0.1:2379"},
           {"https://10.0.0.1:2379/", "ipv4:10.0.0.1:2379"},
           {"https://[fd00::1]:2379", "ipv6:%5Bfd00::1%5D:2379"},
           {"https://etcd.example:2379", "dns:///etcd.example:2379"},
       }) {
    EXPECT_EQ(Target(c.url), c.want);
  }
  for (const char* bad : {"", "http://10.0.0.1:2379", "10.0.0.1:2379", "https://10.0.0.1",
                          "https://:2379", "https://a:0", "https://a:65536", "https://a:x",
                          "https://fd00::1:2379", "https://user@a:2379", "https://a/b:1"}) {
    const base::Error error = base::Thrown([&] { Target(bad); });
    EXPECT_EQ(error.kind(), Kind::kInvalid) << bad;
  }
}

TEST(HexId, IsAsEtcdctlWritesIt) { EXPECT_EQ(HexId(0x8e9e05c52164694dU), "8e9e05c52164694d"); }

}  // namespace
}  // namespace etcd
