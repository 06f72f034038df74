// SPDX-License-Identifier: Apache-2.0
#include "etcd/answers.h"

#include <gtest/gtest.h>

#include "base/fake_error.h"

namespace etcd {
namespace {

using Kind = base::Error::Kind;

TEST(Refusal, IsRecognizedByEtcdsMessage) {
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
           {14, "gone", Kind::kUnavailable, "etcd at https://e:2379 is not available: gone"},
           {14, "etcdserver: no leader", Kind::kUnavailable,
            "etcd at https://e:2379 is not available: no leader"},
           {8, "etcdserver: too many requests", Kind::kUnavailable,
            "etcd at https://e:2379 is not available: too many requests"},
           {9, "etcdserver: rpc not supported for learner", Kind::kUnavailable,
            "etcd at https://e:2379 is not available: rpc not supported for learner"},
           {4, "Deadline Exceeded", Kind::kTimeout,
            "etcd at https://e:2379 does not answer in time"},
           {1, "CANCELLED", Kind::kOther, "etcd at https://e:2379 answers: CANCELLED"},
           {7, "etcdserver: permission denied", Kind::kForbidden,
            "etcd at https://e:2379 does not allow it: etcdserver: permission denied"},
           {16, "etcdserver: invalid auth token", Kind::kUnauthorized,
            "etcd at https://e:2379 does not recognize this client: "
            "etcdserver: invalid auth token"},
           {3, "etcdserver: given member URLs are invalid", Kind::kOther,
            "etcd at https://e:2379 answers: etcdserver: given member URLs are invalid"},
       }) {
    const base::Error error = CallError("https://e:2379", c.code, c.message);
    EXPECT_EQ(error.kind(), c.kind) << c.message;
    EXPECT_EQ(error.message(), c.text);
  }
}

TEST(NoAnswer, ExplainsWhyEtcdIsUnreachable) {
  struct Case {
    base::Error error;
    Kind kind;
    std::string text;
  };
  for (const Case& c : std::initializer_list<Case>{
           {{Kind::kUnavailable, "cannot connect to 10.0.0.1:2379: connection refused"},
            Kind::kUnavailable,
            "etcd at https://e:2379 is not available: connection refused"},
           {{Kind::kUnauthorized, "the certificate of e:2379 is not trusted: it is self-signed"},
            Kind::kUnauthorized,
            "etcd at https://e:2379 and this client do not accept each other's certificates: it is "
            "self-signed: compare the etcd CA on both machines"},
           {{Kind::kInvalid, "e:2379 does not speak TLS: record type"},
            Kind::kUnavailable,
            "etcd at https://e:2379 cannot be queried: e:2379 does not speak TLS: record type"},
           {{Kind::kTimeout, "slow"},
            Kind::kTimeout,
            "etcd at https://e:2379 does not answer in time"},
       }) {
    const base::Error error = NoAnswer("https://e:2379", c.error);
    EXPECT_EQ(error.kind(), c.kind) << c.text;
    EXPECT_EQ(error.message(), c.text);
  }
}

TEST(NothingListens, IsTrueForARefusedConnectionButNotForATimeout) {
  EXPECT_TRUE(NothingListens("etcd at https://e:2379 is not available: connection refused"));
  EXPECT_FALSE(NothingListens("etcd at https://e:2379 does not answer in time"));
}

TEST(Origin, IsAnHttpsUrlWithAPort) {
  for (const char* good : {"https://10.0.0.1:2379", "https://[fd00::1]:2379",
                           "https://[fe80::1%25eth0]:2379", "https://etcd.example:2379"}) {
    EXPECT_EQ(Origin(good), good);
    EXPECT_EQ(Origin(std::string(good) + "/"), good);
  }
  for (const char* bad : {"", "http://10.0.0.1:2379", "10.0.0.1:2379", "https://10.0.0.1",
                          "https://:2379", "https://a:0", "https://a:65536", "https://a:x",
                          "https://fd00::1:2379", "https://user@a:2379", "https://a/b:1"}) {
    const base::Error error = base::Thrown([&] { Origin(bad); });
    EXPECT_EQ(error.kind(), Kind::kInvalid) << bad;
  }
}

TEST(HexId, IsAsEtcdctlWritesIt) { EXPECT_EQ(HexId(0x8e9e05c52164694dU), "8e9e05c52164694d"); }

}  // namespace
}  // namespace etcd
