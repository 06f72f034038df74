// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "host/fake_host.h"
#include "machine_approver/identity_options.h"
#include "machine_approver/log_flags.h"

namespace machine_approver {
namespace {

using base::Error;
using testing::HasSubstr;
using testing::SizeIs;

cli::Parsed Flags(const std::vector<std::string>& words) {
  cli::Parsed parsed(ControllerFlags());
  cli::ParseWords(words, parsed, [](const std::string&) {});
  return parsed;
}

TEST(MetricsOptions, FollowFlagsAndEnvironment) {
  struct Row {
    std::vector<std::string> words;
    std::map<std::string, std::string> environment;
    std::string host;
    int port;
    bool secure;
  };
  for (const Row& row : std::initializer_list<Row>{
           {{}, {}, "127.0.0.1", 9191, false},
           {{}, {{"METRICS_BIND_ADDRESS", "::1"}}, "127.0.0.1", 9191, false},
           {{}, {{"METRICS_PORT", "1"}}, "", 1, false},
           {{}, {{"METRICS_PORT", "1"}, {"METRICS_BIND_ADDRESS", "::1"}}, "::1", 1, false},
           {{"--metrics-bind-address=[::1]:7"}, {{"METRICS_PORT", "1"}}, "::1", 7, false},
           {{"--metrics-secure"}, {}, "", 9192, true},
           {{"--metrics-secure", "--metrics-bind-address=:7"}, {}, "", 7, true},
           {{"--metrics-secure", "--metrics-cert-dir=/c"}, {}, "", 9192, true}}) {
    host::FakeHost fake;
    fake.environment.variables = row.environment;
    const MetricsOptions options = MetricsOptionsOf(fake.host, Flags(row.words));
    EXPECT_EQ(options.host, row.host);
    EXPECT_EQ(options.port, row.port);
    EXPECT_EQ(options.secure, row.secure);
  }
}

TEST(MetricsOptions, RefusesUnusedOptions) {
  host::FakeHost fake;
  EXPECT_THROW(MetricsOptionsOf(fake.host, Flags({"--metrics-cert-dir=/c"})), Error);
  EXPECT_THROW(MetricsOptionsOf(fake.host, Flags({"--metrics-bind-address=9191"})), Error);
  fake.environment.variables = {{"METRICS_PORT", ""}};
  EXPECT_THROW(MetricsOptionsOf(fake.host, Flags({})), Error);
}

std::optional<IdentityOptions> Identities(std::vector<std::string> words, bool tokens = true) {
  words.insert(words.begin(), "--identity-exec=/plugins/aws");
  return IdentityOptionsOf(Flags(words), {.tokens = tokens});
}

TEST(IdentityOptions, AreOffWithoutAProgram) {
  EXPECT_FALSE(IdentityOptionsOf(Flags({}), {.tokens = true}));
  EXPECT_THROW(IdentityOptionsOf(Flags({"--identity-cert-dir=/c"}), {.tokens = true}), Error);
}

TEST(IdentityOptions, HaveAProgramAndACertificate) {
  const auto options =
      Identities({"--identity-exec-args=--account,1", "--identity-cert-dir=/c"}).value();
  EXPECT_THAT(options.documents, testing::ElementsAre("/plugins/aws", "--account", "1"));
  EXPECT_EQ(options.cert_dir, "/c");
  EXPECT_EQ(options.host, "");
  EXPECT_EQ(options.port, 9193);
  const auto bound =
      Identities({"--identity-cert-dir=/c", "--identity-bind-address=[::1]:7"}).value();
  EXPECT_EQ(bound.host, "::1");
  EXPECT_EQ(bound.port, 7);
}

TEST(IdentityOptions, MayBeForTpmsOnly) {
  const auto options =
      IdentityOptionsOf(Flags({"--identity-tpm", "--identity-cert-dir=/c"}), {.tokens = true})
          .value();
  EXPECT_TRUE(options.tpm);
  EXPECT_TRUE(options.documents.empty());
  EXPECT_THROW(IdentityOptionsOf(
                   Flags({"--identity-tpm", "--identity-cert-dir=/c", "--identity-exec-args=a"}),
                   {.tokens = true}),
               Error);
}

TEST(IdentityOptions, RefuseUnusableFlags) {
  for (const std::vector<std::string>& words : std::initializer_list<std::vector<std::string>>{
           {},
           {"--identity-cert-dir=c"},
           {"--identity-cert-dir=/c", "--shadow"},
           {"--identity-cert-dir=/c", "--identity-bind-address=9193"},
           {"--identity-cert-dir=/c", "--identity-bind-address=name:9193"},
           {"--identity-cert-dir=/c", "--identity-exec=aws"}}) {
    EXPECT_THROW(Identities(words), Error) << testing::PrintToString(words);
  }
  EXPECT_THROW(Identities({"--identity-cert-dir=/c"}, false), Error);
}

TEST(ControllerSettings, HasDefaultsOfItsOwn) {
  host::FakeHost fake;
  const controller::Settings settings = ControllerSettings(fake.host, Flags({}));
  EXPECT_EQ(settings.workers, 8U);
  EXPECT_TRUE(settings.keep_status);
  EXPECT_EQ(settings.leader.lease_duration, std::chrono::seconds(137));
  EXPECT_EQ(settings.leader.name_space, "openshift-cluster-machine-approver");
  EXPECT_EQ(settings.inventories.machines.front().group, "machine.openshift.io");
}

TEST(ControllerSettings, TheShadowModeTakesNoLease) {
  host::FakeHost fake;
  const controller::Settings settings = ControllerSettings(fake.host, Flags({"--shadow"}));
  EXPECT_TRUE(settings.shadow);
  EXPECT_FALSE(settings.leader.elect);
  EXPECT_FALSE(settings.keep_status);
  EXPECT_FALSE(
      ControllerSettings(fake.host, Flags({"--shadow", "--leader-elect=false"})).leader.elect);
  EXPECT_THROW(ControllerSettings(fake.host, Flags({"--shadow", "--leader-elect"})), Error);
}

TEST(WorldSettings, AllowBootstrapTokensOnlyWhereEntriesMayAttest) {
  struct Row {
    std::vector<std::string> words;
    bool tokens;
  };
  for (const Row& row : std::initializer_list<Row>{
           {{}, false},
           {{"--inventory=nodes"}, false},
           {{"--inventory=nodes", "--nodes-client-allow=a"}, true},
           {{"--inventory=file", "--inventory-file=/f"}, true},
           {{"--inventory=configmap", "--inventory-configmap=a/b"}, true},
           {{"--inventory=http", "--inventory-http-url=https://a", "--inventory-http-ca=/ca"},
            true},
           {{"--inventory=exec", "--inventory-exec=/p"}, true},
           {{"--inventory=dns", "--inventory-dns-domain=a", "--inventory-dns-servers=::1"},
            true}}) {
    host::FakeHost fake;
    EXPECT_EQ(WorldSettings(fake.host, Flags(row.words)).policy.bootstrap_tokens, row.tokens)
        << row.words.back();
  }
}

TEST(InventoriesOf, RefusesUnusedOptions) {
  host::FakeHost fake;
  for (const std::vector<std::string>& words : std::initializer_list<std::vector<std::string>>{
           {"--inventory=cloud"},
           {"--inventory=file"},
           {"--inventory-file=/f"},
           {"--inventory=configmap"},
           {"--inventory=configmap", "--inventory-configmap=name"},
           {"--nodes-client-allow=a"},
           {"--inventory="},
           {"--inventory=nodes", "--nodes-client-allow=worker-*"},
           {"--inventory=nodes", "--nodes-client-allow=a,Foo_1"},
           {"--inventory=nodes", "--machine-namespace=a"},
           {"--inventory=nodes", "--machine-cluster=a"},
           {"--machine-cluster=a"},
           {"--nodes-allowed-cidrs=10.0.0.0/8"},
           {"--nodes-subdomains"},
           {"--inventory=http"},
           {"--inventory=http", "--inventory-http-url=https://a"},
           {"--inventory=http", "--inventory-http-url=http://a", "--inventory-http-ca=/ca"},
           {"--inventory=http", "--inventory-http-url=https://", "--inventory-http-ca=/ca"},
           {"--inventory=http", "--inventory-http-url=https://u:p@a", "--inventory-http-ca=/ca"},
           {"--inventory=http", "--inventory-http-url=file:///a", "--inventory-http-ca=/ca"},
           {"--inventory=http", "--inventory-http-url=https://a", "--inventory-http-ca=ca"},
           {"--inventory-http-url=https://a"},
           {"--inventory-http-ca=/ca"},
           {"--inventory-http-credentials=/c"},
           {"--inventory=exec"},
           {"--inventory=exec", "--inventory-exec=program"},
           {"--inventory-exec=/p"},
           {"--inventory-exec-args=a"},
           {"--inventory-refresh=1m"},
           {"--inventory-timeout=1s"},
           {"--inventory=exec", "--inventory-exec=/p", "--inventory-refresh=999ms"},
           {"--inventory=exec", "--inventory-exec=/p", "--inventory-timeout=0s"},
           {"--inventory=dns", "--inventory-dns-domain=a.test"},
           {"--inventory=dns", "--inventory-dns-servers=10.0.0.1"},
           {"--inventory=dns", "--inventory-dns-domain=.", "--inventory-dns-servers=10.0.0.1"},
           {"--inventory=dns", "--inventory-dns-domain=A", "--inventory-dns-servers=10.0.0.1"},
           {"--inventory=dns", "--inventory-dns-domain=a", "--inventory-dns-servers=ns.a"},
           {"--inventory=dns", "--inventory-dns-domain=a", "--inventory-dns-servers=10.0.0.1:0"},
           {"--inventory=dns", "--inventory-dns-domain=a", "--inventory-dns-servers=fe80::1%lo"},
           {"--inventory=dns,nodes", "--inventory-dns-domain=a", "--inventory-dns-servers=::1"},
           {"--inventory-dns-domain=a"},
           {"--inventory-dns-servers=10.0.0.1"},
           {"--inventory=exec", "--inventory-exec=/p", "--inventory-timeout=61s"}}) {
    EXPECT_THROW(InventoriesOf(fake.host, Flags(words)), Error) << words.back();
  }
}

TEST(InventoriesOf, ReadsTheEndpointAndTheProgram) {
  host::FakeHost fake;
  const inventories::InventoryOptions options = InventoriesOf(
      fake.host,
      Flags({"--inventory=http,exec", "--inventory-http-url=https://hosts.example.com/list",
             "--inventory-http-ca=/ca", "--inventory-http-credentials=/secret",
             "--inventory-exec=/bin/hosts", "--inventory-exec-args=--zone,a",
             "--inventory-refresh=1m", "--inventory-timeout=2s"}));
  EXPECT_EQ(options.http->url, "https://hosts.example.com/list");
  EXPECT_EQ(options.http->ca_file, "/ca");
  EXPECT_EQ(options.http->credentials, "/secret");
  EXPECT_THAT(options.exec, testing::ElementsAre("/bin/hosts", "--zone", "a"));
  EXPECT_EQ(options.refresh, std::chrono::minutes(1));
  EXPECT_EQ(options.query_timeout, std::chrono::seconds(2));
}

TEST(InventoriesOf, ReadsTheDomainAndItsNameServers) {
  host::FakeHost fake;
  const auto dns =
      InventoriesOf(fake.host, Flags({"--inventory=dns", "--inventory-dns-domain=int.example.com",
                                      "--inventory-dns-servers=10.0.0.1,10.0.0.2:5353,fd00::1",
                                      "--inventory-dns-servers=[fd00::2]:5353"}))
          .dns;
  ASSERT_TRUE(dns);
  EXPECT_EQ(dns->domain, "int.example.com");
  EXPECT_THAT(dns->servers, testing::ElementsAre(net::HostPort{.host = "10.0.0.1", .port = "53"},
                                                 net::HostPort{.host = "10.0.0.2", .port = "5353"},
                                                 net::HostPort{.host = "fd00::1", .port = "53"},
                                                 net::HostPort{.host = "fd00::2", .port = "5353"}));
}

TEST(WorldSettings, NetworksOfNodesMustBeNetworks) {
  host::FakeHost fake;
  EXPECT_THAT(WorldSettings(fake.host, Flags({"--inventory=nodes",
                                              "--nodes-allowed-cidrs=10.0.0.0/8,fd00::/8"}))
                  .policy.node_cidrs,
              SizeIs(2));
  for (const char* bad : {"10.0.0.0", "10.0.0.0/33", "all", "10.0.0.0/8,", "0.0.0.0/0", "::/0"}) {
    EXPECT_THROW(WorldSettings(fake.host, Flags({"--inventory=nodes",
                                                 std::string("--nodes-allowed-cidrs=") + bad})),
                 Error)
        << bad;
  }
}

TEST(InventoriesOf, TakesAClusterOfClusterApi) {
  host::FakeHost fake;
  EXPECT_EQ(InventoriesOf(fake.host,
                          Flags({"--api-group-version=cluster.x-k8s.io", "--machine-cluster=a"}))
                .machine_cluster,
            "a");
}

TEST(ControllerSettings, ALeaseHasANameAndANamespace) {
  host::FakeHost fake;
  for (const char* bad :
       {"--leader-elect-resource-name=", "--leader-elect-resource-name=a/b",
        "--leader-elect-resource-namespace=", "--leader-elect-resource-namespace=a/b"}) {
    EXPECT_THROW(ControllerSettings(fake.host, Flags({bad})), Error) << bad;
  }
  EXPECT_NO_THROW(ControllerSettings(
      fake.host, Flags({"--leader-elect=false", "--leader-elect-resource-name="})));
}

TEST(WorldSettings, BoundsTheDurationOfADial) {
  host::FakeHost fake;
  for (const char* endless : {"0s", "-5s", "1ns"}) {
    EXPECT_THROW(WorldSettings(fake.host, Flags({std::string("--dial-timeout=") + endless})), Error)
        << endless;
  }
}

TEST(RenewalCa, IsOffOutsideOfOpenShift) {
  struct Row {
    std::vector<std::string> words;
    std::string place;  // "!": the flags are refused
  };
  const std::string openshift = "openshift-config-managed/csr-controller-ca";
  for (const Row& row : std::initializer_list<Row>{
           {{}, openshift},
           {{"--inventory=machines,nodes"}, openshift},
           {{"--api-group-version=cluster.x-k8s.io,machine.openshift.io/v1beta1"}, openshift},
           {{"--api-group-version=cluster.x-k8s.io"}, "/"},
           {{"--inventory=nodes"}, "/"},
           {{"--inventory=nodes", "--renewal-ca-configmap=a/b"}, "a/b"},
           {{"--renewal-ca-configmap=none"}, "/"},
           {{"--renewal-ca-configmap=b"}, "!"},
           {{"--renewal-ca-configmap=a/b/c"}, "!"},
           {{"--renewal-ca-configmap=/b"}, "!"}}) {
    host::FakeHost fake;
    std::string place = "!";
    try {
      const auto ca = WorldSettings(fake.host, Flags(row.words)).renewal_ca;
      place = ca ? ca->name_space + "/" + ca->name : "/";
    } catch (const Error&) {
    }
    EXPECT_EQ(place, row.place) << testing::PrintToString(row.words);
  }
}

TEST(ConfigOf, AMissingFileDoesNotMeanDefaults) {
  const std::string mounted =
      "36 35 0:1 / / rw - overlay overlay rw\n"
      "37 36 0:2 /x /run/configmaps/config ro,relatime - tmpfs tmpfs rw\n";
  struct Row {
    std::string path, mounts, other_file;
    bool taken;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"/nowhere/config.yaml", mounted, "", false},
           {"/etc/config.yaml", mounted, "/etc/other", false},
           {"/var/run/configmaps/config/config.yaml", mounted, "", true},
           {"/run/configmaps/config/config.yaml", mounted, "", true},
           {"/run/configmaps/config/config.yaml", mounted, "/run/configmaps/config/..data", true},
           {"/run/configmaps/config/config.yml", mounted, "/run/configmaps/config/config.yaml",
            false},
           {"/run/configmaps/config/config.yaml", "", "", false},
           {"config.yaml", mounted, "", false}}) {
    host::FakeHost fake;
    fake.files.MakeDirectories("/run/configmaps/config", 0755);
    fake.files.MakeDirectories("/var/run/configmaps/config", 0755);
    fake.files.MakeDirectories("/proc/self", 0755);
    fake.files.Write("/proc/self/mountinfo", row.mounts, {});
    if (!row.other_file.empty()) {
      fake.files.MakeDirectories(std::filesystem::path(row.other_file).parent_path(), 0755);
      fake.files.Write(row.other_file, "", {});
    }
    const cli::Parsed flags = Flags({"--config=" + row.path});
    if (row.taken) {
      EXPECT_FALSE(ConfigOf(fake.host, flags).client_disabled) << row.path;
    } else {
      EXPECT_THROW(ConfigOf(fake.host, flags), Error) << row.path << row.other_file;
    }
  }
}

TEST(LogFlags, KlogsFilesAreAcceptedWithANotice) {
  std::vector<std::string> notices;
  cli::Parsed parsed(LogFlags());
  cli::ParseWords(std::vector<std::string>{"--logtostderr", "--log_file=/x", "--one_output"},
                  parsed, [&](const std::string& notice) { notices.push_back(notice); });
  ASSERT_THAT(notices, SizeIs(2));
  EXPECT_THAT(notices[0], HasSubstr("log_file"));
}

}  // namespace
}  // namespace machine_approver
