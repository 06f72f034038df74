// SPDX-License-Identifier: Apache-2.0
#include "dns/find_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "dns/fake_name_server.h"
#include "host/clock.h"

namespace dns {
namespace {

using base::Error;
using std::chrono::milliseconds;
using testing::HasSubstr;

// Returns the addresses as one text; "unknown" for std::nullopt.
std::string Find(const std::vector<const FakeNameServer*>& servers,
                 const std::string& name = "w.x.test") {
  Resolver resolver{.servers = {}, .timeout = milliseconds(1'200)};
  for (const FakeNameServer* server : servers) {
    resolver.servers.push_back(server->place());
  }
  const auto found = FindAddresses(resolver, name, host::RealClock(), {});
  if (!found) {
    return "unknown";
  }
  std::string text;
  for (const net::IpAddress& address : *found) {
    text += address.Text() + " ";
  }
  return text;
}

std::string Find(const FakeAnswer& answer) {
  const FakeNameServer server(answer);
  return Find({&server});
}

TEST(FindAddresses, ReturnsBothFamiliesSortedWithoutRepeats) {
  EXPECT_EQ(Find({.a = {"10.0.0.6", "10.0.0.5", "10.0.0.6"}, .aaaa = {"fd00::1"}}),
            "10.0.0.5 10.0.0.6 fd00::1 ");
  EXPECT_EQ(Find({.aaaa = {"fd00::1"}}), "fd00::1 ");
}

TEST(FindAddresses, FindsNoHostForAnUnknownNameOrANameWithoutAddresses) {
  EXPECT_EQ(Find({.code = ResponseCode::kNxDomain, .a = {}}), "unknown");
  EXPECT_EQ(Find(FakeAnswer{}), "unknown");
}

TEST(FindAddresses, IgnoresAddressesOfAnotherName) {
  EXPECT_EQ(Find({.a = {"10.0.0.5"}, .owner = "other.x.test"}), "unknown");
}

TEST(FindAddresses, FollowsNoAlias) {
  for (const FakeAnswer& answer :
       {FakeAnswer{.alias = "y.test"},
        FakeAnswer{.a = {"10.0.0.5"}, .owner = "y.test", .alias = "y.test"},
        FakeAnswer{.a = {"10.0.0.5"}, .alias = "y.test"},
        FakeAnswer{.code = ResponseCode::kNxDomain, .alias = "y.test"}}) {
    const FakeNameServer server(answer);
    const auto error = base::Thrown([&] { Find({&server}); });
    EXPECT_EQ(error.kind(), Error::Kind::kInvalid);
    EXPECT_THAT(error.message(), HasSubstr("w.x.test is an alias in DNS"));
  }
}

TEST(FindAddresses, DoesNotTakeAFailureForAMissingName) {
  for (const ResponseCode code : {ResponseCode::kServerFailure, ResponseCode::kRefused,
                                  ResponseCode::kFormatError, ResponseCode::kNotImplemented}) {
    const FakeNameServer server({.code = code, .a = {"10.0.0.5"}});
    EXPECT_EQ(base::Thrown([&] { Find({&server}); }).kind(), Error::Kind::kUnavailable)
        << static_cast<int>(code);
  }
  // If the query for one family fails, the addresses of the other family do not suffice.
  const FakeNameServer half({.a = {"10.0.0.5"}, .aaaa_code = ResponseCode::kServerFailure});
  EXPECT_EQ(base::Thrown([&] { Find({&half}); }).kind(), Error::Kind::kUnavailable);
}

TEST(FindAddresses, RefusesAContradiction) {
  const FakeAnswer half{.a = {"10.0.0.5"}, .aaaa_code = ResponseCode::kNxDomain};
  const FakeAnswer both{.code = ResponseCode::kNxDomain, .a = {"10.0.0.5"}};
  for (const FakeAnswer& answer : {half, both}) {
    EXPECT_THAT(base::MessageOf([&] { Find(answer); }), HasSubstr("exists and that it does not"));
  }
}

TEST(FindAddresses, IgnoresAnswersToOtherQueries) {
  const FakeNameServer server({.a = {"10.0.0.5"}, .other_id = true});
  EXPECT_EQ(base::Thrown([&] { Find({&server}); }).kind(), Error::Kind::kTimeout);
}

TEST(FindAddresses, EndsAtTheTimeLimit) {
  const FakeNameServer server({.silent = true});
  const auto error = base::Thrown([&] { Find({&server}); });
  EXPECT_EQ(error.kind(), Error::Kind::kTimeout);
  EXPECT_EQ(error.message(), "no DNS server answers for w.x.test");
}

TEST(FindAddresses, QueriesTheNextServerAfterAFailure) {
  const FakeNameServer failing({.code = ResponseCode::kServerFailure});
  const FakeNameServer silent({.silent = true});
  const FakeNameServer good({.a = {"10.0.0.5"}});
  EXPECT_EQ(Find({&failing, &good}), "10.0.0.5 ");
  EXPECT_EQ(Find({&silent, &good}), "10.0.0.5 ");
}

TEST(FindAddresses, BoundsTheAddresses) {
  FakeAnswer answer;
  for (std::size_t i = 0; i <= kMostAddresses; ++i) {
    answer.a.push_back("10.0.1." + std::to_string(i));
  }
  EXPECT_THAT(base::MessageOf([&] { Find(answer); }), HasSubstr("has 65 addresses"));
  answer.a.pop_back();
  EXPECT_THAT(Find(answer), HasSubstr("10.0.1.63 "));
}

TEST(FindAddresses, QueriesNoMalformedName) {
  const FakeNameServer server({.a = {"10.0.0.5"}});
  for (const char* name : {"", "a..b", "a.b.", "A.b", "a\\046b.c", "a b", "a_b", "*.b", "-a.b",
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b"}) {
    EXPECT_EQ(base::Thrown([&] { Find({&server}, name); }).kind(), Error::Kind::kInvalid) << name;
  }
}

TEST(FindAddresses, EndsOnAStopRequest) {
  const FakeNameServer server({.silent = true});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      FindAddresses({.servers = {server.place()}}, "a.test", host::RealClock(), stop.get_token()),
      base::Interrupted);
}

}  // namespace
}  // namespace dns
