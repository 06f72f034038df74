// SPDX-License-Identifier: Apache-2.0
#include "pki/certificate.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/fake_error.h"
#include "base/strings.h"
#include "pki/cross_sign.h"
#include "pki/crypto.h"
#include "pki/openssl.h"

namespace pki {
namespace {

using std::chrono::hours;
using std::chrono::sys_seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr sys_seconds kNow{std::chrono::sys_days{std::chrono::year(2026) / 11 / 21}};

KeyPair NewCa(const std::string& name, Algorithm algorithm = Algorithm::kEcdsaP256) {
  const PrivateKey key = PrivateKey::Generate(algorithm);
  return {NewSelfSignedCa({.subject = {.common_name = name},
                           .alt_names = {.dns_names = {name}},
                           .not_before = kNow - hours(1),
                           .not_after = kNow + hours(87600)},
                          key),
          key};
}

CertificateSpec LeafSpec() {
  return {.subject = {.common_name = "kube-apiserver", .organizations = {"one", "two"}},
          .alt_names = {.dns_names = {"kubernetes", "*.wild.example.org"},
                        .ip_addresses = {"10.96.0.1", "fd00::7"}},
          .usages = {ExtendedKeyUsage::kServerAuth, ExtendedKeyUsage::kClientAuth},
          .not_before = kNow - std::chrono::minutes(5),
          .not_after = kNow + hours(8760),
          .ecdsa_enciphers = true};
}

Certificate NewLeaf(const KeyPair& ca, const CertificateSpec& spec = LeafSpec()) {
  return Sign(spec, PrivateKey::Generate(Algorithm::kEcdsaP256).Public(), ca);
}

// Returns the openssl program's output for a PEM file; "" if the program is missing.
std::string OpenSslText(const std::string& command, const std::string& pem) {
  const std::string path = testing::TempDir() + "pki_certificate_test.pem";
  std::ofstream(path) << pem;
  const std::string line = "openssl " + command + " -noout -text -in " + path + " 2>&1";
  const std::unique_ptr<FILE, decltype([](FILE* f) { pclose(f); })> pipe(popen(line.c_str(), "r"));
  std::string text;
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe.get())) != EOF;) {
    text += static_cast<char>(c);
  }
  return text;
}

bool HasOpenSsl() { return OpenSslText("x509", NewCa("x").certificate.Pem()).contains("Issuer"); }

TEST(CertificateTest, ACaHasTheContentOfItsSpec) {
  const KeyPair ca = NewCa("etcd-ca");
  EXPECT_EQ(ca.certificate.subject(), (Subject{.common_name = "etcd-ca"}));
  EXPECT_EQ(ca.certificate.IssuerText(), "CN=etcd-ca");
  EXPECT_THAT(ca.certificate.alt_names().dns_names, ElementsAre("etcd-ca"));
  EXPECT_TRUE(ca.certificate.is_ca());
  EXPECT_THAT(ca.certificate.usages(), IsEmpty());
  EXPECT_EQ(ca.certificate.not_before(), kNow - hours(1));
  EXPECT_EQ(ca.certificate.not_after(), kNow + hours(87600));
  EXPECT_TRUE(ca.certificate.public_key() == ca.key.Public());
}

TEST(CertificateTest, ALeafHasTheContentOfItsSpec) {
  const KeyPair ca = NewCa("kubernetes");
  const Certificate leaf = NewLeaf(ca);
  EXPECT_EQ(leaf.subject().common_name, "kube-apiserver");
  EXPECT_THAT(leaf.subject().organizations, ElementsAre("one", "two"));
  EXPECT_EQ(leaf.IssuerText(), "CN=kubernetes");
  EXPECT_EQ(leaf.alt_names(), LeafSpec().alt_names);
  EXPECT_EQ(leaf.usages(), LeafSpec().usages);
  EXPECT_FALSE(leaf.is_ca());
  EXPECT_EQ(leaf.not_before(), kNow - std::chrono::minutes(5));
}

TEST(CertificateTest, PemAndDerRoundTrip) {
  const KeyPair ca = NewCa("kubernetes");
  const Certificate leaf = NewLeaf(ca);
  EXPECT_TRUE(Certificate::FromPem(leaf.Pem()) == leaf);
  EXPECT_FALSE(leaf == ca.certificate);
  const auto chain =
      Certificate::ChainFromPem("# leaf\n" + leaf.Pem() + ca.key.Pem() + ca.certificate.Pem());
  ASSERT_EQ(chain.size(), 2U);
  EXPECT_TRUE(chain[0] == leaf);
  EXPECT_TRUE(chain[1] == ca.certificate);
}

TEST(CertificateTest, RefusesInvalidCertificates) {
  const std::string pem = NewCa("x").certificate.Pem();
  const std::string cut = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  for (const std::string& text :
       {std::string(), std::string("hello"), NewCa("x").key.Pem(), cut, pem.substr(0, 100)}) {
    EXPECT_THROW(Certificate::FromPem(text), base::Error) << text;
    EXPECT_THROW(Certificate::ChainFromPem(text), base::Error) << text;
  }
  EXPECT_THROW(Certificate::ChainFromPem(pem + cut), base::Error);
  EXPECT_THROW(Certificate::FromPem("\xEF\xBB\xBF" + pem), base::Error) << "not for Go";
  EXPECT_NO_THROW(Certificate::FromPem("\xEF\xBB\xBF# a remark\n" + pem));
}

TEST(CertificateTest, RefusesOverlongText) {
  EXPECT_THROW(Certificate::ChainFromPem(std::string(5 << 20, '\n')), base::Error);
}

// The openssl program prints the extensions with their order and criticality.
TEST(CertificateTest, EncodesACaLikeKubernetes) {
  if (!HasOpenSsl()) {
    GTEST_SKIP() << "no openssl program";
  }
  const KeyPair ca = NewCa("kubernetes", Algorithm::kRsa2048);
  const std::string text = OpenSslText("x509", ca.certificate.Pem());
  EXPECT_THAT(text, HasSubstr("Version: 3 (0x2)"));
  EXPECT_THAT(text, HasSubstr("Signature Algorithm: sha256WithRSAEncryption"));
  EXPECT_THAT(text, HasSubstr("Issuer: CN=kubernetes\n"));
  EXPECT_THAT(text, HasSubstr("        X509v3 extensions:\n"
                              "            X509v3 Key Usage: critical\n"
                              "                Digital Signature, Key Encipherment, Certificate "
                              "Sign\n"
                              "            X509v3 Basic Constraints: critical\n"
                              "                CA:TRUE\n"
                              "            X509v3 Subject Key Identifier: \n"));
  EXPECT_THAT(text, HasSubstr("            X509v3 Subject Alternative Name: \n"
                              "                DNS:kubernetes\n"
                              "    Signature Algorithm"));
  EXPECT_THAT(text, Not(HasSubstr("Authority Key Identifier")));
}

TEST(CertificateTest, EncodesALeafLikeKubernetes) {
  if (!HasOpenSsl()) {
    GTEST_SKIP() << "no openssl program";
  }
  const std::string text = OpenSslText("x509", NewLeaf(NewCa("kubernetes")).Pem());
  EXPECT_THAT(text, HasSubstr("Subject: O=one + O=two, CN=kube-apiserver"));
  EXPECT_THAT(text, HasSubstr("Not Before: Nov 20 23:55:00 2026 GMT"));
  EXPECT_THAT(text, HasSubstr("        X509v3 extensions:\n"
                              "            X509v3 Key Usage: critical\n"
                              "                Digital Signature, Key Encipherment\n"
                              "            X509v3 Extended Key Usage: \n"
                              "                TLS Web Server Authentication, TLS Web Client "
                              "Authentication\n"
                              "            X509v3 Basic Constraints: critical\n"
                              "                CA:FALSE\n"
                              "            X509v3 Authority Key Identifier: \n"));
  EXPECT_THAT(text, HasSubstr("DNS:kubernetes, DNS:*.wild.example.org, IP Address:10.96.0.1, "
                              "IP Address:FD00:0:0:0:0:0:0:7"));
  EXPECT_THAT(text, Not(HasSubstr("Subject Key Identifier")));
}

TEST(CertificateTest, TheCasKeyDecidesTheSignatureAlgorithm) {
  if (!HasOpenSsl()) {
    GTEST_SKIP() << "no openssl program";
  }
  const std::pair<Algorithm, const char*> cases[] = {
      {Algorithm::kRsa3072, "Signature Algorithm: sha256WithRSAEncryption"},
      {Algorithm::kEcdsaP256, "Signature Algorithm: ecdsa-with-SHA256"},
      {Algorithm::kEcdsaP384, "Signature Algorithm: ecdsa-with-SHA384"},
      {Algorithm::kMlDsa44, "Signature Algorithm: ML-DSA-44"},
      {Algorithm::kMlDsa65, "Signature Algorithm: ML-DSA-65"},
      {Algorithm::kMlDsa87, "Signature Algorithm: ML-DSA-87"},
  };
  for (const auto& [algorithm, want] : cases) {
    EXPECT_THAT(OpenSslText("x509", NewLeaf(NewCa("ca", algorithm)).Pem()), HasSubstr(want));
  }
}

TEST(CertificateTest, KeyEnciphermentDependsOnTheKey) {
  struct Case {
    Algorithm algorithm;
    bool ecdsa_enciphers;
    bool want;
  };
  for (const Case& c : std::initializer_list<Case>{{Algorithm::kRsa2048, false, true},
                                                   {Algorithm::kEcdsaP256, true, true},
                                                   {Algorithm::kEcdsaP256, false, false},
                                                   {Algorithm::kMlDsa44, true, false},
                                                   {Algorithm::kMlDsa87, false, false}}) {
    const PrivateKey key = PrivateKey::Generate(c.algorithm);
    const CertificateSpec spec{.subject = {.common_name = "a", .organizations = {}},
                               .alt_names = {},
                               .usages = {},
                               .not_before = std::chrono::sys_days{std::chrono::year(2026) / 1 / 1},
                               .not_after = std::chrono::sys_days{std::chrono::year(2027) / 1 / 1},
                               .ecdsa_enciphers = c.ecdsa_enciphers};
    const KeyPair ca{.certificate = NewSelfSignedCa(spec, key), .key = key};
    CertificateSpec leaf_spec = spec;
    leaf_spec.subject.common_name = "b";
    const Certificate leaf = Sign(leaf_spec, key.Public(), ca);
    const Certificate cross = CrossSign(ca.certificate, ca);
    for (const Certificate& made : {ca.certificate, leaf, cross}) {
      const bool enciphers =
          (X509_get_key_usage(made.impl().x509.get()) & X509v3_KU_KEY_ENCIPHERMENT) != 0;
      EXPECT_EQ(enciphers, c.want) << key.Public().AlgorithmText();
    }
    EXPECT_EQ(ChainProblem(leaf, {ca.certificate}, {}), std::nullopt);
  }
}

// The key identifier is the SHA-256 of the bits inside SubjectPublicKeyInfo, not of the whole
// structure. For P-256 these bits are the last 65 bytes of the structure.
TEST(CertificateTest, SubjectKeyIdIsTheTruncatedSha256OfTheKeyBits) {
  const KeyPair ca = NewCa("kubernetes");
  const std::string info = ca.key.Public().Der();
  const std::string id = Sha256(info.substr(info.size() - 65)).substr(0, 20);
  EXPECT_THAT(ca.certificate.Der(), HasSubstr("\x04\x16\x04\x14" + id));
  EXPECT_THAT(NewLeaf(ca).Der(), HasSubstr("\x30\x16\x80\x14" + id));
}

TEST(CertificateTest, SerialNumbersArePositiveAndHaveAtMost63Bits) {
  const KeyPair ca = NewCa("kubernetes");
  std::string last;
  for (int i = 0; i < 20; ++i) {
    const std::string serial = NewLeaf(ca).SerialHex();
    EXPECT_LE(serial.size(), 16U);
    EXPECT_FALSE(serial.size() == 16 && serial >= "7FFFFFFFFFFFFFFF") << serial;
    EXPECT_NE(serial, "00");
    EXPECT_NE(serial, last);
    last = serial;
  }
}

TEST(CertificateTest, KeepsLongNamesAndSpecialCharacters) {
  const std::string node = "system:node:" + std::string(200, 'n');
  CertificateSpec spec = LeafSpec();
  spec.subject = {.common_name = node, .organizations = {"größe", "a,b=c"}};
  const Subject read = NewLeaf(NewCa("kubernetes"), spec).subject();
  EXPECT_EQ(read.common_name, node);
  EXPECT_THAT(read.organizations, testing::UnorderedElementsAre("größe", "a,b=c"));
}

TEST(CertificateTest, ACaWithAnotherKeyCannotSign) {
  const KeyPair ca = {NewCa("kubernetes").certificate, NewCa("kubernetes").key};
  EXPECT_THROW(NewLeaf(ca), base::Error);
}

TEST(CertificateTest, RefusesCertificatesThatGoRefuses) {
  const KeyPair ca = NewCa("kubernetes");
  const std::pair<const char*, void (*)(X509*)> flaws[] = {
      {"serial number", [](X509* x509) { ASN1_INTEGER_set(X509_get_serialNumber(x509), -5); }},
      {"is there twice", [](X509* x509) { X509_add_ext(x509, X509_get_ext(x509, 0), -1); }}};
  for (const auto& [flaw, make] : flaws) {
    const X509Ptr made(X509_dup(NewLeaf(ca).impl().x509.get()));
    make(made.get());
    ASSERT_GT(X509_sign(made.get(), ca.key.impl().key.get(), EVP_sha256()), 0);
    const std::string pem = WritePem([&](BIO* out) { return PEM_write_bio_X509(out, made.get()); });
    EXPECT_THAT(base::MessageOf([&] { Certificate::FromPem(pem); }), HasSubstr(flaw));
  }
}

TEST(CertificateTest, ASmallRsaKeyDoesNotSign) {
  const EvpPkeyPtr small(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{1023}));
  const PrivateKey key = PrivateKey::FromPem(WritePem([&](BIO* out) {
    return PEM_write_bio_PrivateKey(out, small.get(), nullptr, nullptr, 0, nullptr, nullptr);
  }));
  const std::string message = base::MessageOf([&] {
    NewSelfSignedCa(
        {.subject = {.common_name = "ca"}, .not_before = kNow, .not_after = kNow + hours(1)}, key);
  });
  EXPECT_THAT(message, HasSubstr("an RSA key of 1023 bits is too small"));
}

TEST(CertificateTest, RefusesAnInvalidAddress) {
  CertificateSpec spec = LeafSpec();
  spec.alt_names.ip_addresses = {"10.0.0.256"};
  EXPECT_THROW(NewLeaf(NewCa("kubernetes"), spec), base::Error);
}

TEST(CertificateTest, AValidityBeyondTheYear9999IsRefused) {
  CertificateSpec spec = LeafSpec();
  spec.not_after = kNow + hours(8760 * 10000LL);
  EXPECT_THROW(NewLeaf(NewCa("kubernetes"), spec), base::Error);
  spec.not_after = kNow + hours(8760 * 100LL);  // dates after 2049 are encoded as GeneralizedTime
  EXPECT_EQ(NewLeaf(NewCa("kubernetes"), spec).not_after(), spec.not_after);
}

TEST(CertificateTest, CoversNameMatchesWildcardsAndAddresses) {
  const Certificate leaf = NewLeaf(NewCa("kubernetes"));
  struct Case {
    const char* name;
    bool covered;
  };
  for (const Case& c :
       {Case{"kubernetes", true}, Case{"KUBERNETES", true}, Case{"kubernetes.default", false},
        Case{"a.wild.example.org", true}, Case{"*.wild.example.org", true},
        Case{"a.b.wild.example.org", false}, Case{"wild.example.org", false},
        Case{".wild.example.org", false}, Case{"10.96.0.1", true}, Case{"10.96.0.2", false},
        Case{"fd00::7", true}, Case{"fd00:0:0:0:0:0:0:7", true}, Case{"fd00::8", false},
        Case{"kube-apiserver", false}, Case{"", false}}) {
    EXPECT_EQ(leaf.CoversName(c.name), c.covered) << c.name;
  }
}

TEST(ChainTest, VerifiesWithTheSignerOnly) {
  const KeyPair ca = NewCa("kubernetes");
  const Certificate leaf = NewLeaf(ca);
  EXPECT_EQ(ChainProblem(leaf, {ca.certificate}, {.now = kNow}), std::nullopt);
  EXPECT_NE(ChainProblem(leaf, {NewCa("kubernetes").certificate}, {.now = kNow}), std::nullopt);
  EXPECT_NE(ChainProblem(leaf, {}, {.now = kNow}), std::nullopt);
  EXPECT_EQ(ChainProblem(leaf, {NewCa("other").certificate, ca.certificate}, {.now = kNow}),
            std::nullopt);
}

TEST(ChainTest, ChecksDatesOnlyIfATimeIsGiven) {
  const KeyPair ca = NewCa("kubernetes");
  const Certificate leaf = NewLeaf(ca);
  EXPECT_THAT(ChainProblem(leaf, {ca.certificate}, {.now = kNow + hours(9000)}),
              Optional(HasSubstr("expired")));
  EXPECT_THAT(ChainProblem(leaf, {ca.certificate}, {.now = kNow - hours(2)}),
              Optional(HasSubstr("not yet valid")));
  EXPECT_EQ(ChainProblem(leaf, {ca.certificate}, {}), std::nullopt);
}

TEST(ChainTest, RequiresACaAsRoot) {
  const KeyPair ca = NewCa("kubernetes");
  const PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP256);
  const KeyPair no_ca = {Sign(LeafSpec(), key.Public(), ca), key};
  EXPECT_NE(ChainProblem(NewLeaf(no_ca), {no_ca.certificate}, {}), std::nullopt);
}

// A CA issued by another CA. Only other tools issue such CAs; this library's own CAs are
// self-signed.
constexpr std::string_view kRootPem = R"(-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUVDNaLcKa6qTq0jhmAvNVUxK+RmcwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMjExMTQ4MjVaGA8yMTI2MTAyODExNDgy
NVowDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPOS
p1LHNchhXGrHCRTe1uSd6BszIacXzjP5sBXWzjo4lQPOdAEQ3CORZbi3ZGAOokJl
DGMEQ1tVbwJKQG1f1DCjUzBRMB0GA1UdDgQWBBSSUOL1pGBhuVEjBzfruO4WCBU4
8jAfBgNVHSMEGDAWgBSSUOL1pGBhuVEjBzfruO4WCBU48jAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCIBGfZvPd+zTa6ePxko9jaJvslSc5n8O+Icbf
MR/Dnf4rAiBk1b2zc2MmpdVreOsNsPEjS1COCLY0q3eqt0YGbq4e1w==
-----END CERTIFICATE-----
)";
constexpr std::string_view kIntermediatePem = R"(-----BEGIN CERTIFICATE-----
MIIBiDCCAS6gAwIBAgIUO9p766ysXIPEUDKGJPeOq6+smDgwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMjExMTQ4MjVaGA8yMTI2MTAyODExNDgy
NVowEjEQMA4GA1UEAwwHYmV0d2VlbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BDW3Xb7DQwD04wvsUCjI+Kugm4sri2aOvclAfPcuuUicosjL4B9KObv/kPRZEZHe
bfxbTD+SX+6n8BnTUchoD6mjYzBhMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/
BAQDAgIEMB0GA1UdDgQWBBQpgHYkgIJI/71X6Q+yw3APVGHO1jAfBgNVHSMEGDAW
gBSSUOL1pGBhuVEjBzfruO4WCBU48jAKBggqhkjOPQQDAgNIADBFAiEA3UngAFJl
yrSL+aMbtNMKLMyAwKuIcqv+ED2WZfZmOpACIBl2MgZQL6r2ep77/gd6dWnjWjpI
S1v1zfgBWAos8+WV
-----END CERTIFICATE-----
)";
constexpr std::string_view kIntermediateLeafPem = R"(-----BEGIN CERTIFICATE-----
MIIBHTCBxAIUUkblcRfGCrF/XButLpH0U1cKBjcwCgYIKoZIzj0EAwIwEjEQMA4G
A1UEAwwHYmV0d2VlbjAgFw0yNjExMjExMTQ4MjVaGA8yMTI2MTAyODExNDgyNVow
DzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABB1dZS+M
8r+YLpvvUb25GeMDDUQfLGpRLTD1prevYfm5Dwprz8gpViNhx1Joz2nGFap4fANl
4HfDiVicppp/ct8wCgYIKoZIzj0EAwIDSAAwRQIgUl/wzCQrm5q099hX19v+FPMt
J9oxHZLnEwHbMpLwLk8CIQDeNfAZCpWZV0peXwrw70XfyzImmTYiWmR7oS5Ur+UE
og==
-----END CERTIFICATE-----
)";

TEST(ChainTest, AcceptsIntermediates) {
  const Certificate root = Certificate::FromPem(kRootPem);
  const Certificate between = Certificate::FromPem(kIntermediatePem);
  const Certificate leaf = Certificate::FromPem(kIntermediateLeafPem);
  EXPECT_EQ(ChainProblem(leaf, {root}, {.intermediates = {between}}), std::nullopt);
  EXPECT_NE(ChainProblem(leaf, {root}, {}), std::nullopt);
  EXPECT_EQ(ChainProblem(leaf, {between}, {}), std::nullopt) << "a root needs not be self-signed";
}

// A leaf, and three other certificates for its CA's key. One has the same name and another key
// identifier. Two have names that Go, which compares bytes, considers different: another string
// type, and capitals.
constexpr std::string_view kLeafPem = R"(-----BEGIN CERTIFICATE-----
MIIBLjCB1qADAgECAgEIMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMCAXDTI2
MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjAPMQ0wCwYDVQQDEwRsZWFmMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEa9AMKr0v2lk5D9RKWd8XskcYkvaUyM2S
qDgiFvWB0yZs3SNis78nCzFPFZbKyqUxlkQM/ZcIQpZBDFT+53+s8aMjMCEwHwYD
VR0jBBgwFoAUAQEBAQEBAQEBAQEBAQEBAQEBAQEwCgYIKoZIzj0EAwIDRwAwRAIg
YkpzVRyEzMBzeIemybzSfEeh7U6xFyjwBUwktENY7mYCIE2IMLRUUeKhPH3e9Lmn
2Faw8WFH4g6PHbLPr+6o103P
-----END CERTIFICATE-----
)";
constexpr std::string_view kSameNamePem = R"(-----BEGIN CERTIFICATE-----
MIIBPDCB46ADAgECAgEHMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMCAXDTI2
MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjANMQswCQYDVQQDEwJjYTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABHtwKzHDxqQY0+1M1NPju6nydoZN2YlOA/Rt
b+3UOlydH2gtV23huvEwdqsFLCZ6M0crr+C7rjYZin6NQ9hjnRCjMjAwMA8GA1Ud
EwEB/wQFMAMBAf8wHQYDVR0OBBYEFAICAgICAgICAgICAgICAgICAgICMAoGCCqG
SM49BAMCA0gAMEUCIQC/4rptX5AuAmhNL8xouJODLWkIb7V2Cs2JhtVKxDLU9gIg
NKBWoOibSuqkrbKegTbh6j5235OAhjoesl7LyaTtub4=
-----END CERTIFICATE-----
)";
constexpr std::string_view kOtherStringTypePem = R"(-----BEGIN CERTIFICATE-----
MIIBPDCB46ADAgECAgEHMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMMAmNhMCAXDTI2
MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjANMQswCQYDVQQDDAJjYTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABHtwKzHDxqQY0+1M1NPju6nydoZN2YlOA/Rt
b+3UOlydH2gtV23huvEwdqsFLCZ6M0crr+C7rjYZin6NQ9hjnRCjMjAwMA8GA1Ud
EwEB/wQFMAMBAf8wHQYDVR0OBBYEFAEBAQEBAQEBAQEBAQEBAQEBAQEBMAoGCCqG
SM49BAMCA0gAMEUCIQCuJ2UtXPHgAzOEpyJHCEitKXlwPyeiaEpSQLHnsNaJ9QIg
T0dgUBL+ktSeRHV9mNi+0gXbHiI3Nzu7iDM3z+fzA88=
-----END CERTIFICATE-----
)";
constexpr std::string_view kOtherCasePem = R"(-----BEGIN CERTIFICATE-----
MIIBOzCB46ADAgECAgEHMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAkNBMCAXDTI2
MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjANMQswCQYDVQQDEwJDQTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABHtwKzHDxqQY0+1M1NPju6nydoZN2YlOA/Rt
b+3UOlydH2gtV23huvEwdqsFLCZ6M0crr+C7rjYZin6NQ9hjnRCjMjAwMA8GA1Ud
EwEB/wQFMAMBAf8wHQYDVR0OBBYEFAEBAQEBAQEBAQEBAQEBAQEBAQEBMAoGCCqG
SM49BAMCA0cAMEQCIEgofCbIXQkziEskTJhkRm/Vav3D+9JHw/8U96xg79i0AiBG
2XvdGcZv7dPbVFH7585YVidwm+gcSy/vDrG9Kf8U1Q==
-----END CERTIFICATE-----
)";

TEST(ChainTest, ChoosesTheIssuerLikeGo) {
  const Certificate leaf = Certificate::FromPem(kLeafPem);
  const Certificate same = Certificate::FromPem(kSameNamePem);
  const Certificate other_type = Certificate::FromPem(kOtherStringTypePem);
  EXPECT_EQ(ChainProblem(leaf, {same}, {}), std::nullopt);
  EXPECT_NE(ChainProblem(leaf, {other_type}, {}), std::nullopt);
  EXPECT_NE(ChainProblem(leaf, {Certificate::FromPem(kOtherCasePem)}, {}), std::nullopt);
  EXPECT_EQ(ChainProblem(leaf, {other_type, same}, {}), std::nullopt);
}

// The pin was computed by: openssl x509 -pubkey | openssl pkey -pubin -outform DER | sha256sum.
TEST(CertificateTest, ThePinIsTheHashOfThePublicKeyInfo) {
  EXPECT_EQ(Pin(Certificate::FromPem(kRootPem)),
            "sha256:5f072b18acac0894ceee92faf9792c4f297326fb19cfa29defb5207ea6841e03");
}

TEST(RequestTest, CarriesSubjectAndNamesAndIsSignedByItsKey) {
  if (!HasOpenSsl()) {
    GTEST_SKIP() << "no openssl program";
  }
  const PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP384);
  const CertificateSpec spec = LeafSpec();
  const std::string pem = NewRequest(spec.subject, spec.alt_names, key);
  EXPECT_THAT(pem, testing::StartsWith("-----BEGIN CERTIFICATE REQUEST-----\n"));
  const std::string text = OpenSslText("req -verify", pem);
  EXPECT_THAT(text, HasSubstr("verify OK"));
  EXPECT_THAT(text, HasSubstr("Version: 1 (0x0)"));
  EXPECT_THAT(text, HasSubstr("Subject: O=one + O=two, CN=kube-apiserver"));
  EXPECT_THAT(text, HasSubstr("DNS:kubernetes, DNS:*.wild.example.org, IP Address:10.96.0.1"));
  EXPECT_THAT(text, HasSubstr("ecdsa-with-SHA384"));
  EXPECT_THAT(text, Not(HasSubstr("Extended Key Usage")));
}

TEST(RequestTest, HasNoExtensionsWithoutNames) {
  if (!HasOpenSsl()) {
    GTEST_SKIP() << "no openssl program";
  }
  const std::string text =
      OpenSslText("req -verify", NewRequest({.common_name = "front-proxy-client"}, {},
                                            PrivateKey::Generate(Algorithm::kEcdsaP256)));
  EXPECT_THAT(text, HasSubstr("verify OK"));
  EXPECT_THAT(text, Not(HasSubstr("X509v3")));
}

}  // namespace
}  // namespace pki
