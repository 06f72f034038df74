// What is asked of every request: its text, key, subject, usages, names, signer.
#include "approver/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "approver/fake_cases.h"
#include "base/strings.h"

namespace approver {
namespace {

using pki::DerOf;
using pki::FakeKey;
using pki::kFakeCommonName;
using pki::kFakeOrganization;

TEST(Judge, NothingToJudge) {
  const Verdict verdict = Judge({}, {}, Detail::kAll);
  EXPECT_EQ(verdict.decision, Decision::kIgnore);
  EXPECT_EQ(verdict.reason, "invalid-call");
}

TEST(Judge, GoodRequests) {
  EXPECT_EQ(FakeWorld::Client().Outcome(), kClientOk);
  EXPECT_EQ(FakeWorld::Serving().Outcome(), kServingOk);
  for (const Rule& rule : FakeWorld::Client().Judged().rules) {
    EXPECT_TRUE(rule.passed) << rule.rule;
    EXPECT_NE(rule.compared, "") << rule.rule;
  }
}

TEST(Judge, EveryRuleIsToldAfterTheFirstFailure) {
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

// What makes any request fail, whatever it is for. The same rows for both kinds.
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

TEST(Judge, DecidedRequestsAreLeftAlone) {
  const auto condition = [](std::string type, std::string status = "True") {
    return [=](FakeWorld& w) {
      w.csr.conditions = {{.type = type, .status = status, .reason = {}, .message = {}}};
    };
  };
  RunShared({
      {"approved", condition("Approved"), "ignore already-approved", "ignore already-approved"},
      {"approved, status False", condition("Approved", "False"), "ignore already-approved",
       "ignore already-approved"},
      {"denied", condition("Denied"), "ignore already-denied", "ignore already-denied"},
      {"failed", condition("Failed"), "ignore already-failed", "ignore already-failed"},
      {"another condition", condition("Checked"), kClientOk, kServingOk},
      {"another case", condition("denied"), kClientOk, kServingOk},
  });
}

TEST(Judge, TextsThatAreNoRequest) {
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

TEST(Judge, TolerantlyReadTexts) {
  FakeWorld world = FakeWorld::Client();
  const std::string good = pki::FakeRequestPem({});
  for (const std::string& pem :
       {"text before\n" + good, good + "text behind", good + pki::PemOf("CERTIFICATE REQUEST", "x"),
        base::ReplaceAll(good, "\n", "\r\n")}) {
    world.pem = pem;
    EXPECT_EQ(world.Outcome(), kClientOk) << pem;
  }
}

TEST(Judge, KeysAndSignatures) {
  const auto key = [](FakeKey kind) { return [=](FakeWorld& w) { w.request.key = kind; }; };
  RunShared({
      {"P-384", key(FakeKey::kP384), kClientOk, kServingOk},
      {"P-521", key(FakeKey::kP521), kClientOk, kServingOk},
      {"Ed25519", key(FakeKey::kEd25519), kClientOk, kServingOk},
      {"RSA 2048", key(FakeKey::kRsa2048), kClientOk, kServingOk},
      {"RSA 1024", key(FakeKey::kRsa1024), "ignore key-too-weak", "ignore key-too-weak"},
      {"P-224", key(FakeKey::kP224), "ignore key-too-weak", "ignore key-too-weak"},
      {"foreign signature", [](FakeWorld& w) { w.request.break_signature = true; },
       "ignore signature-invalid", "ignore signature-invalid"},
  });
}

TEST(Judge, SignerFitsTheKind) {
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

TEST(Judge, SubjectIsExact) {
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

TEST(Judge, UsagesAreExactSets) {
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

TEST(Judge, AlternativeNamesByKind) {
  const auto add = [](std::uint8_t tag, std::string content) {
    return [=](FakeWorld& w) { w.request.names.push_back({tag, content}); };
  };
  const std::string kind = "ignore serving-san-kind";
  RunShared({
      {"DNS", add(0x82, "panda"), kNotServing, kServingOk},
      {"empty DNS", add(0x82, ""), kNotServing, kServingOk},
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
      {"DNS that is no ASCII", add(0x82, "p\xC3\xA4nda"), "retry parse-error", "retry parse-error"},
  });
  Check(FakeWorld::Serving,
        {{"none", [](FakeWorld& w) { w.request.names.clear(); }, "ignore serving-no-san"},
         {"an empty DNS name only", [](FakeWorld& w) { w.request.names = {{0x82, ""}}; },
          "ignore serving-no-san"},
         {"a dot only", [](FakeWorld& w) { w.request.names = {{0x82, "."}}; }, kExhausted}});
}

}  // namespace
}  // namespace approver
