// SPDX-License-Identifier: Apache-2.0
#include "config/marshal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/fake_error.h"
#include "config/component_configs.h"
#include "config/defaults.h"
#include "config/fake_facts.h"
#include "config/versions.h"

namespace config {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Golden(const std::string& name) {
  std::ifstream file(std::string(TESTDATA_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Print, PrintsTheSameTextAsKubernetes) {
  const std::vector<std::string> components{std::string(kKubeProxyKind), std::string(kKubeletKind)};
  EXPECT_EQ(PrintInitDefaults({}), Golden("print_init.yaml"));
  EXPECT_EQ(PrintInitDefaults(components), Golden("print_init_components.yaml"));
  EXPECT_EQ(PrintJoinDefaults("VM"), Golden("print_join.yaml"));
  EXPECT_EQ(PrintResetDefaults(), Golden("print_reset.yaml"));
  EXPECT_EQ(PrintUpgradeDefaults(), Golden("print_upgrade.yaml"));
}

TEST(Print, RefusesUnknownComponents) {
  const std::vector<std::string> components{"Kubelet"};
  EXPECT_THAT(base::MessageOf([&] { PrintInitDefaults(components); }),
              HasSubstr("[KubeProxyConfiguration KubeletConfiguration]"));
}

// Returns a value of the type with every field set. If encoding omits a field or decoding ignores
// it, the field is missing after a round trip.
json::Value Filled(const json::Type& type, json::Versions version) {
  using Kind = json::Type::Kind;
  switch (type.kind) {
    case Kind::kBool:
      return true;
    case Kind::kInt32:
    case Kind::kInt64:
      return 7;
    case Kind::kString:
      return "text";
    case Kind::kEnum:
      return std::string(type.names().back());
    case Kind::kDuration:
      return "1m30s";
    case Kind::kTime:
      return "2031-01-01T00:00:00Z";
    case Kind::kJson:
      return {{"name", "ENV"}};
    case Kind::kList:
      return json::Value::array({Filled(*type.element(), version)});
    case Kind::kMap:
      return {{"key", Filled(*type.element(), version)}};
    case Kind::kOptional:
      return Filled(*type.element(), version);
    case Kind::kStruct:
      break;
  }
  json::Value object = json::Value::object();
  for (const json::Field& field : type.fields()) {
    if ((field.versions & version) == 0) {
      continue;
    }
    const json::Value member = Filled(*field.type(), version);
    if (field.name.empty()) {
      object.update(member);
    } else {
      object[std::string(field.name)] = member;
    }
  }
  return object;
}

template <typename T>
void ExpectRoundTrip(json::Versions version) {
  const json::Value filled = Filled(*json::TypeFor<T>::Get(), version);
  T value;
  json::DecodeProblems problems;
  json::Decode(filled, value, version, problems);
  EXPECT_TRUE(problems.errors.empty()) << problems.errors.Text();
  EXPECT_TRUE(problems.unknown.empty()) << problems.unknown.Text();
  EXPECT_EQ(json::Encode(value, version), filled);
}

TEST(Fields, RoundTripEveryKindInEveryVersion) {
  for (const json::Versions version : {kV1beta3, kV1beta4}) {
    ExpectRoundTrip<InitConfiguration>(version);
    ExpectRoundTrip<ClusterConfiguration>(version);
    ExpectRoundTrip<JoinConfiguration>(version);
  }
  ExpectRoundTrip<ResetConfiguration>(kV1beta4);
  ExpectRoundTrip<UpgradeConfiguration>(kV1beta4);
}

TEST(Fields, UseTheLastOfRepeatedArguments) {
  const Args args{{"v", "1"}, {"a", ""}, {"v", "2"}};
  EXPECT_EQ(FindArg(args, "v"), "2");
  EXPECT_EQ(FindArg(args, "b"), std::nullopt);
  ControlPlaneComponent component{.extra_args = args};
  EXPECT_EQ(json::Compact(json::Encode(component, kV1beta3)), R"({"extraArgs":{"a":"","v":"2"}})");
}

TEST(Marshal, StoresTheRequestedCiVersion) {
  ClusterConfiguration cluster;
  SetDefaults(cluster);
  cluster.kubernetes_version = "v1.37.0-alpha.1";
  EXPECT_THAT(MarshalForCluster(cluster), HasSubstr("kubernetesVersion: v1.37.0-alpha.1\n"));
  cluster.ci_kubernetes_version = "ci/v1.37.0-alpha.1";
  EXPECT_THAT(MarshalForCluster(cluster), HasSubstr("kubernetesVersion: ci/v1.37.0-alpha.1\n"));
}

std::string Migrated(const std::string& text) {
  return Migrate({.text = text, .name = "old.yaml"}, FakeFacts());
}

std::string V1beta3(std::string text) { return text.replace(text.find("v1beta4"), 7, "v1beta3"); }

TEST(Migrate, WritesInitAndClusterTogether) {
  for (const std::string& text : {InitText(), ClusterText(), V1beta3(ClusterText())}) {
    const std::string migrated = Migrated(text);
    EXPECT_THAT(migrated,
                AllOf(HasSubstr("kind: InitConfiguration"), HasSubstr("kind: ClusterConfiguration"),
                      Not(HasSubstr("v1beta3")), HasSubstr("name: host-one\n"),
                      HasSubstr("kubernetesVersion: v1.3")));
  }
}

TEST(Migrate, MovesTheApiServerTimeoutToTimeouts) {
  struct Case {
    std::string name, text, want;
  };
  const std::string seven = "apiServer: {timeoutForControlPlane: 7m}\n";
  for (const Case& c : std::initializer_list<Case>{
           {"v1beta4 keeps its own", InitText("timeouts: {controlPlaneComponentHealthCheck: 5m}\n"),
            "5m0s"},
           {"v1beta3 by default", V1beta3(ClusterText()), "4m0s"},
           {"v1beta3 chosen", V1beta3(ClusterText(seven)), "7m0s"},
           {"v1beta3 of one document", InitText() + "---\n" + V1beta3(ClusterText(seven)), "7m0s"},
           {"v1beta3 without a cluster", V1beta3(InitText()), "4m0s"}}) {
    EXPECT_THAT(Migrated(c.text), HasSubstr("controlPlaneComponentHealthCheck: " + c.want + "\n"))
        << c.name;
  }
}

TEST(Migrate, KeepsTheOrderOfKinds) {
  const std::string migrated =
      Migrated(ResetText() + "---\n" + JoinText() + "---\n" + ClusterText());
  std::size_t last = 0;
  for (const std::string kind : {"kind: InitConfiguration", "kind: ClusterConfiguration",
                                 "kind: JoinConfiguration", "kind: ResetConfiguration"}) {
    const std::size_t at = migrated.find(kind);
    ASSERT_NE(at, std::string::npos) << kind;
    EXPECT_GT(at, last) << kind;
    last = at;
  }
  EXPECT_THAT(migrated, HasSubstr("\n---\n"));
}

TEST(Migrate, OmitsComponentsAndKeepsAnEmptyFile) {
  EXPECT_THAT(Migrated(ClusterText() + "---\napiVersion: kubelet.config.k8s.io/v1beta1\n"
                                       "kind: KubeletConfiguration\nmaxPods: 5\n"),
              Not(HasSubstr("maxPods")));
  EXPECT_EQ(Migrated(""), "");
}

TEST(Migrate, DoesNotSearchForARuntime) {
  Facts facts = FakeFacts();
  facts.cri_sockets = []() -> std::vector<std::string> {
    throw base::Error("two container runtimes run");
  };
  for (const std::string& text : {InitText(), JoinText(), ResetText()}) {
    EXPECT_THAT(Migrate({.text = text, .name = "old.yaml"}, facts),
                HasSubstr("criSocket: " + std::string(kContainerdSocket)));
  }
}

TEST(Migrate, IsIdempotent) {
  const std::string once = Migrated(V1beta3(JoinText("controlPlane: {}\n")));
  EXPECT_EQ(Migrated(once), once);
}

std::string V1(std::string text) { return text.replace(text.find("v1beta4"), 7, "v1"); }

TEST(Migrate, CompletesAnUpgradeConfiguration) {
  EXPECT_THAT(Migrated(UpgradeText()), AllOf(HasSubstr("kind: UpgradeConfiguration"),
                                             HasSubstr("certificateRenewal: true")));
}

TEST(Migrate, WarnsOfValuesThatExistOnlyInV1) {
  const std::string text =
      V1(ClusterText("apiServer:\n  extraArgs: [{name: a, value: x}, {name: b, value: z, "
                     "mergeMethod: append}]\n"));
  testing::internal::CaptureStderr();
  const std::string migrated = Migrate({.text = text}, FakeFacts(), ExperimentalVersions::kAccept);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("apiServer.extraArgs[1]"), Not(HasSubstr("extraArgs[0]"))));
  EXPECT_THAT(migrated, AllOf(HasSubstr("kubeadm.k8s.io/v1beta4"), HasSubstr("value: z"),
                              Not(HasSubstr("mergeMethod"))));
}

TEST(Migrate, RefusesUnknownKindsVersionsAndFields) {
  struct Case {
    std::string name, text, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"unknown kind", "apiVersion: kubeadm.k8s.io/v1beta4\nkind: StartConfiguration\n",
            "StartConfiguration"},
           {"unknown version", "apiVersion: kubeadm.k8s.io/v1beta99\nkind: InitConfiguration\n",
            "v1beta99"},
           {"v1beta3 had no reset", V1beta3(ResetText()),
            "kubeadm.k8s.io/v1beta3, Kind=ResetConfiguration"},
           {"unknown field", InitText("nodeRegistration: {nodeName: x}\n"),
            "nodeRegistration.nodeName"},
           {"old version", "apiVersion: kubeadm.k8s.io/v1beta2\nkind: InitConfiguration\n",
            "v1beta2"},
           {"wrong value", ClusterText("networking: {serviceSubnet: x}\n"),
            "networking.serviceSubnet: Invalid value"},
           {"experimental version", V1(InitText()), "--allow-experimental-api"}}) {
    EXPECT_THAT(base::MessageOf([&] { Migrated(c.text); }), HasSubstr(c.want)) << c.name;
  }
}

TEST(ValidateFile, WarnsOfDeprecatedVersionsUnlessAllowed) {
  const Source source{.text = V1beta3(ClusterText()), .name = "x"};
  testing::internal::CaptureStderr();
  ValidateFile(source, FakeFacts(), DeprecatedVersions::kAccept);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), Not(HasSubstr("v1beta3")));
  testing::internal::CaptureStderr();
  ValidateFile(source, FakeFacts(), DeprecatedVersions::kWarn);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("v1beta3"));
}

TEST(ValidateFile, NeverSearchesForARuntime) {
  Facts facts = FakeFacts();
  facts.cri_sockets = []() -> std::vector<std::string> { throw base::Error("asked"); };
  EXPECT_EQ(base::MessageOf(
                [&] { ValidateFile({.text = InitText()}, facts, DeprecatedVersions::kWarn); }),
            "");
}

}  // namespace
}  // namespace config
