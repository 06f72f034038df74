// SPDX-License-Identifier: Apache-2.0
#include "static_pods/static_pod.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "config/load.h"
#include "host/fake_host.h"
#include "static_pods/create.h"
#include "static_pods/pod_parts.h"

namespace static_pods {
namespace {

using components::Component;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Returns the configuration of these documents.
config::Init Configured(const std::string& cluster = "", const std::string& init = "",
                        const std::string& address = "10.20.30.40") {
  const std::string text =
      config::InitText("localAPIEndpoint:\n  advertiseAddress: \"" + address +
                       "\"\n"
                       "nodeRegistration:\n  name: cp-one\n"
                       "  criSocket: unix:///run/containerd/containerd.sock\n" +
                       init) +
      "---\n" + config::ClusterText(cluster);
  return config::LoadInit({.text = text}, config::FakeFacts());
}

std::string ReadTestdata(const std::string& name) {
  std::ifstream file(std::string(TESTDATA_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

constexpr std::array kAll = {Component::kEtcd, Component::kApiServer, Component::kControllerManager,
                             Component::kScheduler};

// ExpectGolden compares with a file of testdata/; UPDATE_GOLDEN=1 writes it.
void ExpectGolden(const std::string& name, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(std::string(TESTDATA_DIR) + "/" + name) << text;
  }
  EXPECT_EQ(ReadTestdata(name), text) << name;
}

json::Value Container(const json::Value& pod) { return pod.at("spec").at("containers").at(0); }

std::vector<std::string> Command(const json::Value& pod) { return Container(pod).at("command"); }

TEST(StaticPod, MatchesTheExpectedManifest) {
  const HostFacts no_facts;
  const HostFacts all_facts{
      .ca_directories = {kExtraCaDirectories.begin(), kExtraCaDirectories.end()},
      .proxy_environment = {{"HTTP_PROXY", "http://proxy"}, {"no_proxy", "10.0.0.0/8"}},
      .external_ca = true};
  struct Case {
    std::string name;
    config::Init config;
    HostFacts facts;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"default", Configured(), no_facts},
           {"host", Configured(), all_facts},
           {"ipv6",
            Configured("networking:\n  podSubnet: fd01::/48\n  serviceSubnet: fd02::/112\n", "",
                       "fd00::1"),
            no_facts},
           {"custom",
            Configured("networking:\n  podSubnet: 10.244.0.0/16\n  dnsDomain: corp.internal\n"
                       "certificatesDir: /srv/pki\nimageRepository: reg.example.org\n"
                       "clusterName: prod\n"
                       "etcd:\n  local:\n    dataDir: /data/etcd\n    extraArgs:\n"
                       "    - {name: listen-metrics-urls, value: \"https://0.0.0.0:9999\"}\n"
                       "    - {name: advertise-client-urls, value: \"https://e:2379\"}\n"
                       "apiServer:\n  extraArgs:\n  - {name: v, value: \"2\"}\n"
                       "  extraVolumes:\n  - {name: a, hostPath: /a, mountPath: /b}\n"
                       "  extraEnvs:\n  - {name: E, value: \"1\"}\n"
                       "controllerManager:\n  extraArgs:\n"
                       "  - {name: bind-address, value: 0.0.0.0}\n"
                       "scheduler:\n  extraArgs:\n  - {name: bind-address, value: \"::1\"}\n",
                       "timeouts:\n  controlPlaneComponentHealthCheck: 61s\n"),
            no_facts}}) {
    for (const Component component : {Component::kEtcd, Component::kApiServer,
                                      Component::kControllerManager, Component::kScheduler}) {
      ExpectGolden(c.name + "-" + std::string(Name(component)) + ".yaml",
                   Text(StaticPod(component, c.config, c.facts)));
    }
  }
}

config::Init OfVersion(const std::string& version, const std::string& etcd_tag = "") {
  config::Init config = Configured();
  config.cluster.kubernetes_version = version;
  config.cluster.etcd.local->image_tag = etcd_tag;
  return config;
}

TEST(StaticPod, FlexVolumesEndWithVersion135) {
  const auto text = [](const std::string& version) {
    return Text(StaticPod(Component::kControllerManager, OfVersion(version), {}));
  };
  EXPECT_THAT(text("v1.34.4"),
              HasSubstr("path: /usr/libexec/kubernetes/kubelet-plugins/volume/exec"
                        "\n      type: DirectoryOrCreate\n    name: flexvolume-dir"));
  EXPECT_THAT(text("v1.35.4"), HasSubstr("flexvolume-dir"));
  EXPECT_THAT(text("v1.36.3"), Not(HasSubstr("flexvolume-dir")));
}

TEST(StaticPod, OldReleasesUseTheOldFlagNamesOfEtcd) {
  const auto flags = [](const std::string& version, const std::string& tag) {
    return Command(StaticPod(Component::kEtcd, OfVersion(version, tag), {}));
  };
  const std::string old = "--experimental-watch-progress-notify-interval=5s";
  const std::string now = "--watch-progress-notify-interval=5s";
  for (const std::string tag :
       {"3.5.24-0", "mine", "4", "3.6", "3.6.0-0", "3.6.0-rc.1", "3.6.0-0+b", "3.6.1-01", "3.06.1",
        "03.7.0", "3.6.1.2", "3.6.x", "3.6.0_x", "3.6.0-"}) {
    EXPECT_THAT(flags("v1.34.4", tag), AllOf(Contains(old), Not(Contains(now)))) << tag;
    EXPECT_THAT(flags("v1.35.4", tag), Contains(old)) << tag;
  }
  for (const std::string tag : {"", "3.6.0", "v3.6.0", "3.6.1-0", "v3.6.1-x", "3.6.1 ", "4.0.0"}) {
    EXPECT_THAT(flags("v1.35.4", tag), AllOf(Contains(now), Not(Contains(old)))) << tag;
  }
  EXPECT_THAT(flags("v1.36.3", "3.5.24-0"), Contains(now));
}

TEST(StaticPod, ProbesUseTheAddressOfAMergedArgument) {
  config::Init config = Configured();
  config.cluster.scheduler.extra_args = {{"bind-address", "1", "append"}};
  EXPECT_EQ(json::TextAt(Container(StaticPod(Component::kScheduler, config, {})),
                         {"livenessProbe", "httpGet", "host"}),
            "127.0.0.11");
}

TEST(StaticPod, JoiningEtcdNamesAllMembers) {
  const std::string members = "one=https://10.0.0.1:2380,cp-one=https://10.20.30.40:2380";
  const json::Value pod = JoiningEtcdPod(Configured(), members);
  EXPECT_EQ(CommandArg(pod, "initial-cluster"), members);
  EXPECT_EQ(CommandArg(pod, "initial-cluster-state"), "existing");
  EXPECT_EQ(CommandArg(StaticPod(Component::kEtcd, Configured(), {}), "initial-cluster-state"),
            std::nullopt);
}

TEST(CommandLine, PutsExtraArgumentsLast) {
  EXPECT_THAT(
      CommandLine("p", {{"b", "1"}, {"a", "2"}, {"c", "3"}}, {{"z", ""}, {"b", "x"}, {"b", "y"}}),
      ElementsAre("p", "--a=2", "--c=3", "--z=", "--b=x", "--b=y"));
}

TEST(CommandLine, LooksUpTheLastValue) {
  const json::Value pod = {
      {"spec", {{"containers", {{{"command", {"p", "--a=1", "--ab=3", "--a=2"}}}}}}}};
  EXPECT_EQ(CommandArg(pod, "a"), "2");
  EXPECT_EQ(CommandArg(pod, "b"), std::nullopt);
  EXPECT_EQ(CommandArg(json::Value::object(), "a"), std::nullopt);
}

TEST(ApiServer, ChoosesAuthorizers) {
  struct Case {
    std::string name, extra;
    std::vector<std::string> want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"default", "", {"--authorization-mode=Node,RBAC"}},
           {"own", "  - {name: authorization-mode, value: RBAC}\n", {"--authorization-mode=RBAC"}},
           {"a file instead",
            "  - {name: authorization-config, value: /x}\n",
            {"--authorization-config=/x"}}}) {
    const json::Value pod =
        ApiServerPod(Configured(c.extra.empty() ? "" : "apiServer:\n  extraArgs:\n" + c.extra), {});
    std::vector<std::string> got;
    for (const std::string& word : Command(pod)) {
      if (word.starts_with("--authorization")) {
        got.push_back(word);
      }
    }
    EXPECT_EQ(got, c.want) << c.name;
  }
}

TEST(ApiServer, UsesExternalEtcd) {
  const std::string etcd =
      "etcd:\n  external:\n    endpoints: [\"https://a:1\", \"https://b:2\"]\n";
  const json::Value pod = ApiServerPod(
      Configured(etcd + "    caFile: /x/ca.crt\n    certFile: /y/c.crt\n    keyFile: /y/c.key\n"),
      {});
  EXPECT_THAT(Command(pod), Contains("--etcd-servers=https://a:1,https://b:2"));
  EXPECT_THAT(Command(pod), Contains("--etcd-cafile=/x/ca.crt"));
  EXPECT_THAT(Command(pod), Contains("--etcd-certfile=/y/c.crt"));
  EXPECT_THAT(Command(pod), Not(Contains(HasSubstr("apiserver-etcd-client"))));
  std::vector<std::string> mounts;
  const json::Value container = Container(pod);
  for (const json::Value& mount : container.at("volumeMounts")) {
    mounts.push_back(mount.at("name").get<std::string>() + " " +
                     mount.at("mountPath").get<std::string>());
  }
  EXPECT_THAT(mounts, ElementsAre("ca-certs /etc/ssl/certs", "etcd-certs-0 /x", "etcd-certs-1 /y",
                                  "k8s-certs /etc/kubernetes/pki"));
}

TEST(ApiServer, MountsEtcdDirectoriesOnce) {
  struct Case {
    std::string name, ca, certificate, key;
    std::vector<std::string> want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"below the others",
            "/etc/kubernetes/pki/etcd/ca",
            "/etc/ssl/certs/x/c",
            "/usr/share/ca-certificates/k",
            {}},
           {"a directory covers its children", "/a/b/c", "/a/b/d/c", "/a/k", {"/a"}},
           {"a common prefix is not a parent", "/a/b/c", "/a/bb/c", "/a/b/k", {"/a/b", "/a/bb"}},
           {"near the certificates directory",
            "/etc/kubernetes/pki2/c",
            "",
            "",
            {"/etc/kubernetes/pki2"}}}) {
    config::ClusterConfiguration cluster{.certificates_dir = "/etc/kubernetes/pki"};
    cluster.etcd.external =
        config::ExternalEtcd{.ca_file = c.ca, .cert_file = c.certificate, .key_file = c.key};
    EXPECT_EQ(ExternalEtcdDirectories(cluster), c.want) << c.name;
  }
}

TEST(EtcdProbe, FollowsTheMetricsUrl) {
  struct Case {
    std::string url, host, scheme;
    int port;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"https://0.0.0.0:9999,http://1.2.3.4:1", "0.0.0.0", "HTTPS", 9999},
           {"http://:1234", "127.0.0.1", "HTTP", 1234},
           {"http://[::]:99", "::", "HTTP", 99},
           {"HTTPS://1.2.3.4:5/path", "1.2.3.4", "HTTPS", 5},
           {"http://u@1.2.3.4:5", "1.2.3.4", "HTTP", 5},
           {"https://10.0.0.1", "10.0.0.1", "HTTPS", 2381},
           {"http://1.2.3.4:70000", "1.2.3.4", "HTTP", 2381},
           {"http://host:bad", "127.0.0.1", "HTTP", 2381},
           {"http://[::1", "127.0.0.1", "HTTP", 2381},
           {"http://a b:1", "127.0.0.1", "HTTP", 2381},
           {"10.0.0.1:99", "127.0.0.1", "HTTP", 2381},
           {"://", "127.0.0.1", "HTTP", 2381},
           {"", "127.0.0.1", "HTTP", 2381}}) {
    const config::LocalEtcd etcd{.extra_args = {{"listen-metrics-urls", c.url}}};
    const ProbeTarget target = EtcdProbeTarget(etcd, {.advertise_address = "10.0.0.9"});
    EXPECT_EQ(target.host, c.host) << c.url;
    EXPECT_EQ(target.scheme, c.scheme) << c.url;
    EXPECT_EQ(target.port, c.port) << c.url;
  }
}

TEST(StartupProbe, HasAFailureThresholdForTheTimeout) {
  using namespace std::chrono_literals;
  for (const auto& [limit, want] : std::initializer_list<std::pair<base::Duration, int>>{
           {240s, 24}, {61s, 7}, {5s, 1}, {100ms, 1}, {0s, 0}, {10min, 60}}) {
    EXPECT_EQ(
        StartupFailureThreshold(config::Timeouts{.control_plane_component_health_check = limit}),
        want);
  }
  EXPECT_EQ(StartupFailureThreshold(std::nullopt), 24);
  EXPECT_FALSE(ProbeObject({.path = "/x", .failure_threshold = 0}).contains("failureThreshold"));
}

TEST(Environment, MergesProxyVariablesWithThoseOfTheUser) {
  const auto variables = Environment(
      {{"HTTP_PROXY", "http://p"}, {"no_proxy", "a"}},
      {{{"name", "no_proxy"}, {"value", "c"}},
       {{"name", "A"}, {"value", ""}},
       {{"name", "Z"}, {"valueFrom", {{"fieldRef", {{"fieldPath", "x"}}}}}},
       {{"name", "Y"}, {"valueFrom", {{"resourceFieldRef", {{"resource", "limits.cpu"}}}}}}});
  EXPECT_EQ(
      json::Value(variables).dump(),
      R"([{"name":"A"},{"name":"HTTP_PROXY","value":"http://p"},)"
      R"({"name":"Y","valueFrom":{"resourceFieldRef":{"divisor":"0","resource":"limits.cpu"}}},)"
      R"({"name":"Z","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"x"}}},)"
      R"({"name":"no_proxy","value":"c"}])");
}

TEST(Environment, TakesProxyVariablesOfAnyCaseThatHaveAValue) {
  EXPECT_EQ(
      ProxyEnvironment({{"HTTP_PROXY", "a"}, {"Foo_Proxy", "b"}, {"no_proxy", ""}, {"P", "x"}}),
      (std::map<std::string, std::string>{{"HTTP_PROXY", "a"}, {"Foo_Proxy", "b"}}));
}

TEST(Volumes, AreReplacedByNameAndSorted) {
  const auto volumes = SortedVolumes(
      {{.name = "k8s-certs", .host_path = "/p", .mount_path = "/p", .type = "DirectoryOrCreate"}},
      {{.name = "a", .host_path = "/1", .mount_path = "/m1", .read_only = true},
       {.name = "k8s-certs", .host_path = "/q", .mount_path = "/mq"},
       {.name = "a", .host_path = "/2", .mount_path = "/m2", .path_type = "Socket"}});
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0].host_path, "/2");
  EXPECT_EQ(volumes[0].type, "Socket");
  EXPECT_FALSE(volumes[0].read_only);
  EXPECT_EQ(volumes[1].host_path, "/q");
  EXPECT_EQ(volumes[1].type, "");
}

TEST(Facts, AreGatheredFromTheHost) {
  host::FakeHost fake;
  fake.environment.variables = {{"https_proxy", "x"}, {"HOME", "/root"}};
  fake.files.MakeDirectories("/etc/ca-certificates", 0755);
  fake.files.Write("/srv/pki/ca.crt", "x", {});
  const config::ClusterConfiguration cluster{.certificates_dir = "/srv/pki"};
  const HostFacts facts = CollectFacts(fake.host, cluster);
  EXPECT_THAT(facts.ca_directories, ElementsAre("/etc/ca-certificates"));
  EXPECT_THAT(facts.proxy_environment, ElementsAre(std::pair("https_proxy", "x")));
  EXPECT_TRUE(facts.external_ca);
  fake.files.Write("/srv/pki/ca.key", "x", {});
  EXPECT_FALSE(CollectFacts(fake.host, cluster).external_ca);
  EXPECT_FALSE(CollectFacts(fake.host, cluster).rotates_ca);
  fake.files.Write("/srv/pki/rotate-ca/kubernetes/signing.crt", "x", {});
  EXPECT_TRUE(CollectFacts(fake.host, cluster).rotates_ca);
}

TEST(StaticPod, UsesTheSigningCertificateDuringACaRotation) {
  const json::Value pod =
      StaticPod(Component::kControllerManager, Configured(), {.rotates_ca = true});
  EXPECT_THAT(Command(pod),
              Contains("--cluster-signing-cert-file=/etc/kubernetes/pki/rotate-ca/kubernetes/"
                       "signing.crt"));
}

TEST(Manifest, IsWrittenForRootOnlyAndReadBack) {
  host::FakeHost fake;
  EXPECT_EQ(ReadManifest(fake.files, Component::kScheduler), std::nullopt);
  WriteManifest(fake.files, Component::kScheduler,
                StaticPod(Component::kScheduler, Configured(), {}));
  const auto file = fake.files.Stat("/etc/kubernetes/manifests/kube-scheduler.yaml");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->mode, 0600U);
  EXPECT_EQ(fake.files.Stat("/etc/kubernetes/manifests")->mode, 0700U);
  const auto pod = ReadManifest(fake.files, Component::kScheduler);
  ASSERT_TRUE(pod);
  EXPECT_EQ(*pod, StaticPod(Component::kScheduler, Configured(), {}));
}

TEST(Manifest, MustBeAPod) {
  host::FakeHost fake;
  fake.files.Write(ManifestPath(Component::kEtcd), "[1]\n", {});
  EXPECT_THAT(base::MessageOf([&] { ReadManifest(fake.files, Component::kEtcd); }),
              HasSubstr("etcd.yaml: this is a YAML list"));
}

TEST(FirstImage, ReturnsTheImageOfTheFirstContainer) {
  EXPECT_EQ(FirstImage(json::Value::parse(
                R"({"spec": {"containers": [{"image": "a:1"}, {"image": "b:2"}]}})")),
            "a:1");
  EXPECT_EQ(FirstImage(json::Value::parse(R"({"spec": {"containers": []}})")), std::nullopt);
  EXPECT_EQ(FirstImage(json::Value::object()), std::nullopt);
}

TEST(WholeCommand, ReturnsTheCommandOfTheNamedContainer) {
  const json::Value pod = json::Value::parse(
      R"({"spec": {"containers": [{"name": "side", "command": ["s"]},
                                  {"name": "etcd", "command": ["etcd", "-a"], "args": ["-b"]},
                                  {"name": "plain", "args": ["-c"]}]}})");
  EXPECT_THAT(WholeCommand(pod, "etcd"), testing::ElementsAre("etcd", "-a", "-b"));
  EXPECT_THAT(WholeCommand(pod, "plain"), testing::IsEmpty()) << "the image's own is not known";
  EXPECT_THAT(WholeCommand(pod, "other"), testing::IsEmpty());
  EXPECT_THAT(WholeCommand(json::Value(), "etcd"), testing::IsEmpty());
}

TEST(Normalized, KeepsAGeneratedManifestUnchanged) {
  const config::Init config = Configured(
      "scheduler:\n  extraVolumes: [{name: v, hostPath: /h, mountPath: /m}]\n"
      "  extraEnvs: [{name: E, value: e}, {name: F, valueFrom: {fieldRef: {fieldPath: p}}}]\n");
  for (const Component component : kAll) {
    const json::Value pod =
        StaticPod(component, config, {.proxy_environment = {{"no_proxy", "x"}}});
    EXPECT_EQ(Text(Normalized(pod)), Text(pod)) << Name(component);
  }
}

}  // namespace
}  // namespace static_pods
