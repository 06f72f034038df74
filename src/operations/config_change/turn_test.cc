// SPDX-License-Identifier: Apache-2.0
#include "config_change/turn.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"

namespace config_change {
namespace {

TEST(Turn, IsHeldWhileItLives) {
  host::FakeHost fake;
  kube::FakeApiServer server;
  kube::Client client(server.NewTransport(), fake.clock, {});
  const auto holder = [&] {
    const auto lease = server.Find(kube::resources::kLease, "kube-system", "kubeadm-config-apply");
    return json::TextAt(lease.value_or(json::Value()), {"spec", "holderIdentity"});
  };
  {
    const Turn turn(client, fake.host, "cp-one");
    EXPECT_EQ(holder(), "cp-one");
  }
  EXPECT_EQ(holder(), "");
  const Turn next(client, fake.host, "cp-two");
  EXPECT_EQ(holder(), "cp-two");
}

}  // namespace
}  // namespace config_change
