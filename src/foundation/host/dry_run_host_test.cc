// SPDX-License-Identifier: Apache-2.0
#include "host/dry_run_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"

namespace host {
namespace {

const DryRunDirectoryOptions kWanted{.variable = "KUBEADM_INIT_DRYRUN_DIR",
                                     .prefix = "kubeadm-init-dryrun",
                                     .parent = "/etc/kubernetes/tmp"};

TEST(DryRunDirectory, IsTheOneThatTheUserNames) {
  FakeHost host;
  host.environment.variables["KUBEADM_INIT_DRYRUN_DIR"] = "/tmp/mine";
  const DryRunDirectory directory = ChooseDryRunDirectory(host.host, kWanted);
  EXPECT_EQ(directory.path, "/tmp/mine");
  MakeDryRunDirectory(host.host, directory);
  EXPECT_FALSE(host.files.Exists("/tmp/mine"));  // created with the first file
}

TEST(DryRunDirectory, IsNewAndPrivateIfTheUserNamesNone) {
  FakeHost host;
  const DryRunDirectory directory = ChooseDryRunDirectory(host.host, kWanted);
  EXPECT_THAT(directory.path.string(),
              testing::StartsWith("/etc/kubernetes/tmp/kubeadm-init-dryrun"));
  EXPECT_FALSE(host.files.Exists(directory.path));
  MakeDryRunDirectory(host.host, directory);
  EXPECT_EQ(host.files.Stat(directory.path)->mode, 0700U);
  EXPECT_NE(ChooseDryRunDirectory(host.host, kWanted).path, directory.path);
}

TEST(DryRunDirectory, RemovesANewDirectoryThatIsEmpty) {
  FakeHost host;
  const DryRunDirectory directory = ChooseDryRunDirectory(host.host, kWanted);
  RemoveEmptyDryRunDirectory(host.host, directory);  // was never created
  MakeDryRunDirectory(host.host, directory);
  host.files.Write(directory.path / "ca.crt", "a", {});
  RemoveEmptyDryRunDirectory(host.host, directory);
  EXPECT_TRUE(host.files.Exists(directory.path / "ca.crt"));
  host.files.Remove(directory.path / "ca.crt");
  RemoveEmptyDryRunDirectory(host.host, directory);
  EXPECT_FALSE(host.files.Exists(directory.path));
}

TEST(DryRunDirectory, KeepsADirectoryThatTheUserNamed) {
  FakeHost host;
  host.environment.variables["KUBEADM_INIT_DRYRUN_DIR"] = "/tmp/mine";
  host.files.MakeDirectories("/tmp/mine", 0700);
  RemoveEmptyDryRunDirectory(host.host, ChooseDryRunDirectory(host.host, kWanted));
  EXPECT_TRUE(host.files.Exists("/tmp/mine"));
}

TEST(DryRunHost, RedirectsWritesAndStartsNoProgram) {
  FakeHost machine;
  machine.files.Write("/etc/kubernetes/pki/ca.crt", "own", {});
  DryRunHost dry(machine.host, {{"/etc/kubernetes/pki", "/dry"}}, "/dry");
  dry.host().files.Write("/etc/kubernetes/pki/ca.key", "made", {.mode = 0600});
  EXPECT_EQ(machine.files.Find("/dry/ca.key"), "made");
  EXPECT_FALSE(machine.files.Exists("/etc/kubernetes/pki/ca.key"));
  EXPECT_EQ(dry.host().files.Find("/etc/kubernetes/pki/ca.crt"), "own");

  EXPECT_TRUE(dry.host().processes.Run({"systemctl", "stop", "kubelet"}).Succeeded());
  EXPECT_TRUE(machine.processes.calls().empty());
  machine.processes.On("systemctl is-active kubelet", {.exit_code = 3, .out = "inactive\n"});
  EXPECT_EQ(dry.host()
                .processes.Run({"systemctl", "is-active", "kubelet"}, {.effect = Effect::kAsks})
                .exit_code,
            3);

  machine.mounts.mounts = {{"tmpfs", "/var/lib/kubelet/pods/v", "tmpfs"}};
  EXPECT_EQ(dry.host().mounts.List(), machine.mounts.mounts);
  EXPECT_TRUE(dry.host().mounts.Unmount("/var/lib/kubelet/pods/v", {}));
  EXPECT_TRUE(machine.mounts.unmounted.empty());
}

}  // namespace
}  // namespace host
