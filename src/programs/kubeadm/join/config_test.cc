// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/join/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kubeadm/join/flags.h"

namespace kubeadm {
namespace {

using testing::HasSubstr;

// The flags of `join phase control-plane-join mark-control-plane`, which uses admin.conf.
constexpr std::string_view kOffered[] = {"config", "control-plane", "dry-run", "node-name"};

class JoinByAdminConf : public testing::Test {
 protected:
  config::JoinConfiguration Load(bool control_plane) {
    std::vector<cli::Flag> offered;
    std::vector<cli::Flag> defaults;
    for (const cli::Flag& flag : JoinPhaseFlags()) {
      (std::ranges::find(kOffered, flag.name) != std::end(kOffered) ? offered : defaults)
          .push_back(flag);
    }
    cli::Parsed flags(offered, defaults);
    flags.Set("node-name", "n");
    if (control_plane) {
      flags.Set("control-plane", "true");
    }
    std::istringstream in;
    std::ostringstream out;
    cli::Streams streams{in, out, out};
    const cli::Command command;
    const cli::Invocation invocation{.command = command,
                                     .path = "",
                                     .flags = flags,
                                     .streams = streams,
                                     .print_help = {},
                                     .root = command};
    return LoadJoinConfig(invocation, fake_.host).join;
  }
  host::FakeHost fake_;
};

TEST_F(JoinByAdminConf, OnlyTheFlagMakesAControlPlaneNode) {
  fake_.files.Write("/etc/kubernetes/admin.conf", "apiVersion: v1\nkind: Config\n", {});
  const config::JoinConfiguration worker = Load(false);
  EXPECT_FALSE(worker.control_plane);
  EXPECT_EQ(worker.discovery.file->kube_config_path, "/etc/kubernetes/admin.conf");
  EXPECT_TRUE(Load(true).control_plane);
}

TEST_F(JoinByAdminConf, RequiresTheAdminConf) {
  const base::Error error = base::Thrown([&] { Load(true); });
  EXPECT_THAT(error.message(), HasSubstr("/etc/kubernetes/admin.conf does not exist"));
}

}  // namespace
}  // namespace kubeadm
