// SPDX-License-Identifier: Apache-2.0
#include "readdress/begin.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"

namespace readdress {
namespace {

using testing::HasSubstr;

net::IpAddress Ip(const char* text) { return net::IpAddress::Parse(text).value(); }

TEST(ChooseMove, TheUserKnowsBetterThanAJournalAndThatThanTheFiles) {
  const Node node{.config = {}, .address = Ip("10.0.0.1"), .node_ips = {}};
  EXPECT_EQ(ChooseMove({.to = Ip("10.0.0.2"), .from = {}}, node, {}).from, Ip("10.0.0.1"));
  EXPECT_EQ(ChooseMove({.to = Ip("10.0.0.2"), .from = Ip("10.0.0.9")}, node, {}).from,
            Ip("10.0.0.9"));
  const Journal journal{.move = {.from = Ip("10.0.0.7"), .to = Ip("10.0.0.2")}, .directory = {}};
  EXPECT_EQ(ChooseMove({.to = Ip("10.0.0.2"), .from = {}}, node, journal).from, Ip("10.0.0.7"));
}

TEST(ChooseMove, SaysWhyThereIsNone) {
  const Node unknown{.config = {}, .address = {}, .node_ips = {}};
  EXPECT_THAT(base::MessageOf([&] { ChooseMove({.to = Ip("::1"), .from = {}}, unknown, {}); }),
              HasSubstr("give it by --from"));
  const Node node{.config = {}, .address = Ip("10.0.0.1"), .node_ips = {}};
  EXPECT_THAT(base::MessageOf([&] { ChooseMove({.to = Ip("10.0.0.1"), .from = {}}, node, {}); }),
              HasSubstr("10.0.0.1 is the node's address already"));
  const Journal journal{.move = {.from = Ip("10.0.0.7"), .to = Ip("10.0.0.2")}, .directory = {}};
  EXPECT_THAT(
      base::MessageOf([&] { ChooseMove({.to = Ip("10.0.0.3"), .from = {}}, node, journal); }),
      HasSubstr("from 10.0.0.7 to 10.0.0.2 was cut off here"));
}

TEST(NextStep, IsOneWhereOthersUseTheAddressOfAControlPlane) {
  const Move move{.from = Ip("10.0.0.1"), .to = Ip("10.0.0.2")};
  const Node worker{.config = {}, .address = {}, .node_ips = {}};
  const Node control_plane{.control_plane = true, .config = {}, .address = {}, .node_ips = {}};
  Plan plan;
  EXPECT_FALSE(NextStep(control_plane, plan, move)) << "its own files name an endpoint";
  plan.files.push_back({.path = "/etc/kubernetes/admin.conf", .text = ""});
  EXPECT_FALSE(NextStep(worker, plan, move));
  EXPECT_THAT(NextStep(control_plane, plan, move).value_or(""),
              HasSubstr("kubeadm node readdress --from 10.0.0.1 --to 10.0.0.2"));
}

}  // namespace
}  // namespace readdress
