// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "host/fake_host.h"
#include "pki/certificate.h"
#include "preflight/judge.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JudgeFamilies, WarnsOfFamiliesThatDoNotFit) {
  struct Case {
    std::string name;
    std::string api_server;
    std::vector<std::string> services;
    std::vector<std::string> pods;
    std::string want;  // "": no warning
  };
  const Case cases[] = {
      {"IPv4", "10.0.0.1", {"10.96.0.0/12"}, {"10.244.0.0/16"}, ""},
      {"IPv6", "fd00::1", {"fd01::/112"}, {}, ""},
      {"dual", "10.0.0.1", {"10.96.0.0/12", "fd01::/112"}, {"fd02::/56", "10.244.0.0/16"}, ""},
      {"IPv6 first", "10.0.0.1", {"fd01::/112", "10.96.0.0/12"}, {}, "put the IPv4 network first"},
      {"IPv6 alone", "10.0.0.1", {"fd01::/112"}, {}, "fd01::/112, is IPv6"},
      {"IPv4 first", "fd00::1", {"10.96.0.0/12", "fd01::/112"}, {}, "put the IPv6 network first"},
      {"Pods of another family",
       "10.0.0.1",
       {"10.96.0.0/12"},
       {"fd02::/56"},
       "no Pod can serve them"},
      {"nothing", "", {}, {}, ""}};
  for (const Case& c : cases) {
    const Findings findings = JudgeFamilies(c.api_server, c.services, c.pods);
    EXPECT_FALSE(checks::HasErrors(findings)) << c.name;
    const auto warnings = checks::WhatOf(findings, checks::Severity::kWarning);
    if (c.want.empty()) {
      EXPECT_THAT(warnings, IsEmpty()) << c.name;
    } else {
      EXPECT_THAT(warnings, ElementsAre(HasSubstr(c.want))) << c.name;
    }
  }
}

class SigningCertificateTest : public testing::Test {
 protected:
  SigningCertificateTest() {
    cluster_.certificates_dir = "/pki";
    fake_.files.Write("/pki/ca.key", "x", {});
    Write("/pki/ca.crt", 2);
  }
  void Write(const std::string& path, int certificates) {
    static const std::string pem =
        pki::NewSelfSignedCa({.subject = {.common_name = "ca"}},
                             pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256))
            .Pem();
    std::string text;
    for (int i = 0; i < certificates; ++i) {
      text += pem;
    }
    fake_.files.Write(path, text, {});
  }
  void Give(const std::string& name, const std::string& value) {
    cluster_.controller_manager.extra_args = {{.name = name, .value = value}};
  }
  std::vector<std::string> Errors() {
    const Checks checks = ConfigChecks(fake_.host, {.init = init_, .cluster = cluster_});
    const auto check = std::ranges::find(checks, "SigningCertificate", &Check::id);
    return checks::WhatOf(check->judge({}), checks::Severity::kError);
  }

  host::FakeHost fake_;
  config::InitConfiguration init_;
  config::ClusterConfiguration cluster_;
};

TEST_F(SigningCertificateTest, RefusesAFileWithTwoCertificates) {
  EXPECT_THAT(Errors(), ElementsAre(HasSubstr("/pki/ca.crt has 2 certificates")));
  Write("/pki/ca.crt", 1);
  EXPECT_THAT(Errors(), IsEmpty());
  fake_.files.Remove("/pki/ca.crt");
  EXPECT_THAT(Errors(), IsEmpty()) << "it will be made";
}

TEST_F(SigningCertificateTest, ChecksTheFileInUse) {
  Write("/pki/own.crt", 1);
  Give("cluster-signing-cert-file", "/pki/own.crt");
  EXPECT_THAT(Errors(), IsEmpty());
  Write("/pki/own.crt", 3);
  EXPECT_THAT(Errors(), ElementsAre(HasSubstr("/pki/own.crt has 3")));
  Give("cluster-signing-cert-file", "");
  EXPECT_THAT(Errors(), IsEmpty());
  cluster_.controller_manager.extra_args.clear();
  Write("/pki/rotate-ca/kubernetes/signing.crt", 1);
  EXPECT_THAT(Errors(), IsEmpty()) << "a new CA is on its way";
}

TEST_F(SigningCertificateTest, ReportsNothingWithoutASigningCertificate) {
  Give("controllers", "*,-csrsigning");
  EXPECT_THAT(Errors(), IsEmpty());
  Give("controllers", "*,bootstrapsigner");
  EXPECT_THAT(Errors(), testing::SizeIs(1));
  cluster_.controller_manager.extra_args.clear();
  fake_.files.Remove("/pki/ca.key");
  EXPECT_THAT(Errors(), IsEmpty()) << "an external CA";
}

TEST_F(SigningCertificateTest, AcceptsABundleIfAPatchChangesTheSigner) {
  init_.patches = {.directory = "/patches"};
  fake_.files.MakeDirectories("/patches", 0755);
  fake_.files.Write("/patches/kube-controller-manager+json.yaml",
                    "- {op: add, path: /spec/containers/0/command/-, value: --v=4}", {});
  EXPECT_THAT(Errors(), testing::SizeIs(1)) << "a patch of another argument";
  fake_.files.Write("/patches/kube-controller-manager+json.yaml",
                    "- op: add\n  path: /spec/containers/0/command/-\n"
                    "  value: --cluster-signing-cert-file=/pki/own.crt\n",
                    {});
  EXPECT_THAT(Errors(), IsEmpty());
}

}  // namespace
}  // namespace preflight
