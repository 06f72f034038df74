// SPDX-License-Identifier: Apache-2.0
// A fake machine on which the checks find no problem, for tests of single checks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "preflight/checks.h"

namespace preflight {

// Lets several connections share one fake.
class Borrowed : public cri::Runtime {
 public:
  explicit Borrowed(cri::FakeRuntime& fake) : fake_(fake) {}
  cri::RuntimeVersion Version() override { return fake_.Version(); }
  cri::RuntimeStatus Status() override { return fake_.Status(); }
  std::optional<cri::CgroupDriver> PreferredCgroupDriver() override {
    return fake_.PreferredCgroupDriver();
  }
  bool HasImage(const std::string& image) override { return fake_.HasImage(image); }
  void PullImage(const std::string& image, std::stop_token stop) override {
    fake_.PullImage(image, std::move(stop));
  }
  std::vector<cri::Sandbox> Sandboxes() override { return fake_.Sandboxes(); }
  std::vector<cri::Container> Containers(const cri::Wanted& wanted) override {
    return fake_.Containers(wanted);
  }
  std::optional<std::string> ContainerInfo(const std::string& id) override {
    return fake_.ContainerInfo(id);
  }
  cri::Started Start(const cri::OneOff& container) override { return fake_.Start(container); }
  void StopSandbox(const std::string& id) override { fake_.StopSandbox(id); }
  void StopContainer(const std::string& id, std::chrono::seconds grace) override {
    fake_.StopContainer(id, grace);
  }
  void RemoveContainer(const std::string& id) override { fake_.RemoveContainer(id); }
  void RemoveSandbox(const std::string& id) override { fake_.RemoveSandbox(id); }

 private:
  cri::FakeRuntime& fake_;
};

inline constexpr const char* kKernelConfig =
    "CONFIG_NAMESPACES=y\nCONFIG_NET_NS=y\nCONFIG_PID_NS=y\nCONFIG_IPC_NS=y\nCONFIG_UTS_NS=y\n"
    "CONFIG_CPUSETS=y\nCONFIG_MEMCG=y\nCONFIG_INET=y\nCONFIG_EXT4_FS=m\nCONFIG_PROC_FS=y\n"
    "CONFIG_NETFILTER_XT_TARGET_REDIRECT=m\nCONFIG_NETFILTER_XT_MATCH_COMMENT=m\n"
    "CONFIG_FAIR_GROUP_SCHED=y\nCONFIG_CGROUPS=y\nCONFIG_CGROUP_BPF=y\nCONFIG_CGROUP_PIDS=y\n"
    "CONFIG_CGROUP_SCHED=y\n";

class ChecksTest : public testing::Test {
 protected:
  // Sets up a machine on which the checks find nothing.
  ChecksTest() {
    host::FakeFiles& files = fake_.files;
    files.Write("/boot/config-6.1.0-40-amd64", kKernelConfig, {});
    files.Write("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", {});
    files.Write("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids\n", {});
    files.Write("/sys/fs/cgroup/init.scope/cgroup.freeze", "0\n", {});
    files.Write("/proc/swaps", "Filename\n", {});
    files.Write("/proc/sys/net/ipv4/ip_forward", "1\n", {});
    files.Write("/proc/sys/net/ipv6/conf/default/forwarding", "1\n", {});
    fake_.processes.On("kubelet --version", {.out = "Kubernetes v1.36.3\n"});
    fake_.processes.On("systemctl is-active firewalld", {.exit_code = 3, .out = "inactive\n"});
    fake_.processes.AddExecutable("systemctl");
    for (const char* name : {"losetup", "mount", "getent", "cp"}) {
      fake_.processes.AddExecutable(name);
    }
    fake_.network.hosts["cp-one"] = {"192.0.2.10"};
    init_.init.local_api_endpoint = {.advertise_address = "192.0.2.10", .bind_port = 6443};
    init_.init.node_registration.name = "cp-one";
    init_.init.node_registration.cri_socket = "unix:///run/x.sock";
    init_.cluster.kubernetes_version = "v1.36.3";
    init_.cluster.networking = {.service_subnet = "10.96.0.0/12", .dns_domain = "cluster.local"};
    init_.cluster.etcd.local = config::LocalEtcd{.data_dir = "/var/lib/etcd"};
    join_.node_registration = init_.init.node_registration;
    join_.ca_cert_path = "/etc/kubernetes/pki/ca.crt";
    join_.discovery.bootstrap_token =
        config::BootstrapTokenDiscovery{.api_server_endpoint = "192.0.2.1:6443"};
  }

  static std::vector<std::string> Complaints(const std::vector<checks::Check>& checks) {
    std::vector<std::string> complaints;
    for (const checks::Finding& finding : checks::RunChecks(checks)) {
      complaints.push_back((finding.severity == checks::Severity::kError ? "E " : "W ") +
                           finding.id);
      EXPECT_FALSE(finding.remedy.empty()) << finding.id;
    }
    return complaints;
  }

  static std::vector<std::string> Names(const std::vector<checks::Check>& checks) {
    std::vector<std::string> names;
    for (const checks::Check& check : checks) {
      names.push_back(check.id);
    }
    return names;
  }

  host::FakeHost fake_;
  cri::FakeRuntime runtime_;
  std::string endpoint_;
  Sources sources_{fake_.host,
                   [this](const std::string&) { return std::make_unique<Borrowed>(runtime_); }};
  config::Init init_;
  config::JoinConfiguration join_;
};

}  // namespace preflight
