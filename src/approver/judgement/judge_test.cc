// SPDX-License-Identifier: Apache-2.0
// Conditions for every request: its PEM, key, subject, usages, names, signer.
#include "judgement/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "base/utf8.h"
#include "judgement/fake_cases.h"

namespace judgement {
namespace {

using pki::DerOf;
using pki::FakeKey;
using pki::kFakeCommonName;
using pki::kFakeOrganization;

TEST(Judge, IgnoresACallWithoutARequest) {
  const Verdict verdict = Judge({}, {}, Detail::kAll);
  EXPECT_EQ(verdict.decision, Decision::kIgnore);
  EXPECT_EQ(verdict.reason, Reason::kInvalidCall);
  ASSERT_EQ(verdict.rules.size(), 1U);
  EXPECT_EQ(verdict.rules.front().rule, "request-given");
}

TEST(Judge, ApprovesValidRequests) {
  EXPECT_EQ(FakeWorld::Client().Outcome(), kClientOk);
  EXPECT_EQ(FakeWorld::Serving().Outcome(), kServingOk);
  for (const Rule& rule : FakeWorld::Client().Judged().rules) {
    EXPECT_TRUE(rule.passed) << rule.rule;
    EXPECT_NE(rule.compared, "") << rule.rule;
  }
}

TEST(Judge, JudgesTheOtherRulesAfterTheFirstFailure) {
  FakeWorld world = FakeWorld::Client();
  world.policy.client_disabled = true;
  world.nodes = {"panda"};
  world.request.break_signature = true;
  std::vector<std::string_view> failed;
  for (const Rule& rule : world.Judged().rules) {
    if (!rule.passed) {
      failed.push_back(rule.rule);
    }
  }
  EXPECT_THAT(failed, testing::ElementsAre("client-enabled", "node-absent", "own-signature"));
  EXPECT_EQ(world.Outcome(), "retry client-flow-disabled");
}

// Changes that make requests of both kinds fail.
struct SharedCase {
  std::string name;
  Spoil spoil;
  std::string client, serving;
};

void RunShared(const std::vector<SharedCase>& cases) {
  for (const SharedCase& c : cases) {
    Check(FakeWorld::Client, {{c.name + ", client", c.spoil, c.client}});
    Check(FakeWorld::Serving, {{c.name + ", serving", c.spoil, c.serving}});
  }
}

TEST(Judge, IgnoresDecidedRequests) {
  const auto condition = [](std::string type) {
    return [=](FakeWorld& w) { w.csr.conditions = {{.type = type}}; };
  };
  RunShared({
      {"approved", condition("Approved"), "ignore already-approved", "ignore already-approved"},
      {"denied", condition("Denied"), "ignore already-denied", "ignore already-denied"},
      {"failed", condition("Failed"), "ignore already-failed", "ignore already-failed"},
      {"another condition", condition("Checked"), kClientOk, kServingOk},
      {"another case", condition("denied"), kClientOk, kServingOk},
  });
}

TEST(Judge, RefusesInputThatIsNotARequest) {
  const auto text = [](std::string pem) { return [=](FakeWorld& w) { w.pem = pem; }; };
  const std::string der = pki::FakeRequestDer({});
  const auto pem = [](const std::string& bytes) {
    return pki::PemOf("CERTIFICATE REQUEST", bytes);
  };
  const auto both = [&](std::string name, std::string given, std::string want) {
    return SharedCase{std::move(name), text(std::move(given)), want, want};
  };
  RunShared({
      both("no PEM", "hello", "retry bad-pem"),
      both("another label", pki::PemOf("CERTIFICATE", der), "retry bad-pem"),
      both("label in small letters", pki::PemOf("certificate request", der), "retry bad-pem"),
      both("another block first", pki::PemOf("X", der) + pem(der), "retry bad-pem"),
      both("huge", std::string(pki::kMaxRequestSize + 1, 'x'), "ignore request-too-large"),
      both("empty DER", pem(""), "retry parse-error"),
      both("random bytes", pem("\x01\x02\x03"), "retry parse-error"),
      both("cut", pem(der.substr(0, der.size() / 2)), "retry parse-error"),
      both("bytes behind", pem(der + "x"), "retry parse-error"),
  });
}

TEST(Judge, OnlyOneCanonicalBlockIsRead) {
  const std::string good = pki::FakeRequestPem({});
  const std::string first_line = "-----BEGIN CERTIFICATE REQUEST-----\n";
  const std::string other = pki::FakeRequestPem({.subject = Subject({"system:nodes"}, {"bear"})});
  const auto row = [](std::string name, std::string pem, bool read) {
    return SharedCase{std::move(name), [=](FakeWorld& w) { w.pem = pem; },
                      read ? kClientOk : "retry bad-pem",
                      read ? "ignore serving-no-san" : "retry bad-pem"};
  };
  const auto headed = [&](const std::string& header) {
    return first_line + header + good.substr(first_line.size());
  };
  for (const SharedCase& c : {
           row("as it is made", good, true),
           row("CRLF", base::ReplaceAll(good, "\n", "\r\n"), true),
           row("empty lines around", "\n" + good + "\n", true),
           row("no last line end", good.substr(0, good.size() - 1), true),
           row("text before", "text before\n" + good, false),
           row("text behind", good + "text behind", false),
           row("another one behind", good + other, false),
           row("superfluous padding, then another one",
               base::ReplaceAll(good, "\n-----END", "=\n-----END") + other, false),
           row("a header", headed("k: v\n\n"), false),
           row("a header that holds another one", headed("k: " + other + "\n"), false),
           row("BEGIN in the middle of a line", headed("x-----BEGIN CERTIFICATE REQUEST-----\n"),
               false),
       }) {
    FakeWorld client = FakeWorld::Client();
    c.spoil(client);
    EXPECT_EQ(client.Outcome(), c.client) << c.name;
    FakeWorld serving = FakeWorld::Serving();
    c.spoil(serving);
    EXPECT_EQ(serving.Outcome(), c.serving) << c.name;
  }
}

TEST(Judge, RefusesContentThatNoKubeletSends) {
  const auto extension = [](std::string_view oid, const std::string& value, bool critical) {
    const std::string der =
        DerOf(0x30, DerOf(0x06, oid) + (critical ? DerOf(0x01, "\xFF") : "") + DerOf(0x04, value));
    return [=](FakeWorld& w) { w.request.more_extensions = der; };
  };
  const auto digest = [](FakeKey key, pki::FakeDigest kind) {
    return [=](FakeWorld& w) {
      w.request.key = key;
      w.request.digest = kind;
    };
  };
  const auto attribute = [](std::string_view oid, std::string value) {
    return [=](FakeWorld& w) { w.request.subject.push_back({oid, value}); };
  };
  const auto request_attribute = [](std::string der) {
    return [=](FakeWorld& w) {
      w.request.more_attributes = der;
      w.request.more_attributes_first = der.front() == 0x30;  // a shorter sequence, or no sequence
    };
  };
  const auto version = [](std::string bytes) {
    return [=](FakeWorld& w) { w.request.version = bytes; };
  };
  const auto both = [](std::string name, Spoil spoil, const std::string& reason) {
    return SharedCase{std::move(name), std::move(spoil), "ignore " + reason, "ignore " + reason};
  };
  const std::string ca = DerOf(0x30, DerOf(0x01, "\xFF"));
  const std::string bits = DerOf(0x03, "\x05\xA0");
  const std::string purpose = DerOf(0x30, DerOf(0x06, "\x2B\x06\x01\x05\x05\x07\x03\x01"));
  using pki::FakeDigest;
  RunShared({
      both("version 1", version("\x01"), "version-not-zero"),
      both("version 2", version("\x02"), "version-not-zero"),
      both("version -1", version("\xFF"), "version-not-zero"),
      both("unit of the organisation", attribute("\x55\x04\x0B", "x"), "subject-attribute-unknown"),
      both("country", attribute("\x55\x04\x06", "DE"), "subject-attribute-unknown"),
      both("mail address", attribute("\x2A\x86\x48\x86\xF7\x0D\x01\x09\x01", "a@b"),
           "subject-attribute-unknown"),
      both("CA:TRUE", extension("\x55\x1D\x13", ca, false), "ca-requested"),
      both("CA:TRUE, critical", extension("\x55\x1D\x13", ca, true), "ca-requested"),
      both("CA:FALSE", extension("\x55\x1D\x13", DerOf(0x30, ""), false), "extension-unknown"),
      both("usages of the key", extension("\x55\x1D\x0F", bits, true), "extension-unknown"),
      both("purposes", extension("\x55\x1D\x25", purpose, false), "extension-unknown"),
      both("an extension nobody knows", extension("\x2A\x03", "", false), "extension-unknown"),
      both("the same, critical", extension("\x2A\x03", "", true), "extension-unknown"),
      both("a password to challenge with",
           request_attribute(DerOf(0x30, DerOf(0x06, "\x2A\x86\x48\x86\xF7\x0D\x01\x09\x07") +
                                             DerOf(0x31, DerOf(0x0C, "x")))),
           "request-attribute-unknown"),
      both("an unstructured name",
           request_attribute(DerOf(0x30, DerOf(0x06, "\x2A\x86\x48\x86\xF7\x0D\x01\x09\x02") +
                                             DerOf(0x31, DerOf(0x16, "x")))),
           "request-attribute-unknown"),
      both("an attribute without a value",
           request_attribute(DerOf(0x30, DerOf(0x06, "\x2A\x03") + DerOf(0x31, ""))),
           "request-attribute-unknown"),
      both("an attribute that is none", request_attribute(DerOf(0x31, DerOf(0x06, "\x2A\x03"))),
           "request-attribute-unknown"),
      both("ECDSA with SHA-1", digest(FakeKey::kP256, FakeDigest::kSha1), "digest-too-weak"),
      both("RSA with SHA-1", digest(FakeKey::kRsa2048, FakeDigest::kSha1), "digest-too-weak"),
      both("RSA with MD5", digest(FakeKey::kRsa2048, FakeDigest::kMd5), "digest-too-weak"),
  });
}

TEST(Judge, RefusesCriticalAlternativeNames) {
  FakeWorld world = FakeWorld::Serving();
  world.request.names.clear();
  world.request.more_extensions = DerOf(0x30, DerOf(0x06, "\x55\x1D\x11") + DerOf(0x01, "\xFF") +
                                                  DerOf(0x04, DerOf(0x30, DerOf(0x82, "panda"))));
  EXPECT_EQ(world.Outcome(), "ignore extension-unknown");
}

TEST(Judge, EscapesControlCharactersInForeignText) {
  const std::string hostile = "p\nI1121 \xE2\x80\xAE\xE2\x80\xA8\xC2\x9B\xE2\x80\x8B\x1B[2J";
  FakeWorld world = FakeWorld::Serving();
  world.current = std::unexpected("it says " + hostile);
  world.has_ca = true;
  world.machines.front().name = hostile;
  world.csr.username = "system:node:" + hostile;
  world.csr.groups.push_back(hostile);
  AskFor(world, hostile);
  world.request.names.push_back({0x82, "a\nb"});
  const Verdict verdict = world.Judged();
  std::string all = verdict.message;
  for (const Rule& rule : verdict.rules) {
    all += rule.compared;
  }
  EXPECT_EQ(all, base::Visible(all));
  EXPECT_THAT(all, testing::HasSubstr("\\nI1121 \\u202e\\u2028\\u009b\\u200b\\x1b[2J"));
}

TEST(Judge, RefusesNamesThatAreNotCanonical) {
  const auto dns = [](std::string name) {
    return [=](FakeWorld& w) {
      w.request.names.push_back({0x82, name});
      w.machines.front().addresses.push_back({"ExternalDNS", name});
    };
  };
  const std::string odd = "ignore name-not-canonical";
  Check(FakeWorld::Serving, {{"plain", dns("a-1.b_c"), kServingOk},
                             {"empty", dns(""), "ignore name-empty"},
                             {"one capital", dns("pandA"), odd},
                             {"dot at the end", dns("panda."), odd},
                             {"blank", dns("pan da"), odd},
                             {"line end", dns("panda\n"), odd},
                             {"NUL", dns(std::string("panda\0x", 7)), odd}});
  for (const std::string name : {"Panda", "panda.", "pan da", "pan\tda", "p\xC3\xA4"}) {
    FakeWorld client = FakeWorld::Client();
    AskFor(client, name);
    client.machines.front().addresses = {{"InternalDNS", name}};
    EXPECT_EQ(client.Outcome(), odd) << name;
    FakeWorld serving = FakeWorld::Serving();
    AskFor(serving, name);
    serving.csr.username = "system:node:" + name;
    serving.machines.front().node_ref = name;
    EXPECT_EQ(serving.Outcome(), odd) << name;
  }
}

TEST(Judge, RefusesWeakKeysAndSignatures) {
  const auto key = [](FakeKey kind) { return [=](FakeWorld& w) { w.request.key = kind; }; };
  // A kubelet asks for key encipherment with RSA keys only.
  const auto ml_dsa = [](FakeKey kind) {
    return [=](FakeWorld& w) {
      w.request.key = kind;
      std::erase(w.csr.usages, "key encipherment");
    };
  };
  RunShared({
      {"P-384", key(FakeKey::kP384), kClientOk, kServingOk},
      {"P-521", key(FakeKey::kP521), kClientOk, kServingOk},
      {"Ed25519", key(FakeKey::kEd25519), kClientOk, kServingOk},
      {"RSA 2048", key(FakeKey::kRsa2048), kClientOk, kServingOk},
      {"ML-DSA-44", ml_dsa(FakeKey::kMlDsa44), kClientOk, kServingOk},
      {"ML-DSA-65", ml_dsa(FakeKey::kMlDsa65), kClientOk, kServingOk},
      {"ML-DSA-87", ml_dsa(FakeKey::kMlDsa87), kClientOk, kServingOk},
      {"ML-DSA with key encipherment",
       [&](FakeWorld& w) {
         ml_dsa(FakeKey::kMlDsa65)(w);
         w.csr.usages.emplace_back("key encipherment");
       },
       "ignore usages-not-exact", "ignore usages-not-exact"},
      {"RSA 1024", key(FakeKey::kRsa1024), "ignore key-too-weak", "ignore key-too-weak"},
      {"P-224", key(FakeKey::kP224), "ignore key-too-weak", "ignore key-too-weak"},
      {"foreign signature", [](FakeWorld& w) { w.request.break_signature = true; },
       "ignore signature-invalid", "ignore signature-invalid"},
  });
}

TEST(Judge, RequiresTheSignerOfTheRequestKind) {
  const auto signer = [](std::string name) { return [=](FakeWorld& w) { w.csr.signer = name; }; };
  RunShared({
      {"none given", signer(""), kClientOk, kServingOk},
      {"kubelet-serving", signer("kubernetes.io/kubelet-serving"), "ignore signer-mismatch",
       kServingOk},
      {"client-kubelet", signer("kubernetes.io/kube-apiserver-client-kubelet"), kClientOk,
       "ignore signer-mismatch"},
      {"client", signer("kubernetes.io/kube-apiserver-client"), "ignore signer-mismatch",
       "ignore signer-mismatch"},
      {"legacy", signer("kubernetes.io/legacy-unknown"), "ignore signer-mismatch",
       "ignore signer-mismatch"},
  });
}

TEST(Judge, RequiresTheExactSubject) {
  const auto subject = [](std::vector<std::string> organizations, std::vector<std::string> names) {
    return [=](FakeWorld& w) { w.request.subject = Subject(organizations, names); };
  };
  const std::string panda = "system:node:panda";
  RunShared({
      {"no CN", subject({"system:nodes"}, {}), kNotServing, "ignore serving-cn-mismatch"},
      {"empty CN", subject({"system:nodes"}, {""}), kNotServing, "ignore serving-cn-mismatch"},
      {"two CNs, last one right", subject({"system:nodes"}, {"system:node:other", panda}),
       "ignore common-name-not-single", "ignore common-name-not-single"},
      {"the same CN twice", subject({"system:nodes"}, {panda, panda}),
       "ignore common-name-not-single", "ignore common-name-not-single"},
      {"two CNs, last one wrong", subject({"system:nodes"}, {panda, "system:node:other"}),
       kNoMachine, "ignore serving-cn-mismatch"},
      {"prefix in other case", subject({"system:nodes"}, {"System:node:panda"}), kNotServing,
       "ignore serving-cn-mismatch"},
      {"no O", subject({}, {panda}), kNotServing, "ignore serving-org-missing"},
      {"another O", subject({"system:masters"}, {panda}), kNotServing,
       "ignore serving-org-missing"},
      {"two Os", subject({"system:nodes", "system:masters"}, {panda}), kNotServing,
       "ignore organization-not-exact"},
      {"O twice", subject({"system:nodes", "system:nodes"}, {panda}), kNotServing,
       "ignore organization-not-exact"},
      {"O in other case", subject({"system:Nodes"}, {panda}), kNotServing,
       "ignore serving-org-missing"},
      {"an O that nobody can read",
       [&](FakeWorld& w) {
         w.request.subject = Subject({"system:nodes"}, {panda});
         w.request.subject.push_back({kFakeOrganization, std::string(4, 'a'), 0x1C});
       },
       "ignore organization-not-exact", "ignore organization-not-exact"},
      {"a CN that nobody can read",
       [&](FakeWorld& w) {
         w.request.subject = Subject({"system:nodes"}, {panda});
         w.request.subject.push_back({kFakeCommonName, std::string(4, 'a'), 0x1C});
       },
       "ignore common-name-not-single", "ignore common-name-not-single"},
      {"NUL behind the name", subject({"system:nodes"}, {panda + std::string(1, '\0')}), kNoMachine,
       "ignore serving-cn-mismatch"},
  });
}

TEST(Judge, RequiresTheExactSetOfUsages) {
  const std::string ds = "digital signature";
  const std::string ke = "key encipherment";
  const std::string ca = "client auth";
  const std::string sa = "server auth";
  const auto usages = [](std::vector<std::string> list) {
    return [=](FakeWorld& w) { w.csr.usages = list; };
  };
  const std::string count = "ignore serving-usage-count";
  const std::string missing = "ignore serving-usage-missing";
  const std::string inexact = "ignore usages-not-exact";
  RunShared({
      {"none", usages({}), kNotServing, count},
      {"one", usages({ds}), kNotServing, count},
      {"client without key encipherment", usages({ds, ca}), kClientOk, missing},
      {"client, other order", usages({ca, ke, ds}), kClientOk, missing},
      {"serving without key encipherment", usages({ds, sa}), kNotServing, kServingOk},
      {"serving, other order", usages({sa, ds, ke}), kNotServing, kServingOk},
      {"client auth twice", usages({ca, ca}), kNotServing, missing},
      {"digital signature twice", usages({ds, ds, ca}), kNotServing, missing},
      {"all with one twice", usages({ds, ke, ca, ca}), kNotServing, count},
      {"server auth twice", usages({ds, sa, sa}), kNotServing, inexact},
      {"digital signature twice, serving", usages({ds, ds, sa}), kNotServing, inexact},
      {"both auths", usages({ds, sa, ca}), kNotServing, inexact},
      {"a third of another kind", usages({ds, sa, "code signing"}), kNotServing, inexact},
      {"four", usages({ds, ke, sa, ca}), kNotServing, count},
      {"other case", usages({"Digital Signature", ca}), kNotServing, missing},
      {"any", usages({"any"}), kNotServing, count},
      {"empty text", usages({ds, ke, sa, ""}), kNotServing, count},
      {"empty text for key encipherment", usages({ds, "", sa}), kNotServing, inexact},
      {"key encipherment twice", usages({ke, ke, sa}), kNotServing, missing},
  });
}

TEST(Judge, AcceptsAlternativeNamesByTheirKind) {
  const auto add = [](std::uint8_t tag, std::string content) {
    return [=](FakeWorld& w) { w.request.names.push_back({tag, content}); };
  };
  const std::string kind = "ignore serving-san-kind";
  RunShared({
      {"DNS", add(0x82, "panda"), kNotServing, kServingOk},
      {"empty DNS", add(0x82, ""), kNotServing, "ignore name-empty"},
      {"IP", add(0x87, std::string("\x0A\0\0\1", 4)), kNotServing, kServingOk},
      {"mail", add(0x81, "a@panda"), kNotServing, kind},
      {"URI", add(0x86, "spiffe://panda/x"), kNotServing, kind},
      {"otherName", add(0xA0, DerOf(0x06, "\x2A")), kNotServing, kind},
      {"x400Address", add(0xA3, ""), kNotServing, kind},
      {"directoryName", add(0xA4, DerOf(0x30, "")), kNotServing, kind},
      {"ediPartyName", add(0xA5, ""), kNotServing, kind},
      {"registeredID", add(0x88, "\x2A"), kNotServing, kind},
      {"unknown", add(0x9E, "x"), kNotServing, kind},
      {"constructed DNS", add(0xA2, "panda"), kNotServing, kind},
      {"IP of 3 bytes", add(0x87, "abc"), "retry parse-error", "retry parse-error"},
      {"DNS that is not ASCII", add(0x82, "p\xC3\xA4nda"), "retry parse-error",
       "retry parse-error"},
  });
  Check(FakeWorld::Serving,
        {{"none", [](FakeWorld& w) { w.request.names.clear(); }, "ignore serving-no-san"},
         {"an empty DNS name only", [](FakeWorld& w) { w.request.names = {{0x82, ""}}; },
          "ignore name-empty"},
         {"a dot only", [](FakeWorld& w) { w.request.names = {{0x82, "."}}; }, kExhausted}});
}

}  // namespace
}  // namespace judgement
