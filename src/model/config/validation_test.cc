// SPDX-License-Identifier: Apache-2.0
#include "config/validation.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/fake_error.h"
#include "base/strings.h"
#include "config/fake_facts.h"
#include "config/marshal.h"

namespace config {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

// A document and the field paths of its expected problems, in order.
struct Case {
  std::string name;
  std::string text;
  std::vector<std::string> paths;
};

std::vector<std::string> PathsOf(const base::Problems& problems) {
  std::vector<std::string> paths;
  for (const base::Problem& problem : problems.list()) {
    paths.push_back(problem.path);
  }
  return paths;
}

// Returns the paths in an error's message: every "path: Invalid value" or "path: Required value".
std::vector<std::string> PathsIn(const std::string& error) {
  std::vector<std::string> paths;
  for (std::size_t at = error.find(" value: "); at != std::string::npos;
       at = error.find(" value: ", at + 1)) {
    const std::size_t end = error.rfind(": ", at);
    if (end == std::string::npos) {
      continue;
    }
    const std::size_t start = error.find_last_of(" [", end - 1);
    paths.push_back(error.substr(start + 1, end - start - 1));
  }
  return paths;
}

// Records the messages of each test, and compares them with testdata/ at the end of the test,
// because the wording is part of the contract. UPDATE_GOLDEN=1 writes the files.
class Validation : public testing::Test {
 protected:
  void ExpectPaths(const Case& c);
  void TearDown() override {
    const std::string file =
        fmt::format("{}/validation_{}.txt", TESTDATA_DIR,
                    testing::UnitTest::GetInstance()->current_test_info()->name());
    if (told_.empty()) {
      return;
    }
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(file) << told_;
    }
    std::ifstream in(file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), told_) << file;
  }

 private:
  std::string told_;
};

void Validation::ExpectPaths(const Case& c) {
  const std::string error = base::MessageOf([&] {
    ValidateFile({.text = c.text, .name = "kubeadm.yaml"}, FakeFacts(), DeprecatedVersions::kWarn);
  });
  EXPECT_THAT(PathsIn(error), ElementsAreArray(c.paths)) << c.name << "\n" << error;
  EXPECT_EQ(error.empty(), c.paths.empty()) << c.name << "\n" << error;
  if (!error.empty()) {
    told_ += fmt::format("{}: {}\n", c.name, error);
  }
}

std::string Both(const std::string& init, const std::string& cluster = "") {
  return InitText(init) + "---\n" + ClusterText(cluster);
}

std::string Networks(const std::string& lines) { return Both("", "networking:\n" + lines); }

TEST_F(Validation, ChecksTheServiceSubnet) {
  const std::string path = "networking.serviceSubnet";
  for (const Case& c : std::initializer_list<Case>{
           {"smallest", Networks("  serviceSubnet: 10.96.0.0/28\n"), {}},
           {"largest", Networks("  serviceSubnet: 10.96.0.0/12\n"), {}},
           {"largest IPv6", Networks("  serviceSubnet: fd00::/108\n"), {}},
           {"dual", Networks("  serviceSubnet: 10.96.0.0/16,fd00::/112\n"), {}},
           {"site-local is only a warning", Networks("  serviceSubnet: fec0::/112\n"), {}},
           {"garbage", Networks("  serviceSubnet: 10.96.0.0\n"), {path}},
           {"open end", Networks("  serviceSubnet: 10.96.0.0/12,\n"), {path}},
           {"too small", Networks("  serviceSubnet: 10.96.0.0/29\n"), {path}},
           {"too large", Networks("  serviceSubnet: 10.96.0.0/11\n"), {path}},
           {"IPv4 within IPv6 is not a second family",
            Networks("  serviceSubnet: 10.96.0.0/16,::ffff:10.97.0.0/112\n"),
            {path}},
           {"too large twice", Networks("  serviceSubnet: 10.0.0.0/11,fd00::/100\n"), {path, path}},
           {"one family", Networks("  serviceSubnet: 10.96.0.0/16,10.97.0.0/16\n"), {path}},
           {"three",
            Networks("  serviceSubnet: 10.96.0.0/16,fd00::/112,10.97.0.0/16\n"),
            {path}}}) {
    ExpectPaths(c);
  }
}

std::string Pods(const std::string& subnet, const std::string& arg = "",
                 const std::string& value = "") {
  return Both("", "networking:\n  podSubnet: '" + subnet + "'\n" +
                      (arg.empty() ? ""
                                   : "controllerManager:\n  extraArgs:\n  - name: " + arg +
                                         "\n    value: '" + value + "'\n"));
}

TEST_F(Validation, ChecksThePodSubnet) {
  const std::string path = "networking.podSubnet";
  for (const Case& c : std::initializer_list<Case>{
           {"IPv4", Pods("10.244.0.0/16"), {}},
           {"host bits", Pods("10.244.0.1/16"), {}},
           {"one node", Pods("10.244.0.0/24"), {}},
           {"as wide as allowed", Pods("10.0.0.0/8"), {}},
           {"dual", Pods("fd00::/56,10.244.0.0/16"), {}},
           {"garbage", Pods("pods"), {path}},
           {"blank", Pods(" 10.244.0.0/16"), {path}},
           {"too small", Pods("10.244.0.0/29"), {path}},
           {"below the node mask", Pods("10.244.0.0/26"), {path}},
           {"too wide", Pods("10.0.0.0/7"), {path}},
           {"too wide IPv6", Pods("fd00::/40"), {path}},
           {"one family", Pods("10.1.0.0/16,10.2.0.0/16"), {path}},
           {"nodes get none", Pods("10.244.0.0/26", "allocate-node-cidrs", "false"), {}},
           {"only that word", Pods("10.244.0.0/26", "allocate-node-cidrs", "0"), {path}},
           {"size is checked all the same",
            Pods("fd00::/125", "allocate-node-cidrs", "false"),
            {path}},
           {"smaller nodes", Pods("10.244.0.0/25", "node-cidr-mask-size-ipv4", "26"), {}},
           {"larger nodes", Pods("fd00::/56", "node-cidr-mask-size-ipv6", "50"), {path}},
           {"not the flag for one family",
            Pods("10.244.0.0/25", "node-cidr-mask-size", "26"),
            {path}},
           {"default for nothing", Pods("10.244.0.0/24", "node-cidr-mask-size-ipv4"), {}},
           {"with a sign", Pods("10.244.0.0/25", "node-cidr-mask-size-ipv4", "+26"), {}},
           {"no number", Pods("10.244.0.0/25", "node-cidr-mask-size-ipv4", "x"), {path}}}) {
    ExpectPaths(c);
  }
}

std::string Etcd(const std::string& lines) { return Both("", "etcd:\n" + lines); }

TEST_F(Validation, ChecksEtcd) {
  const std::string external = "etcd.external";
  for (const Case& c : std::initializer_list<Case>{
           {"neither", Etcd("  local:\n"), {}},
           {"both", Etcd("  local: {}\n  external: {endpoints: ['https://a']}\n"), {"etcd"}},
           {"relative data", Etcd("  local: {dataDir: data}\n"), {"etcd.local.dataDir"}},
           {"server name",
            Etcd("  local: {serverCertSANs: ['a b']}\n"),
            {"etcd.local.serverCertSANs"}},
           {"peer name", Etcd("  local: {peerCertSANs: [_x]}\n"), {"etcd.local.peerCertSANs"}},
           {"registry", Etcd("  local: {imageRepository: 'a/'}\n"), {"etcd.local.imageRepository"}},
           {"argument", Etcd("  local: {extraArgs: [{value: a}]}\n"), {"etcd.local.extraArgs"}},
           {"no endpoint", Etcd("  external: {}\n"), {"etcd.external.endpoints"}},
           {"plain http", Etcd("  external: {endpoints: ['http://a']}\n"), {}},
           {"http with a CA",
            Etcd("  external: {endpoints: ['http://a'], caFile: /a}\n"),
            {"etcd.external.endpoints"}},
           {"key alone", Etcd("  external: {endpoints: ['https://a'], keyFile: /k}\n"), {external}},
           {"no CA",
            Etcd("  external: {endpoints: ['https://a'], keyFile: /k, certFile: /c}\n"),
            {external}},
           {"no scheme",
            Etcd("  external: {endpoints: ['10.0.0.1:2379']}\n"),
            {"etcd.external.endpoints", "etcd.external.httpEndpoints"}},
           {"no URL",
            Etcd("  external: {endpoints: ['https://[::1', 'https://a:port']}\n"),
            {"etcd.external.endpoints", "etcd.external.endpoints", "etcd.external.httpEndpoints",
             "etcd.external.httpEndpoints"}},
           {"relative files",
            Etcd("  external: {endpoints: ['https://a'], caFile: a, certFile: b, keyFile: c}\n"),
            {"etcd.external.caFile", "etcd.external.certFile", "etcd.external.keyFile"}}}) {
    ExpectPaths(c);
  }
}

TEST_F(Validation, ChecksTheClusterConfiguration) {
  for (const Case& c : std::initializer_list<Case>{
           {"DNS domain", Networks("  dnsDomain: Up.Case\n"), {"networking.dnsDomain"}},
           {"certificates", Both("", "certificatesDir: pki\n"), {"certificatesDir"}},
           {"registry, another sign",
            Both("", "imageRepository: example.org/a~b\n"),
            {"imageRepository"}},
           {"registry", Both("", "imageRepository: Reg.example.org/Team\n"), {"imageRepository"}},
           {"registry at an IPv6 address", Both("", "imageRepository: '[fd00::1]/x'\n"), {}},
           {"registry and port", Both("", "imageRepository: '[fd00::1]:5000'\n"), {}},
           {"registry without its port",
            Both("", "imageRepository: '[fd00::1]:'\n"),
            {"imageRepository"}},
           {"registry in brackets", Both("", "imageRepository: '[host]/x'\n"), {"imageRepository"}},
           {"DNS registry", Both("", "dns: {imageRepository: a/B}\n"), {"dns.imageRepository"}},
           {"gate",
            Both("", "featureGates: {X: true, RootlessControlPlane: true}\n"),
            {"featureGates"}},
           {"algorithm", Both("", "encryptionAlgorithm: RSA-1024\n"), {"encryptionAlgorithm"}},
           {"SANs",
            Both("", "apiServer: {certSANs: [ok, 10.0.0.1, '*.a.b', '*', not/ok]}\n"),
            {"apiServer.certSANs", "apiServer.certSANs"}},
           {"a wildcard counts",
            Both("", "apiServer: {certSANs: ['*." + std::string(252, 'a') + "']}\n"),
            {"apiServer.certSANs"}},
           {"arguments",
            Both("",
                 "apiServer: {extraArgs: [{value: a}]}\n"
                 "controllerManager: {extraArgs: [{value: a}]}\n"
                 "scheduler: {extraArgs: [{}]}\n"),
            {"apiServer.extraArgs", "controllerManager.extraArgs", "scheduler.extraArgs"}},
           {"long life is only a warning",
            Both("", "certificateValidityPeriod: 99999h\ncaCertificateValidityPeriod: 99998h\n"),
            {}}}) {
    ExpectPaths(c);
  }
}

std::string Token(const std::string& lines) { return Both("bootstrapTokens:\n- " + lines); }

TEST_F(Validation, ChecksBootstrapTokens) {
  const std::string groups = "bootstrapTokens.0.groups";
  for (const Case& c : std::initializer_list<Case>{
           {"life for ever", Token("ttl: 0s\n"), {}},
           {"usage", Token("usages: [signing, cooking]\n"), {"bootstrapTokens.0.usages", groups}},
           {"signing alone", Token("usages: [signing]\n"), {groups}},
           {"group", Token("groups: [admins]\n"), {groups}},
           {"an end beside the default life",
            Token("expires: '2031-01-01T00:00:00Z'\n"),
            {"bootstrapTokens.0"}}}) {
    ExpectPaths(c);
  }
}

std::string Node(const std::string& lines) { return Both("nodeRegistration:\n" + lines); }

TEST_F(Validation, WarnsOfSiteLocalNetworks) {
  const auto warned = [](const std::string& network) {
    testing::internal::CaptureStderr();
    ValidateFile({.text = Networks("  serviceSubnet: " + network + "\n"), .name = "kubeadm.yaml"},
                 FakeFacts(), DeprecatedVersions::kWarn);
    return testing::internal::GetCapturedStderr().contains(
        network + " is site-local (fec0::/10), which RFC 3879 deprecates");
  };
  EXPECT_TRUE(warned("fec0::/112"));
  EXPECT_TRUE(warned("fee0::/112"));
  EXPECT_FALSE(warned("fd00::/112"));
  EXPECT_FALSE(warned("fe80::/112"));
}

TEST_F(Validation, ChecksTheNodeRegistration) {
  const std::string node = "nodeRegistration.";
  for (const Case& c : std::initializer_list<Case>{
           {"upper case is changed", Node("  name: ' Foo '\n"), {}},
           {"name", Node("  name: cp_one\n"), {node + "name"}},
           {"long name", Node("  name: " + std::string(254, 'n') + "\n"), {node + "name"}},
           {"socket without scheme", Node("  criSocket: /run/crio/crio.sock\n"), {}},
           {"socket", Node("  criSocket: unixx\n"), {node + "criSocket"}},
           {"socket with one slash", Node("  criSocket: unix:/run/crio/crio.sock\n"), {}},
           {"socket with a scheme in capitals", Node("  criSocket: UNIX:///run/crio.sock\n"), {}},
           {"socket of another scheme", Node("  criSocket: tcp://127.0.0.1:99\n"), {}},
           {"socket of a scheme of files",
            Node("  criSocket: file:///run/x.sock\n"),
            {node + "criSocket"}},
           {"socket with a slash at its end",
            Node("  criSocket: unix:///run/x.sock/\n"),
            {node + "criSocket"}},
           {"socket without a slash", Node("  criSocket: run/x.sock\n"), {node + "criSocket"}},
           {"socket behind a host", Node("  criSocket: unix://run/x.sock\n"), {node + "criSocket"}},
           {"socket with a blank in its path", Node("  criSocket: 'unix:///a b'\n"), {}},
           {"socket with a blank", Node("  criSocket: 'unix:// x'\n"), {node + "criSocket"}},
           {"pull policy", Node("  imagePullPolicy: Sometimes\n"), {node + "imagePullPolicy"}},
           {"arguments",
            Node("  kubeletExtraArgs: [{name: v}, {value: '2'}]\n"),
            {node + "kubeletExtraArgs"}}}) {
    ExpectPaths(c);
  }
}

TEST_F(Validation, ChecksAnInitConfiguration) {
  for (const Case& c : std::initializer_list<Case>{
           {"big port",
            Both("localAPIEndpoint: {bindPort: 70000}\n"),
            {"localAPIEndpoint.bindPort"}},
           {"negative port",
            Both("localAPIEndpoint: {bindPort: -1}\n"),
            {"localAPIEndpoint.bindPort"}},
           {"key", Both("certificateKey: zz\n"), {"certificateKey"}},
           {"short key", Both("certificateKey: abab\n"), {"certificateKey"}},
           {"good key", Both("certificateKey: '" + std::string(64, 'A') + "'\n"), {}},
           {"all at once",
            Both("certificateKey: q\n", "certificatesDir: x\nimageRepository: Z/Z\n"),
            {"certificatesDir", "imageRepository", "certificateKey"}}}) {
    ExpectPaths(c);
  }
}

std::string Discovery(const std::string& lines) { return JoinText("discovery:\n" + lines); }

TEST_F(Validation, ChecksAJoinConfiguration) {
  const std::string token = "discovery.bootstrapToken";
  const std::string good = "token: abcdef.0123456789abcdef, unsafeSkipCAVerification: true, ";
  for (const Case& c : std::initializer_list<Case>{
           {"good", JoinText(), {}},
           {"no discovery", Discovery("  tlsBootstrapToken: ''\n"), {"discovery"}},
           {"both",
            Discovery("  bootstrapToken: {" + good +
                      "apiServerEndpoint: 'a:1'}\n"
                      "  file: {kubeConfigPath: /etc/discovery.conf}\n"),
            {"discovery"}},
           {"nothing given",
            Discovery("  bootstrapToken: {}\n"),
            {token, token + ".caCertHashes", token + ".token", token + ".apiServerEndpoint",
             "discovery.tlsBootstrapToken"}},
           {"no port",
            Discovery("  bootstrapToken: {" + good + "apiServerEndpoint: '10.0.0.1'}\n"),
            {token + ".apiServerEndpoint"}},
           {"an empty port is one",
            Discovery("  bootstrapToken: {" + good + "apiServerEndpoint: 'a:'}\n"),
            {}},
           {"pins",
            Discovery(
                "  bootstrapToken: {token: abcdef.0123456789abcdef, apiServerEndpoint: 'a:1', "
                "caCertHashes: ['sha256:" +
                std::string(64, 'a') + "', 'SHA256:" + std::string(64, 'B') + "']}\n"),
            {}},
           {"pins without a colon, of another hash, too short, of other letters, empty",
            Discovery(
                "  bootstrapToken: {token: abcdef.0123456789abcdef, apiServerEndpoint: 'a:1', "
                "caCertHashes: [sha256" +
                std::string(64, 'a') + ", 'md5:00', 'sha256:0', 'sha256:" + std::string(64, 'g') +
                "', '']}\n"),
            {5, token + ".caCertHashes"}},
           {"bare IPv6",
            Discovery("  bootstrapToken: {" + good + "apiServerEndpoint: 'fd00::1'}\n"),
            {token + ".apiServerEndpoint"}},
           {"file", Discovery("  file: {kubeConfigPath: 'file:///etc/discovery.conf'}\n"), {}},
           {"no file",
            Discovery("  file: {kubeConfigPath: /none}\n"),
            {"discovery.file.kubeConfigPath"}},
           {"https", Discovery("  file: {kubeConfigPath: 'https://x/y'}\n"), {}},
           {"file in capitals",
            Discovery("  file: {kubeConfigPath: 'FILE:/etc/discovery%2econf'}\n"),
            {}},
           {"no URL",
            Discovery("  file: {kubeConfigPath: 'https://x:y'}\n"),
            {"discovery.file.kubeConfigPath"}},
           {"http",
            Discovery("  file: {kubeConfigPath: 'http://x/y'}\n  tlsBootstrapToken: x\n"),
            {"discovery.file.kubeConfigPath", "discovery.tlsBootstrapToken"}},
           {"CA path", JoinText("caCertPath: ca.crt\n"), {"caCertPath"}},
           {"CA suffix", JoinText("caCertPath: /a/b.pem\n"), {"caCertPath"}},
           {"control plane",
            JoinText("controlPlane: {localAPIEndpoint: {bindPort: 99999}, "
                     "certificateKey: '00'}\n"),
            {"controlPlane.localAPIEndpoint.bindPort", "controlPlane.certificateKey"}},
           {"node", JoinText("nodeRegistration: {name: W_}\n"), {"nodeRegistration.name"}}}) {
    ExpectPaths(c);
  }
}

TEST_F(Validation, ChecksResetAndUpgradeConfigurations) {
  for (const Case& c : std::initializer_list<Case>{
           {"good",
            ResetText("unmountFlags: [MNT_FORCE, MNT_DETACH, MNT_EXPIRE, "
                      "UMOUNT_NOFOLLOW]\n"),
            {}},
           {"flag", ResetText("unmountFlags: [MNT_FORCE, MNT_SOFTLY]\n"), {"unmountFlags"}},
           {"several",
            ResetText("criSocket: unixx\ncertificatesDir: a\nunmountFlags: ['']\n"),
            {"criSocket", "certificatesDir", "unmountFlags"}},
           {"empty upgrade", UpgradeText(), {}},
           {"patches",
            UpgradeText("apply: {patches: {}}\nnode: {patches: {directory: q}}\n"),
            {"apply.patches.directory", "node.patches.directory"}},
           {"policies",
            UpgradeText("apply: {imagePullPolicy: 'no'}\n"
                        "node: {imagePullPolicy: never}\n"),
            {"apply.imagePullPolicy", "node.imagePullPolicy"}}}) {
    ExpectPaths(c);
  }
}

TEST_F(Validation, RequiresEitherLocalOrExternalEtcd) {
  base::Problems problems;
  ValidateEtcd({}, problems);
  EXPECT_THAT(PathsOf(problems), testing::ElementsAre("etcd"));
}

TEST_F(Validation, AcceptsEveryAlgorithmName) {
  for (const char* name : {"RSA-2048", "RSA-3072", "RSA-4096", "ECDSA-P256", "ECDSA-P384"}) {
    ExpectPaths({name, Both("", std::string("encryptionAlgorithm: ") + name + "\n"), {}});
  }
  for (const char* name : {"rsa-2048", "RSA-2049", "RSA/2048", "ECDSA-P521", "ECDSA", "P256"}) {
    ExpectPaths({name,
                 Both("", std::string("encryptionAlgorithm: ") + name + "\n"),
                 {"encryptionAlgorithm"}});
  }
}

std::string WithAlgorithm(const std::string& version, const std::string& name) {
  return base::ReplaceAll(Both("", "encryptionAlgorithm: " + name + "\n"),
                          "kubernetesVersion: v1.36.3", "kubernetesVersion: " + version);
}

TEST_F(Validation, AcceptsMlDsaForReleasesThatSupportIt) {
  for (const char* name : {"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"}) {
    ExpectPaths({name, WithAlgorithm("v1.38.0", name), {}});
    ExpectPaths({name, WithAlgorithm("v1.37.2", name), {"encryptionAlgorithm"}});
    ExpectPaths({name, WithAlgorithm("v1.38.0-alpha.3", name), {"encryptionAlgorithm"}});
    ExpectPaths({name, WithAlgorithm("v1.38.1", name), {"encryptionAlgorithm"}});
  }
  ExpectPaths({"no such set", WithAlgorithm("v1.38.0", "ML-DSA-66"), {"encryptionAlgorithm"}});
}

TEST_F(Validation, NamesTheExpectedValueInDetails) {
  struct Detail {
    std::string text, want;
  };
  for (const Detail& d : std::initializer_list<Detail>{
           {Both("", "encryptionAlgorithm: x\n"), "RSA-2048"},
           {Both("certificateKey: abab\n"), "32"},
           {Node("  kubeletExtraArgs: [{name: v}, {value: '2'}]\n"), "index 1"},
           {Networks("  serviceSubnet: 10.96.0.0/29\n"), "10 addresses"},
           {Pods("10.244.0.0/26"), "24"},
           {Etcd("  external: {endpoints: ['http://a'], caFile: /a}\n"), "HTTPS"}}) {
    EXPECT_THAT(base::MessageOf([&] {
                  ValidateFile({.text = d.text}, FakeFacts(), DeprecatedVersions::kWarn);
                }),
                HasSubstr(d.want));
  }
}

TEST_F(Validation, ChecksTheControlPlaneEndpoint) {
  for (const std::string endpoint :
       {"a", "1.2.3.4", "fd00::1", "[fd00::1]:99", "a:6444", "a:", "1.2.3.400", "lb.example.org"}) {
    EXPECT_EQ(base::MessageOf([&] { CheckControlPlaneEndpoint(endpoint); }), "") << endpoint;
  }
  for (const std::string endpoint : {"A.b", "[fd00::1]", "a:0", "a:70000", "a:x", "a:+5", ":6443",
                                     "a_b", "a:b:c", "https://a", "localhost."}) {
    EXPECT_THAT(base::MessageOf([&] { CheckControlPlaneEndpoint(endpoint); }), HasSubstr(endpoint));
  }
}

TEST_F(Validation, ChecksImageRepositories) {
  for (const std::string repository :
       {"registry.k8s.io", "reg.example.org:5000/k8s", "a/b_c/d__e/f--g", "A", "[fd00::1]:5000/x",
        "localhost/a.b"}) {
    EXPECT_TRUE(IsImageRepository(repository)) << repository;
  }
  for (const std::string repository :
       {"a b", "http://x", "a/", "a/B", ":x", "a/b___c", "a/-b", "a/b..c", "a:port/b", ""}) {
    EXPECT_FALSE(IsImageRepository(repository)) << repository;
  }
}

}  // namespace
}  // namespace config
