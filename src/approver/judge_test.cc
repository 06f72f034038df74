#include "approver/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "approver/fake_world.h"
#include "approver/names.h"
#include "base/strings.h"

namespace approver {
namespace {

using pki::DerOf;
using pki::FakeAttribute;
using pki::FakeKey;
using pki::kFakeCommonName;
using pki::kFakeOrganization;

constexpr const char* kClientOk = "approve client-ok";
constexpr const char* kServingOk = "approve serving-machine-ok";
constexpr const char* kNoMachine = "retry client-no-machine-with-internal-dns";
constexpr const char* kExhausted = "retry serving-exhausted";
constexpr const char* kNotServing = "ignore serving-not-a-node-user";

using Spoil = std::function<void(FakeWorld&)>;
struct Case {
  std::string name;
  Spoil spoil;
  std::string want;
};

void Check(const std::function<FakeWorld()>& make, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    FakeWorld world = make();
    c.spoil(world);
    EXPECT_EQ(world.Outcome(), c.want) << c.name;
  }
}

std::vector<FakeAttribute> Subject(std::vector<std::string> organizations,
                                   std::vector<std::string> names) {
  std::vector<FakeAttribute> subject;
  for (std::string& text : organizations) {
    subject.push_back({kFakeOrganization, std::move(text)});
  }
  for (std::string& text : names) {
    subject.push_back({kFakeCommonName, std::move(text)});
  }
  return subject;
}

void AskFor(FakeWorld& world, const std::string& node) {
  world.request.subject = Subject({"system:nodes"}, {"system:node:" + node});
}

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

TEST(Judge, ServingNames) {
  struct Row {
    std::string asked, known;
    bool same;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"panda", "panda", true},
           {"PANDA", "panda", true},
           {"panda", "PANDA", true},
           {"panda.", "panda", true},
           {"panda", "panda.", true},
           {"panda.", "panda.", true},
           {"panda..", "panda", false},
           {"panda", "panda..", false},
           {".panda", "panda", false},
           {"panda ", "panda", false},
           {"pand", "panda", false},
           {"pandas", "panda", false},
           {"*.panda", "a.panda", false},
           {"*", "panda", false},
           {"panda", "*", false},
           {"kelvin",
            "\xE2\x84\xAA"
            "elvin",
            false},
           {"s", "\xC5\xBF", false},
           {"panda", "", false},
           {".", "", false},
           {".", ".", false},
       }) {
    FakeWorld world = FakeWorld::Serving();
    world.request.names = {{0x82, row.asked}};
    for (const char* type : {"InternalDNS", "ExternalDNS", "Hostname"}) {
      world.machines.front().addresses = {{type, row.known}};
      const bool empty = FoldedName(row.asked).empty();
      EXPECT_EQ(world.Outcome(), row.same ? kServingOk : kExhausted)
          << row.asked << " for " << row.known << empty;
    }
    for (const char* type : {"InternalIP", "ExternalIP", "hostname", ""}) {
      world.machines.front().addresses = {{type, row.known}};
      EXPECT_EQ(world.Outcome(), kExhausted) << type;
    }
  }
}

TEST(Judge, ServingAddresses) {
  struct Row {
    std::string asked, known;
    bool same;
  };
  const std::string ten("\x0A\0\0\1", 4);
  const std::string mapped("\0\0\0\0\0\0\0\0\0\0\xFF\xFF\x0A\0\0\1", 16);
  const std::string db8("\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
  for (const Row& row : std::initializer_list<Row>{
           {ten, "10.0.0.1", true},
           {mapped, "10.0.0.1", true},
           {ten, "::ffff:10.0.0.1", true},
           {ten, "::ffff:a00:1", true},
           {db8, "2001:db8::1", true},
           {db8, "2001:DB8::1", true},
           {db8, "2001:0db8:0000:0000:0000:0000:0000:0001", true},
           {db8, "[2001:db8::1]", false},
           {db8, "2001:db8::1%eth0", false},
           {ten, "10.0.0.01", false},
           {ten, "10.0.0.1/32", false},
           {ten, " 10.0.0.1", false},
           {ten, "10.0.0.2", false},
           {ten, "", false},
           {ten, "167772161", false},
       }) {
    FakeWorld world = FakeWorld::Serving();
    world.request.names = {{0x87, row.asked}};
    for (const char* type : {"InternalIP", "ExternalIP"}) {
      world.machines.front().addresses = {{type, row.known}};
      EXPECT_EQ(world.Outcome(), row.same ? kServingOk : kExhausted) << row.known;
    }
    world.machines.front().addresses = {{"InternalDNS", row.known}};
    EXPECT_EQ(world.Outcome(), kExhausted) << row.known;
  }
}

TEST(Judge, ClientNames) {
  struct Row {
    std::string asked, known, want;
  };
  const std::string lookup = "retry client-node-lookup-failed";
  for (const Row& row : std::initializer_list<Row>{
           {"panda", "panda", kClientOk},
           {"PANDA", "panda", kClientOk},
           {"panda", "Panda.", kClientOk},
           {"panda.", "panda", kClientOk},
           {"panda..", "panda", kNoMachine},
           {"pandas", "panda", kNoMachine},
           {"panda", "", kNoMachine},
           {"k", "\xE2\x84\xAA", kNoMachine},
           {"", "", "ignore client-empty-node-name"},
           {".", ".", lookup},
           {"..", "..", lookup},
           {"a/b", "a/b", lookup},
           {"a%2fb", "a%2fb", lookup},
           {"system:node:panda", "system:node:panda", kClientOk},
       }) {
    FakeWorld world = FakeWorld::Client();
    AskFor(world, row.asked);
    world.machines.front().addresses = {{"InternalDNS", row.known}};
    EXPECT_EQ(world.Outcome(), row.want) << row.asked << " for " << row.known;
    for (const char* type : {"ExternalDNS", "Hostname", "InternalIP"}) {
      world.machines.front().addresses = {{type, row.known}};
      EXPECT_NE(world.Outcome(), kClientOk) << type;
    }
  }
}

TEST(Judge, ClientNodeMustNotExist) {
  struct Row {
    std::string node, want;
  };
  const std::string exists = "ignore client-node-exists";
  for (const Row& row : std::initializer_list<Row>{
           {"panda", exists}, {"PANDA", exists}, {"Panda", exists}, {"pandas", kClientOk}}) {
    FakeWorld world = FakeWorld::Client();
    world.nodes = {row.node};
    EXPECT_EQ(world.Outcome(), row.want) << row.node;
  }
}

TEST(Judge, ClientAskers) {
  const std::string other = "ignore client-not-bootstrapper";
  const auto groups = [](std::vector<std::string> list) {
    return [=](FakeWorld& w) { w.csr.groups = list; };
  };
  const std::string own = "system:serviceaccounts:openshift-machine-config-operator";
  const std::string all = "system:serviceaccounts";
  const std::string authenticated = "system:authenticated";
  Check(FakeWorld::Client,
        {{"other order", groups({authenticated, own, all}), kClientOk},
         {"one twice", groups({authenticated, own, all, all}), kClientOk},
         {"one missing", groups({authenticated, own}), other},
         {"one missing, one twice", groups({authenticated, own, own}), other},
         {"one more", groups({authenticated, own, all, "x"}), other},
         {"none", groups({}), other},
         {"another account", [](FakeWorld& w) { w.csr.username += "2"; }, other},
         {"a node", [](FakeWorld& w) { w.csr.username = "system:node:panda"; }, other},
         {"a token's owner, not enabled",
          [=](FakeWorld& w) {
            w.csr.username = "system:bootstrap:abcdef";
            w.csr.groups = {"system:bootstrappers", authenticated};
          },
          other}});
}

TEST(Judge, TokenOwnersNeedAnEntry) {
  const auto token = [] {
    FakeWorld w = FakeWorld::Client();
    w.policy.bootstrap_tokens = true;
    w.csr.username = "system:bootstrap:abcdef";
    w.csr.groups = {"system:bootstrappers", "system:authenticated"};
    w.machines.front().is_entry = true;
    w.machines.front().name = "panda";
    w.machines.front().source = "file";
    return w;
  };
  const std::string other = "ignore client-not-bootstrapper";
  Check(token,
        {{"entry", [](FakeWorld&) {}, kClientOk},
         {"long after", [](FakeWorld& w) { w.csr.created += 100'000'000; }, kClientOk},
         {"a Machine only", [](FakeWorld& w) { w.machines.front().is_entry = false; }, other},
         {"a Machine and then an entry",
          [](FakeWorld& w) {
            w.machines.insert(w.machines.begin(), w.machines.front());
            w.machines.front().is_entry = false;
            w.machines.front().name = "m";
          },
          kClientOk},
         {"not in the group", [](FakeWorld& w) { w.csr.groups = {"system:authenticated"}; }, other},
         {"no token's id", [](FakeWorld& w) { w.csr.username = "system:bootstrap:"; }, other},
         {"one-time, new", [](FakeWorld& w) { w.machines.front().one_time = true; }, kClientOk},
         {"one-time, used for this request",
          [](FakeWorld& w) {
            w.machines.front().one_time = true;
            w.machines.front().used_by = "uid-1";
          },
          kClientOk},
         {"one-time, used",
          [](FakeWorld& w) {
            w.machines.front().one_time = true;
            w.machines.front().used_by = "uid-0";
          },
          "ignore client-entry-used"},
         {"the name has a node", [](FakeWorld& w) { w.nodes = {"panda"}; },
          "ignore client-node-exists"}});
}

TEST(Judge, ClientWindow) {
  struct Row {
    Seconds after;
    std::string want;
  };
  const std::string outside = "ignore client-outside-time-window";
  for (const Row& row : std::initializer_list<Row>{{-11, outside},
                                                   {-10, outside},
                                                   {-9, kClientOk},
                                                   {0, kClientOk},
                                                   {7199, kClientOk},
                                                   {7200, outside},
                                                   {7201, outside}}) {
    FakeWorld world = FakeWorld::Client();
    world.csr.created = kMachineMade + row.after;
    EXPECT_EQ(world.Outcome(), row.want) << row.after;
  }
  FakeWorld world = FakeWorld::Client();
  world.csr.created = kNoTime;
  EXPECT_EQ(world.Outcome(), outside);
  world.machines.front().created = kNoTime;
  EXPECT_EQ(world.Outcome(), kClientOk);
}

TEST(Judge, ClientMachines) {
  const auto second = [](const Spoil& change) {
    return [=](FakeWorld& w) {
      FakeWorld other = FakeWorld::Client();
      other.machines.front().name = "second";
      change(other);
      w.machines.push_back(other.machines.front());
    };
  };
  const std::string owned = "ignore client-machine-has-noderef";
  Check(FakeWorld::Client,
        {{"none", [](FakeWorld& w) { w.machines.clear(); }, kNoMachine},
         {"unknown", [](FakeWorld& w) { w.machines_problem = "no answer"; },
          "retry machine-list-failed"},
         {"with a node", [](FakeWorld& w) { w.machines.front().node_ref = "x"; }, owned},
         {"with an empty nodeRef", [](FakeWorld& w) { w.machines.front().node_ref = ""; }, owned},
         {"being deleted", [](FakeWorld& w) { w.machines.front().deleting = true; },
          "retry client-machine-being-deleted"},
         {"two alike", second([](FakeWorld&) {}), kClientOk},
         {"the second has a node",
          second([](FakeWorld& w) { w.machines.front().node_ref = "other"; }), owned},
         {"the second has the node by nodeRef only", second([](FakeWorld& w) {
            w.machines.front().node_ref = "panda";
            w.machines.front().addresses.clear();
          }),
          owned},
         {"the second has the node in other case", second([](FakeWorld& w) {
            w.machines.front().node_ref = "PANDA";
            w.machines.front().addresses.clear();
          }),
          owned},
         {"the second is outside the window",
          second([](FakeWorld& w) { w.machines.front().created = 0; }), kClientOk},
         {"the first is outside the window",
          [&](FakeWorld& w) {
            second([](FakeWorld&) {})(w);
            w.machines.front().created = 0;
          },
          "ignore client-outside-time-window"},
         {"the first is being deleted",
          [&](FakeWorld& w) {
            second([](FakeWorld&) {})(w);
            w.machines.front().deleting = true;
          },
          "retry client-machine-being-deleted"},
         {"disabled", [](FakeWorld& w) { w.policy.client_disabled = true; },
          "retry client-flow-disabled"}});
}

TEST(Judge, ServingAskers) {
  const auto groups = [](std::vector<std::string> list) {
    return [=](FakeWorld& w) { w.csr.groups = list; };
  };
  Check(FakeWorld::Serving,
        {{"no prefix", [](FakeWorld& w) { w.csr.username = "panda"; }, kNotServing},
         {"prefix only", [](FakeWorld& w) { w.csr.username = "system:node:"; }, kNotServing},
         {"another node", [](FakeWorld& w) { w.csr.username = "system:node:bear"; },
          "ignore serving-cn-mismatch"},
         {"other case", [](FakeWorld& w) { w.csr.username = "system:node:Panda"; },
          "ignore serving-cn-mismatch"},
         {"one group", groups({"system:nodes"}), "ignore serving-too-few-groups"},
         {"no groups", groups({}), "ignore serving-too-few-groups"},
         {"nodes twice", groups({"system:nodes", "system:nodes"}), "ignore serving-group-missing"},
         {"not authenticated", groups({"system:nodes", "x"}), "ignore serving-group-missing"},
         {"more groups", groups({"a", "system:nodes", "system:authenticated"}), kServingOk}});
}

TEST(Judge, ServingMachines) {
  const auto first = [](const Spoil& change) {
    return [=](FakeWorld& w) {
      FakeWorld other = FakeWorld::Serving();
      change(other);
      w.machines.insert(w.machines.begin(), other.machines.front());
    };
  };
  Check(
      FakeWorld::Serving,
      {{"none", [](FakeWorld& w) { w.machines.clear(); }, kExhausted},
       {"without a node", [](FakeWorld& w) { w.machines.front().node_ref.reset(); }, kExhausted},
       {"of another node", [](FakeWorld& w) { w.machines.front().node_ref = "bear"; }, kExhausted},
       {"nodeRef in other case", [](FakeWorld& w) { w.machines.front().node_ref = "Panda"; },
        kExhausted},
       {"no addresses", [](FakeWorld& w) { w.machines.front().addresses.clear(); }, kExhausted},
       {"being deleted", [](FakeWorld& w) { w.machines.front().deleting = true; }, kExhausted},
       {"the first decides", first([](FakeWorld& w) { w.machines.front().addresses.clear(); }),
        kExhausted},
       {"two alike", first([](FakeWorld&) {}), kServingOk},
       {"the first is being deleted",
        first([](FakeWorld& w) { w.machines.front().deleting = true; }), kExhausted},
       {"network unknown",
        [](FakeWorld& w) {
          w.machines.clear();
          w.network = Network{.type = {}, .problem = "404"};
        },
        "retry serving-egress-lookup-failed"},
       {"clients disabled", [](FakeWorld& w) { w.policy.client_disabled = true; }, kServingOk}});
}

FakeWorld Renewing() {
  FakeWorld world = FakeWorld::Serving();
  world.machines.clear();
  world.has_ca = true;
  world.current =
      Dialled{.certificate = CurrentCertificate{.common_name = "system:node:panda",
                                                .names = {.dns = {"panda.local", "panda"},
                                                          .emails = {},
                                                          .uris = {},
                                                          .ips = {"fd00::1", "10.0.0.1"},
                                                          .others = {}},
                                                .chain_problem = {}},
              .problem = {}};
  return world;
}

TEST(Judge, Renewal) {
  const std::string ok = "approve serving-renewal-ok";
  const auto current = [](FakeWorld& w) -> CurrentCertificate& { return *w.current->certificate; };
  Check(
      Renewing,
      {{"the same names in another order", [](FakeWorld&) {}, ok},
       {"no bundle", [](FakeWorld& w) { w.has_ca = false; }, kExhausted},
       {"not dialled yet", [](FakeWorld& w) { w.current.reset(); }, "wants 1"},
       {"no answer", [](FakeWorld& w) { w.current = Dialled{.certificate = {}, .problem = "x"}; },
        kExhausted},
       {"not trusted", [&](FakeWorld& w) { current(w).chain_problem = "x"; }, kExhausted},
       {"of another node", [&](FakeWorld& w) { current(w).common_name = "system:node:x"; },
        kExhausted},
       {"a name more", [](FakeWorld& w) { w.request.names.push_back({0x82, "x"}); }, kExhausted},
       {"a name twice", [](FakeWorld& w) { w.request.names.push_back({0x82, "panda"}); },
        kExhausted},
       {"a name less", [](FakeWorld& w) { w.request.names.pop_back(); }, kExhausted},
       {"other case", [&](FakeWorld& w) { current(w).names.dns = {"Panda", "panda.local"}; },
        kExhausted},
       {"the same mail address on both sides",
        [&](FakeWorld& w) {
          current(w).names.emails = {"a@b"};
          w.request.names.push_back({0x81, "a@b"});
        },
        "ignore serving-san-kind"},
       {"weak key", [](FakeWorld& w) { w.request.key = FakeKey::kRsa1024; }, "ignore key-too-weak"},
       {"switched off", [](FakeWorld& w) { w.policy.renewal = Policy::Renewal::kOff; }, kExhausted},
       {"without machine, there is none",
        [](FakeWorld& w) { w.policy.renewal = Policy::Renewal::kWithoutMachine; }, ok},
       {"without machine, there is one that does not vouch",
        [](FakeWorld& w) {
          w.policy.renewal = Policy::Renewal::kWithoutMachine;
          w.machines = FakeWorld::Serving().machines;
          w.machines.front().addresses.clear();
        },
        kExhausted},
       {"the certificate comes first",
        [](FakeWorld& w) { w.machines = FakeWorld::Serving().machines; }, ok},
       {"the machine comes first where it is cheaper",
        [](FakeWorld& w) {
          w.policy.order = Policy::Order::kCheapest;
          w.machines = FakeWorld::Serving().machines;
          w.current.reset();
        },
        kServingOk}});
}

TEST(Judge, Egress) {
  const std::string ok = "approve serving-renewal-egress-ok";
  const auto world = [] {
    FakeWorld w = Renewing();
    w.request.names.push_back({0x87, std::string("\x63\0\1\1", 4)});  // 99.0.1.1
    w.network = Network{.type = "OpenShiftSDN", .problem = {}};
    w.host_subnet = Egress{.ips = {"99.0.1.1"}, .cidrs = {}, .problem = {}};
    return w;
  };
  const auto cidrs = [](std::vector<std::string> list) {
    return [=](FakeWorld& w) { w.host_subnet = Egress{.ips = {}, .cidrs = list, .problem = {}}; };
  };
  Check(
      world,
      {{"by address", [](FakeWorld&) {}, ok},
       {"by mapped address", [](FakeWorld& w) { w.host_subnet->ips = {"::ffff:99.0.1.1"}; }, ok},
       {"by range", cidrs({"99.0.1.0/24"}), ok},
       {"by range with host bits", cidrs({"99.0.1.77/24"}), ok},
       {"by exact range", cidrs({"99.0.1.1/32"}), ok},
       {"by mapped range", cidrs({"::ffff:99.0.1.0/120"}), ok},
       {"second range", cidrs({"1.0.0.0/8", "99.0.0.0/15"}), ok},
       {"outside", cidrs({"99.0.2.0/24"}), kExhausted},
       {"length 0", cidrs({"0.0.0.0/0"}), kExhausted},
       {"length 0 with host bits", cidrs({"99.0.1.1/0"}), kExhausted},
       {"all of IPv6", cidrs({"::/0"}), kExhausted},
       {"all mapped ones", cidrs({"::ffff:0:0/96"}), kExhausted},
       {"length 1", cidrs({"0.0.0.0/1"}), ok},
       {"no range", cidrs({"99.0.1.0"}), kExhausted},
       {"one of them unreadable", cidrs({"99.0.1.0/24", "x/8"}), kExhausted},
       {"too long", cidrs({"99.0.1.0/33"}), kExhausted},
       {"negative", cidrs({"99.0.1.0/-1"}), kExhausted},
       {"an address that cannot be read",
        [](FakeWorld& w) { w.host_subnet->ips = {"x", "99.0.1.1"}; }, ok},
       {"fewer addresses", [](FakeWorld& w) { w.request.names.erase(w.request.names.begin() + 2); },
        ok},
       {"another DNS name", [](FakeWorld& w) { w.request.names.push_back({0x82, "x"}); },
        kExhausted},
       {"no HostSubnet",
        [](FakeWorld& w) { w.host_subnet = Egress{.ips = {}, .cidrs = {}, .problem = "404"}; },
        kExhausted},
       {"not looked up", [](FakeWorld& w) { w.host_subnet.reset(); }, "wants 3"},
       {"network not looked up", [](FakeWorld& w) { w.network.reset(); }, "wants 2"},
       {"another network", [](FakeWorld& w) { w.network->type = "openshiftsdn"; }, kExhausted},
       {"no certificate",
        [](FakeWorld& w) { w.current = Dialled{.certificate = {}, .problem = "x"}; }, kExhausted}});
}

TEST(Judge, OvnEgressIps) {
  const auto world = [] {
    FakeWorld w = Renewing();
    w.request.names.push_back({0x87, std::string("\x63\0\1\1", 4)});
    w.network = Network{.type = "OVNKubernetes", .problem = {}};
    w.policy.ovn_egress = true;
    w.egress_ips = Egress{.ips = {"99.0.1.1"}, .cidrs = {}, .problem = {}};
    return w;
  };
  const auto by_machine = [](FakeWorld& w) {
    w.has_ca = false;
    w.current.reset();
    w.machines = FakeWorld::Serving().machines;
  };
  Check(world,
        {{"by certificate", [](FakeWorld&) {}, "approve serving-renewal-egress-ok"},
         {"by machine", by_machine, "approve serving-machine-egress-ok"},
         {"not the node's", [](FakeWorld& w) { w.egress_ips->ips = {"99.0.1.2"}; }, kExhausted},
         {"not looked up", [](FakeWorld& w) { w.egress_ips.reset(); }, "wants 4"},
         {"not enabled", [](FakeWorld& w) { w.policy.ovn_egress = false; }, kExhausted}});
}

TEST(InCidr, KnowsRanges) {
  EXPECT_EQ(InCidr("10.0.0.1", "10.0.0.0/31"), CidrVerdict::kInside);
  EXPECT_EQ(InCidr("10.0.0.2", "10.0.0.0/31"), CidrVerdict::kOutside);
  EXPECT_EQ(InCidr("2001:db8::5", "2001:db8::/64"), CidrVerdict::kInside);
  EXPECT_EQ(InCidr("10.0.0.1", "::/8"), CidrVerdict::kOutside);
  EXPECT_EQ(InCidr("::1", "0.0.0.0/1"), CidrVerdict::kOutside);
  for (const char* bad : {"", "/", "10.0.0.0/", "/8", "10.0.0/8", "10.0.0.0/8/8", "10.0.0.0/+8",
                          "::/129", "fe80::1%a/64"}) {
    EXPECT_EQ(InCidr("10.0.0.1", bad), CidrVerdict::kNoCidr) << bad;
  }
}

}  // namespace
}  // namespace approver
