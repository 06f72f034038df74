#include "pki/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "pki/der.h"
#include "pki/fake_request.h"
#include "pki/pem_block.h"

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

TEST(Request, HoldsWhatItSays) {
  const Request request = Read({.names = {{0x82, "a.b"}, {0x87, "\x0A\x01\x02\x03"}}});
  EXPECT_EQ(request.common_name, "system:node:panda");
  EXPECT_THAT(request.organizations, ElementsAre("system:nodes"));
  EXPECT_EQ(request.common_names, 1);
  EXPECT_EQ(request.organization_attributes, 1);
  EXPECT_THAT(request.names.dns, ElementsAre("a.b"));
  EXPECT_THAT(request.names.ips, ElementsAre("10.1.2.3"));
  EXPECT_TRUE(request.signature_holds);
}

TEST(Request, EveryKindOfNameIsSeen) {
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

TEST(Request, NamesDoNotHideFromADecoder) {
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
           Case{"damaged attribute", DerOf(0x30, DerOf(0x06, kFakeExtensionRequest) +
                                                     DerOf(0x31, DerOf(0x30, san)) + "\x05")},
       }) {
    EXPECT_THAT(Read({.more_attributes = c.attributes}).names.others, testing::SizeIs(1)) << c.name;
  }
}

TEST(Request, AnEmptyListOfNamesIsNoName) {
  const std::string san = DerOf(0x30, DerOf(0x06, "\x55\x1D\x11") + DerOf(0x04, DerOf(0x30, "")));
  EXPECT_TRUE(Read({.more_extensions = san}).names.empty());
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

TEST(Request, StringTypes) {
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
           {"T61String", 0x14, "abc", "abc"},
           {"BMPString", 0x1E, std::string("\0a\0b", 4), "ab"},
           {"BMPString of odd length", 0x1E, "a", "!"},
           {"NUL is a character", 0x0C, std::string("a\0b", 3), std::string("a\0b", 3)},
       }) {
    const auto request = ReadRequest(FakeRequestPem({.subject = {Cn(c.bytes, c.tag)}}));
    EXPECT_EQ(request ? request->common_name : "!", c.want) << c.name;
  }
}

TEST(Request, KeysAreWeighed) {
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
                                                   {FakeKey::kRsa2048, "RSA-2048", true}}) {
    const Request request = Read({.key = c.key});
    EXPECT_EQ(request.key_text, c.text);
    EXPECT_EQ(request.key_is_strong, c.strong) << c.text;
    EXPECT_TRUE(request.signature_holds) << c.text;
  }
}

TEST(Request, AForeignSignatureIsFoundOut) {
  EXPECT_FALSE(Read({.break_signature = true}).signature_holds);
}

TEST(Request, Faults) {
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

TEST(Request, DeepNestingAndManyBlocksCostLittle) {
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

TEST(PemBlock, TakesTheFirstThatIsWhole) {
  const std::string good = PemOf("A", "hello");
  struct Case {
    std::string name;
    std::string text;
    std::string want;  // label:bytes, "" for none
  };
  for (const Case& c : std::initializer_list<Case>{
           {"plain", good, "A:hello"},
           {"leading text", "hi\n" + good, "A:hello"},
           {"trailing text", good + "bye", "A:hello"},
           {"a second one", PemOf("B", "x") + good, "B:x"},
           {"broken base64 before", "-----BEGIN B-----\n!!!!\n-----END B-----\n" + good, "A:hello"},
           {"END of another label", "-----BEGIN B-----\naGk=\n-----END C-----\n" + good, "A:hello"},
           {"headers", "-----BEGIN A-----\nk: v\n\naGk=\n-----END A-----\n", "A:hi"},
           {"CRLF", "-----BEGIN A-----\r\naGk=\r\n-----END A-----\r\n", "A:hi"},
           {"no last line end", "-----BEGIN A-----\naGk=\n-----END A-----", "A:hi"},
           {"blanks behind", "-----BEGIN A-----  \naGk=\n-----END A-----\t\n", "A:hi"},
           {"indented", " -----BEGIN A-----\naGk=\n-----END A-----\n", ""},
           {"base64 cut", "-----BEGIN A-----\naGk\n-----END A-----\n", ""},
           {"text behind padding", "-----BEGIN A-----\naGk=aGk=\n-----END A-----\n", ""},
           {"no END", "-----BEGIN A-----\naGk=\n", ""},
           {"BEGIN of nothing", "-----BEGIN \n" + good, "A:hello"},
           {"BEGIN of nothing at the end", "x\n-----BEGIN ", ""},
           {"END of nothing", "-----BEGIN A-----\naGk=\n-----END \n" + good, "A:hello"},
           {"END of nothing at the end", "-----BEGIN A-----\naGk=\n-----END ", ""},
       }) {
    const auto block = FirstPemBlock(c.text);
    EXPECT_EQ(block ? block->label + ":" + block->bytes : "", c.want) << c.name;
  }
}

TEST(IpText, IsCanonical) {
  EXPECT_EQ(IpText(std::string("\0\0\0\0\0\0\0\0\0\0\xFF\xFF\x0A\0\0\1", 16)), "10.0.0.1");
  EXPECT_EQ(ParseIp("2001:DB8:0:0::1"), "2001:db8::1");
  EXPECT_EQ(ParseIp("::ffff:10.0.0.1"), "10.0.0.1");
  for (const char* text : {"", "10.0.0", "010.0.0.1", "[::1]", "fe80::1%eth0", "10.0.0.1 ", "a"}) {
    EXPECT_FALSE(ParseIp(text)) << text;
  }
}

TEST(ServerTrust, AnAnchorMustHaveSignedItself) {
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
       }) {
    EXPECT_EQ(ServerTrustProblem(c.leaf, c.anchors, c.now).empty(), c.trusted) << c.name;
  }
}

TEST(LenientChain, PassesOverWhatItCannotRead) {
  EXPECT_THAT(LenientChain("junk\n" + PemOf("CERTIFICATE", "x") + PemOf("KEY", "y")), IsEmpty());
}

TEST(DerOidText, ReadsParts) {
  EXPECT_EQ(der::OidText("\x2A\x86\x48\x86\xF7\x0D\x01\x09\x0E"), "1.2.840.113549.1.9.14");
  EXPECT_EQ(der::OidText("\x55\x1D\x11"), "2.5.29.17");
  EXPECT_ANY_THROW(der::OidText(""));
  EXPECT_ANY_THROW(der::OidText("\x2A\x86"));
  EXPECT_ANY_THROW(der::OidText("\x2A\x80\x01"));
}

}  // namespace
}  // namespace pki
