// SPDX-License-Identifier: Apache-2.0
#include "pki/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "pki/der.h"
#include "pki/fake_request.h"
#include "pki/request_key.h"

namespace pki {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = RequestFault::Kind;

Request Read(const FakeRequestSpec& spec) {
  auto request = ReadRequest(FakeRequestPem(spec));
  if (!request) {
    ADD_FAILURE() << request.error().text;
    return {};
  }
  return *request;
}

std::string FaultOf(const std::string& pem) {
  const auto request = ReadRequest(pem);
  return request ? "" : request.error().text;
}

FakeAttribute Cn(std::string value, std::uint8_t tag = 0x0C) {
  return {kFakeCommonName, std::move(value), tag};
}
FakeAttribute Org(std::string value, std::uint8_t tag = 0x0C) {
  return {kFakeOrganization, std::move(value), tag};
}

TEST(Request, HasTheParsedContent) {
  const Request request = Read({.names = {{0x82, "a.b"}, {0x87, "\x0A\x01\x02\x03"}}});
  EXPECT_EQ(request.common_name, "system:node:panda");
  EXPECT_THAT(request.organizations, ElementsAre("system:nodes"));
  EXPECT_EQ(request.common_names, 1);
  EXPECT_EQ(request.organization_attributes, 1);
  EXPECT_THAT(request.names.dns, ElementsAre("a.b"));
  EXPECT_THAT(request.names.ips, ElementsAre("10.1.2.3"));
  EXPECT_TRUE(request.signature_holds);
}

TEST(Request, FindsEveryKindOfName) {
  const Request request = Read({.names = {{0x81, "a@b"},
                                          {0x86, "spiffe://x/y"},
                                          {0xA0, ""},
                                          {0xA3, ""},
                                          {0xA4, ""},
                                          {0xA5, ""},
                                          {0x88, "\x2A"},
                                          {0x9E, ""},
                                          {0xA2, "x"}}});
  EXPECT_THAT(request.names.emails, ElementsAre("a@b"));
  EXPECT_THAT(request.names.uris, ElementsAre("spiffe://x/y"));
  EXPECT_THAT(request.names.others,
              ElementsAre("otherName", "x400Address", "directoryName", "ediPartyName",
                          "registeredID", "a name of unknown kind", "a name of unknown kind"));
}

TEST(Request, RefusesMalformedUris) {
  for (const char* uri : {"a://b/%4", "a://b/%", "a://b/%g0", "a://b/%0g", "a:// b", "a://b..c/",
                          "a://b<c", ":a", "a\x7F", "a://b^?c"}) {
    EXPECT_THAT(FaultOf(FakeRequestPem({.names = {{0x86, uri}}})),
                HasSubstr("a URI among the alternative names cannot be read"))
        << uri;
  }
  for (const char* uri : {"a://b/%49", "a://b/%9a", "a://b/%aF/x", "a://b/%Ff", "a://b.c/d..e",
                          "a://b.c?d..e", "a://b#c..d", "spiffe://b/c..d", "a:b..c", "x", ""}) {
    EXPECT_THAT(Read({.names = {{0x86, uri}}}).names.uris, ElementsAre(uri)) << uri;
  }
}

TEST(Request, FindsNamesInEveryAttributeThatADecoderMayRead) {
  const std::string san =
      DerOf(0x30, DerOf(0x06, "\x55\x1D\x11") + DerOf(0x04, DerOf(0x30, DerOf(0x82, "hidden"))));
  const std::string empty = DerOf(0x30, "");
  struct Case {
    std::string name;
    std::string attributes;
  };
  for (const Case& c : {
           Case{"second value", DerOf(0x30, DerOf(0x06, kFakeExtensionRequest) +
                                                DerOf(0x31, empty + DerOf(0x30, san)))},
           Case{"Microsoft's attribute",
                DerOf(0x30, DerOf(0x06, "\x2B\x06\x01\x04\x01\x82\x37\x02\x01\x0E") +
                                DerOf(0x31, DerOf(0x30, san)))},
           Case{"damaged attribute",
                DerOf(0x30, DerOf(0x06, kFakeExtensionRequest) + DerOf(0x31, DerOf(0x30, san)) +
                                DerOf(0x05, ""))},
           Case{"damaged attribute of Microsoft's",
                DerOf(0x30,
                      DerOf(0x06, "\x2B\x06\x01\x04\x01\x82\x37\x02\x01\x0E") + DerOf(0x05, ""))},
       }) {
    EXPECT_THAT(Read({.more_attributes = c.attributes}).names.others, testing::SizeIs(1)) << c.name;
  }
}

TEST(Request, AnEmptyListOfNamesHasNoName) {
  const std::string san = DerOf(0x30, DerOf(0x06, "\x55\x1D\x11") + DerOf(0x04, DerOf(0x30, "")));
  EXPECT_TRUE(Read({.more_extensions = san}).names.empty());
}

TEST(Request, ReportsMalformedAlternativeNames) {
  const std::string set = DerOf(0x30, DerOf(0x06, "\x55\x1D\x11") + DerOf(0x04, DerOf(0x31, "")));
  EXPECT_THAT(FaultOf(FakeRequestPem({.more_extensions = set})),
              HasSubstr("the list of alternative names"));
}

TEST(Request, SubjectAttributesAreReadInOrder) {
  const Request request = Read({.subject = {Cn("first"), Org("a"), Cn("last"), Org("b")}});
  EXPECT_EQ(request.common_name, "last");
  EXPECT_EQ(request.common_names, 2);
  EXPECT_THAT(request.organizations, ElementsAre("a", "b"));
}

TEST(Request, UnreadableAttributesCountAsPresent) {
  const Request request =
      Read({.subject = {Org("system:nodes"), Org(std::string("\0\0\0a", 4), 0x1C), Cn("x")}});
  EXPECT_THAT(request.organizations, ElementsAre("system:nodes"));
  EXPECT_EQ(request.organization_attributes, 2);
}

TEST(Request, DecodesEachStringType) {
  struct Case {
    std::string name;
    std::uint8_t tag;
    std::string bytes;
    std::string want;  // "!" for a fault
  };
  for (const Case& c : std::initializer_list<Case>{
           {"UTF8String", 0x0C, "\xC3\xA9", "\xC3\xA9"},
           {"bad UTF-8", 0x0C, "\xC3", "!"},
           {"PrintableString", 0x13, "a b", "a b"},
           {"PrintableString with * and &", 0x13, "*&", "*&"},
           {"PrintableString with _", 0x13, "a_b", "!"},
           {"IA5String", 0x16, "a_b@", "a_b@"},
           {"IA5String above 127", 0x16, "\xE9", "!"},
           {"NumericString", 0x12, "1 2", "1 2"},
           {"NumericString with letters", 0x12, "1a", "!"},
           {"T61String", 0x14, "abc\xE9", "abc\xC3\xA9"},
           {"BMPString", 0x1E, std::string("\0a\0b", 4), "ab"},
           {"BMPString of odd length", 0x1E, "a", "!"},
           {"NUL is a character", 0x0C, std::string("a\0b", 3), std::string("a\0b", 3)},
       }) {
    const auto request = ReadRequest(FakeRequestPem({.subject = {Cn(c.bytes, c.tag)}}));
    EXPECT_EQ(request ? request->common_name : "!", c.want) << c.name;
  }
}

TEST(Request, ReportsTheStrengthOfKeys) {
  struct Case {
    FakeKey key;
    std::string text;
    bool strong;
  };
  for (const Case& c : std::initializer_list<Case>{{FakeKey::kP256, "ECDSA-P256", true},
                                                   {FakeKey::kP384, "ECDSA-P384", true},
                                                   {FakeKey::kP521, "ECDSA-P521", true},
                                                   {FakeKey::kP224, "ECDSA-P224", false},
                                                   {FakeKey::kEd25519, "Ed25519", true},
                                                   {FakeKey::kRsa1024, "RSA-1024", false},
                                                   {FakeKey::kRsa2048, "RSA-2048", true},
                                                   {FakeKey::kMlDsa44, "ML-DSA-44", true},
                                                   {FakeKey::kMlDsa65, "ML-DSA-65", true},
                                                   {FakeKey::kMlDsa87, "ML-DSA-87", true}}) {
    const Request request = Read({.key = c.key});
    EXPECT_EQ(request.key_text, c.text);
    EXPECT_EQ(request.key_is_strong, c.strong) << c.text;
    EXPECT_TRUE(request.signature_holds) << c.text;
    EXPECT_EQ(request.key_only_signs, c.text.starts_with("ML-DSA-")) << c.text;
  }
}

TEST(Request, ReportsASignatureOfAnotherKey) {
  EXPECT_FALSE(Read({.break_signature = true}).signature_holds);
}

TEST(Request, ReportsTheStrengthOfSignatures) {
  struct Case {
    FakeKey key;
    FakeDigest digest;
    std::string text;
    bool strong;
  };
  for (const Case& c :
       std::initializer_list<Case>{{FakeKey::kP256, FakeDigest::kSha256, "ECDSA-SHA256", true},
                                   {FakeKey::kP256, FakeDigest::kSha1, "ECDSA-SHA1", false},
                                   {FakeKey::kRsa2048, FakeDigest::kSha256, "RSA-SHA256", true},
                                   {FakeKey::kRsa2048, FakeDigest::kSha1, "RSA-SHA1", false},
                                   {FakeKey::kRsa2048, FakeDigest::kMd5, "RSA-MD5", false},
                                   {FakeKey::kEd25519, FakeDigest::kSha256, "Ed25519", true},
                                   {FakeKey::kMlDsa65, FakeDigest::kSha256, "ML-DSA-65", true}}) {
    const Request request = Read({.key = c.key, .digest = c.digest});
    EXPECT_EQ(request.signature_text, c.text);
    EXPECT_EQ(request.signature_is_strong, c.strong) << c.text;
  }
}

TEST(Request, ChecksTheParametersOfSignatureAlgorithms) {
  const auto read = [](const std::string& oid, const std::string& parameters) {
    const std::string whole = DerOf(0x30, DerOf(0x06, oid) + parameters);
    return ReadSignatureAlgorithm(der::Reader(whole).Next());
  };
  const std::string null = DerOf(0x05, "");
  const std::string rsa = "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0B";
  const std::string ecdsa = "\x2A\x86\x48\xCE\x3D\x04\x03\x02";
  const std::string pss = "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0A";
  EXPECT_TRUE(read(rsa, null).strong);
  EXPECT_FALSE(read(rsa, "").strong);
  EXPECT_FALSE(read(rsa, null + null).strong);
  EXPECT_TRUE(read(ecdsa, "").strong);
  EXPECT_FALSE(read(ecdsa, null).strong);
  EXPECT_FALSE(read("\x2B\x65\x70", null).strong);
  EXPECT_FALSE(read("\x60\x86\x48\x01\x65\x03\x04\x03\x12", null).strong);
  EXPECT_FALSE(read(pss, DerOf(0x30, "")).strong);
  EXPECT_EQ(read(pss, DerOf(0x30, "")).text, "1.2.840.113549.1.1.10");
}

// Returns one requested extension, in DER.
std::string Extension(std::string_view oid, const std::string& value, bool critical = false) {
  return DerOf(0x30, DerOf(0x06, oid) + (critical ? DerOf(0x01, "\xFF") : "") + DerOf(0x04, value));
}

TEST(Request, ReportsContentThatNoKubeletSends) {
  const std::string constraints = "\x55\x1D\x13";
  const std::string ca = DerOf(0x30, DerOf(0x01, "\xFF"));
  const std::string usage = DerOf(0x03, "\x05\xA0");
  Request request = Read({.more_extensions = Extension(constraints, ca)});
  EXPECT_TRUE(request.asks_for_ca);
  EXPECT_THAT(request.other_extensions, ElementsAre("2.5.29.19"));
  request = Read({.more_extensions = Extension(constraints, DerOf(0x30, ""), true) +
                                     Extension("\x55\x1D\x0F", usage)});
  EXPECT_FALSE(request.asks_for_ca);
  EXPECT_THAT(request.other_extensions, ElementsAre("2.5.29.19 (critical)", "2.5.29.15"));
  request =
      Read({.more_extensions = Extension("\x55\x1D\x11", DerOf(0x30, DerOf(0x82, "a")), true)});
  EXPECT_THAT(request.other_extensions, ElementsAre("2.5.29.17 (critical)"));
  EXPECT_THAT(request.names.dns, ElementsAre("a"));
  EXPECT_TRUE(request.is_version_0);
  EXPECT_FALSE(Read({.version = "\x01"}).is_version_0);
  EXPECT_FALSE(Read({.version = "\xFF"}).is_version_0);
  request = Read({.subject = {Org("a"), Cn("b"), {"\x55\x04\x0B", "unit"}, {"\x2A", "x"}}});
  EXPECT_THAT(request.other_attributes, ElementsAre("2.5.4.11", "1.2"));
}

TEST(Request, ReportsAttributesOtherThanExtensions) {
  const auto attribute = [](std::string_view oid, const std::string& values) {
    return DerOf(0x30, DerOf(0x06, oid) + DerOf(0x31, values));
  };
  const std::string asking = attribute(kFakeExtensionRequest, DerOf(0x30, ""));
  const std::string challenge = attribute("\x2A\x86\x48\x86\xF7\x0D\x01\x09\x07", DerOf(0x0C, "x"));
  const auto unknown = [](FakeRequestSpec spec) { return Read(spec).unknown_attributes; };
  EXPECT_THAT(unknown({}), IsEmpty());
  EXPECT_THAT(unknown({.names = {{0x82, "a"}}}), IsEmpty());
  EXPECT_THAT(unknown({.more_attributes = challenge}), ElementsAre("1.2.840.113549.1.9.7"));
  EXPECT_THAT(unknown({.more_attributes = attribute("\x2A\x03", "")}), ElementsAre("damaged"));
  EXPECT_THAT(unknown({.more_attributes = DerOf(0x31, DerOf(0x06, "\x2A\x03"))}),
              ElementsAre("damaged"));
  EXPECT_THAT(
      unknown({.names = {{0x82, "a"}}, .more_attributes = asking, .more_attributes_first = true}),
      ElementsAre("1.2.840.113549.1.9.14"))
      << "asked for twice";
}

TEST(Request, RefusesAnyTextAroundThePemBlock) {
  const std::string good = FakeRequestPem({});
  ASSERT_TRUE(ReadRequest(good).has_value());
  for (const std::string& odd : {"x\n" + good, good + "x", good + good, "\xEF\xBB\xBF" + good}) {
    EXPECT_THAT(FaultOf(odd), HasSubstr("not exactly one PEM block CERTIFICATE REQUEST")) << odd;
  }
}

TEST(Request, ReportsMalformedRequests) {
  const std::string der = FakeRequestDer({});
  const std::string long_form = "\x30\x84" + std::string("\0\0", 2) + der.substr(2);
  const auto pem = [](const std::string& bytes) { return PemOf("CERTIFICATE REQUEST", bytes); };
  struct Case {
    std::string name;
    std::string pem;
    Kind want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"empty", "", Kind::kNoRequest},
           {"another label", PemOf("CERTIFICATE", der), Kind::kNoRequest},
           {"label of old times", PemOf("NEW CERTIFICATE REQUEST", der), Kind::kNoRequest},
           {"no PEM", der, Kind::kNoRequest},
           {"too large", std::string(kMaxRequestSize + 1, 'a'), Kind::kTooLarge},
           {"empty block", pem(""), Kind::kMalformed},
           {"trailing byte", pem(der + std::string(1, '\0')), Kind::kMalformed},
           {"cut short", pem(der.substr(0, der.size() - 1)), Kind::kMalformed},
           {"BER length", pem(long_form), Kind::kMalformed},
           {"indefinite length", pem("\x30\x80" + der.substr(2)), Kind::kMalformed},
           {"IP of 5 bytes", FakeRequestPem({.names = {{0x87, "12345"}}}), Kind::kMalformed},
           {"DNS not ASCII", FakeRequestPem({.names = {{0x82, "\xC3\xA9"}}}), Kind::kMalformed},
           {"an extension that says it is not critical",
            FakeRequestPem({.more_extensions = DerOf(0x30, DerOf(0x06, "\x2A") +
                                                               DerOf(0x01, std::string(1, '\0')) +
                                                               DerOf(0x04, ""))}),
            Kind::kMalformed},
           {"bytes behind an extension's value",
            FakeRequestPem({.more_extensions = DerOf(
                                0x30, DerOf(0x06, "\x2A") + DerOf(0x04, "") + DerOf(0x05, ""))}),
            Kind::kMalformed},
           {"attributes out of order",
            FakeRequestPem({.names = {{0x82, "a"}},
                            .more_attributes =
                                DerOf(0x30, DerOf(0x06, "\x2A") + DerOf(0x31, DerOf(0x05, "")))}),
            Kind::kMalformed},
           {"a version with a needless octet", FakeRequestPem({.version = std::string("\0\0", 2)}),
            Kind::kMalformed},
           {"no list of attributes", FakeRequestPem({.has_attributes = false}), Kind::kMalformed},
           {"bad URI", FakeRequestPem({.names = {{0x86, "http://a\x01/"}}}), Kind::kMalformed},
           {"extension twice",
            FakeRequestPem({.names = {{0x82, "a"}},
                            .more_extensions = DerOf(
                                0x30, DerOf(0x06, "\x55\x1D\x11") + DerOf(0x04, DerOf(0x30, "")))}),
            Kind::kMalformed},
       }) {
    const auto request = ReadRequest(c.pem);
    ASSERT_FALSE(request.has_value()) << c.name;
    EXPECT_EQ(request.error().kind, c.want) << c.name << ": " << request.error().text;
  }
}

TEST(Request, RefusesASignatureWithUnusedBits) {
  // The first byte of a bit string is the number of unused bits in its last byte. The bit string of
  // the request follows the algorithm's OID.
  const auto of = [](const std::string& der, const std::string& bits) {
    constexpr std::string_view kEcdsaWithSha256 = "\x2A\x86\x48\xCE\x3D\x04\x03\x02";
    const std::size_t begin = der[1] == '\x81' ? 3 : 2;
    const std::size_t end = der.rfind(kEcdsaWithSha256) + kEcdsaWithSha256.size();
    return PemOf("CERTIFICATE REQUEST",
                 DerOf(0x30, der.substr(begin, end - begin) + DerOf(0x03, bits)));
  };
  const std::string der = FakeRequestDer({});
  ASSERT_TRUE(ReadRequest(of(der, std::string("\0\1", 2))).has_value());
  EXPECT_THAT(FaultOf(of(der, "\1\2")), HasSubstr("not a whole number of bytes"));
  EXPECT_THAT(FaultOf(of(der, "")), HasSubstr("a bit string is not as DER writes it"));
}

TEST(Request, BoundsTheCostOfDeepNestingAndManyBlocks) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) {
    deep = DerOf(0x30, deep);
  }
  EXPECT_NE(FaultOf(PemOf("CERTIFICATE REQUEST", deep)), "");
  std::string many;
  while (many.size() < kMaxRequestSize - 64) {
    many += "-----BEGIN A-----\n";
  }
  EXPECT_NE(FaultOf(many + "-----END B-----\n"), "");
}

TEST(ServerTrust, AnAnchorMustBeSelfSigned) {
  const std::chrono::sys_seconds begin{std::chrono::seconds(1'700'000'000)};
  const auto until = begin + std::chrono::hours(1000);
  const auto now = begin + std::chrono::hours(1);
  const auto spec = [&](std::string name, std::vector<ExtendedKeyUsage> usages = {}) {
    return CertificateSpec{.subject = {.common_name = std::move(name), .organizations = {}},
                           .alt_names = {},
                           .usages = std::move(usages),
                           .not_before = begin,
                           .not_after = until};
  };
  const PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP256);
  const PrivateKey other = PrivateKey::Generate(Algorithm::kEcdsaP256);
  const KeyPair ca{NewSelfSignedCa(spec("ca"), key), key};
  const KeyPair stranger{NewSelfSignedCa(spec("ca"), other), other};
  const auto server = ExtendedKeyUsage::kServerAuth;
  const auto good = Sign(spec("x", {server}), other.Public(), ca);
  const auto client = Sign(spec("x", {ExtendedKeyUsage::kClientAuth}), other.Public(), ca);
  const auto same_name = Sign(spec("ca", {server}), other.Public(), ca);
  const KeyPair leaf_as_ca{good, other};
  const PrivateKey ml_dsa = PrivateKey::Generate(Algorithm::kMlDsa44);
  const KeyPair ml_dsa_ca{NewSelfSignedCa(spec("ca"), ml_dsa), ml_dsa};
  const auto ml_dsa_leaf = Sign(spec("x", {server}), ml_dsa.Public(), ml_dsa_ca);
  const auto below_leaf = Sign(spec("y", {server}), key.Public(), leaf_as_ca);
  struct Case {
    std::string name;
    const Certificate& leaf;
    std::vector<Certificate> anchors;
    std::chrono::sys_seconds now;
    bool trusted;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"signed", good, {ca.certificate}, now, true},
           {"second of the bundle", good, {stranger.certificate, ca.certificate}, now, true},
           {"of the CA's own name", same_name, {ca.certificate}, now, true},
           {"is an anchor", good, {good}, now, true},
           {"of another CA of that name", good, {stranger.certificate}, now, false},
           {"no anchor", good, {}, now, false},
           {"for clients", client, {ca.certificate}, now, false},
           {"too early", good, {ca.certificate}, begin - std::chrono::seconds(1), false},
           {"too late", good, {ca.certificate}, until + std::chrono::seconds(1), false},
           {"signed by no CA", below_leaf, {good}, now, false},
           {"ML-DSA", ml_dsa_leaf, {ml_dsa_ca.certificate}, now, true},
           {"ML-DSA of another CA", ml_dsa_leaf, {ca.certificate}, now, false},
       }) {
    EXPECT_EQ(!ServerTrustProblem(c.leaf, c.anchors, c.now), c.trusted) << c.name;
  }
}

TEST(LenientChain, SkipsUnreadableCertificates) {
  EXPECT_THAT(LenientChain("junk\n" + PemOf("CERTIFICATE", "x") + PemOf("KEY", "y")), IsEmpty());
  const std::chrono::sys_seconds begin{std::chrono::seconds(1'700'000'000)};
  const Certificate good = NewSelfSignedCa({.subject = {.common_name = "ca", .organizations = {}},
                                            .alt_names = {},
                                            .usages = {},
                                            .not_before = begin,
                                            .not_after = begin + std::chrono::hours(1)},
                                           PrivateKey::Generate(Algorithm::kEcdsaP256));
  const std::vector<Certificate> read =
      LenientChain(PemOf("CERTIFICATE", "x") + good.Pem() + PemOf("KEY", "y"));
  ASSERT_THAT(read, testing::SizeIs(1));
  EXPECT_EQ(read.front().subject().common_name, "ca");
}

TEST(DerOidText, ReadsEachPart) {
  EXPECT_EQ(der::OidText("\x2A\x86\x48\x86\xF7\x0D\x01\x09\x0E"), "1.2.840.113549.1.9.14");
  EXPECT_EQ(der::OidText("\x55\x1D\x11"), "2.5.29.17");
  EXPECT_ANY_THROW(der::OidText(""));
  EXPECT_ANY_THROW(der::OidText("\x2A\x86"));
  EXPECT_ANY_THROW(der::OidText("\x2A\x80\x01"));
}

}  // namespace
}  // namespace pki
