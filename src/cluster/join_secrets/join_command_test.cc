// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/join_command.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "pki/certificate.h"

namespace join_secrets {
namespace {

using testing::HasSubstr;

kube::Kubeconfig Admin(const std::string& ca) {
  kube::Kubeconfig admin;
  admin.clusters["kubernetes"] = {.server = "https://lb.example.org:6443",
                                  .certificate_authority_data = ca};
  admin.contexts["c"] = {.cluster = "kubernetes", .user = "u"};
  admin.users["u"] = {.token = "secret"};
  admin.current_context = "c";
  return admin;
}

TEST(JoinCommand, HasTheLinesThatUsersCopy) {
  const JoinTarget target{.endpoint = "h:6443", .pins = {"sha256:1", "sha256:2"}};
  const std::string worker =
      "kubeadm join h:6443 --token t \\\n\t--discovery-token-ca-cert-hash sha256:1 "
      "--discovery-token-ca-cert-hash sha256:2 ";
  EXPECT_EQ(WorkerJoinCommand(target, "t"), worker);
  EXPECT_EQ(ControlPlaneJoinCommand(target, "t", std::nullopt), worker + "\\\n\t--control-plane ");
  EXPECT_EQ(ControlPlaneJoinCommand(target, "t", "k"),
            worker + "\\\n\t--control-plane --certificate-key k");
  EXPECT_EQ(OnOneLine(ControlPlaneJoinCommand({.endpoint = "h", .pins = {"p"}}, "t", "k")),
            "kubeadm join h --token t --discovery-token-ca-cert-hash p --control-plane "
            "--certificate-key k");
}

TEST(JoinTarget, PinsEveryCa) {
  std::string bundle;
  std::vector<std::string> pins;
  for (const char* name : {"one", "two"}) {
    const auto key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    pki::CertificateSpec spec;
    spec.subject.common_name = name;
    spec.not_after = std::chrono::sys_days{std::chrono::year{2040} / 1 / 1};
    const auto ca = pki::NewSelfSignedCa(spec, key);
    bundle += ca.Pem();
    pins.push_back(pki::Pin(ca));
  }
  const JoinTarget target = JoinTargetOf(Admin(bundle));
  EXPECT_EQ(target.endpoint, "lb.example.org:6443");
  EXPECT_EQ(target.pins, pins);
  kube::Kubeconfig two = Admin(bundle);
  two.clusters[""] = {.server = "https://public:1", .certificate_authority_data = bundle};
  EXPECT_EQ(JoinTargetOf(two).endpoint, "public:1");
  EXPECT_THAT(base::MessageOf([] { JoinTargetOf({}); }), HasSubstr("no cluster"));
}

}  // namespace
}  // namespace join_secrets
