// SPDX-License-Identifier: Apache-2.0
// Hostile joins: each way in which a machine may get its certificates, with each attack on it. The
// table has the verdict and the reason for each combination. None is an approval.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "judgement/fake_cases.h"
#include "judgement/judge.h"

namespace judgement {
namespace {

using pki::FakeDigest;
using pki::FakeKey;

const std::string kNoNode = "ignore client-empty-node-name";
const std::string kNoLookup = "retry client-node-lookup-failed";
const std::string kOtherNode = "ignore client-token-of-another-node";
const std::string kUnbound = "retry client-token-not-bound";
const std::string kStranger = "ignore client-not-bootstrapper";
const std::string kOdd = "ignore name-not-canonical";
const std::string kSigner = "ignore signer-mismatch";
const std::string kForbidden = "ignore serving-name-forbidden";
const std::string kInFlight = "retry certificate-in-flight";

// A way to get a certificate, as a world in which the request is approved.
struct Way {
  std::string name;
  FakeWorld (*make)();
};

// An attack that is tried on each way: its change of the world, and the expected verdict. `but` has
// the other verdicts of some ways.
struct Attack {
  std::string name;
  Spoil spoil;
  std::string want;
  std::map<std::string, std::string> but = {};
};

Machine Entry(Source source) {
  return {.source = source,
          .api_group = {},
          .name = "panda",
          .node_ref = {},
          .addresses = {{"InternalDNS", "panda"}},
          .is_entry = true,
          .used_by = {},
          .provider_id = {}};
}

FakeWorld ByToken(Machine entry) {
  FakeWorld world = FakeWorld::Client();
  world.csr.username = "system:bootstrap:abcdef";
  world.csr.groups = {"system:bootstrappers", "system:authenticated"};
  world.machines = {std::move(entry)};
  world.policy.bootstrap_tokens = true;
  return world;
}

FakeWorld ByEntry() { return ByToken(Entry(Source::kFile)); }

FakeWorld ByQueriedEntry() {
  Machine entry = Entry(Source::kHttp);
  entry.created = kMachineMade;
  return ByToken(std::move(entry));
}

FakeWorld ByDns() { return ByToken(Entry(Source::kDns)); }

FakeWorld ByBoundToken() {
  Machine binding = Entry(Source::kTokens);
  binding.created = kMachineMade;
  binding.client_only = true;
  binding.token_id = "abcdef";
  FakeWorld world = ByToken(std::move(binding));
  world.policy.bound_tokens = true;
  return world;
}

const std::vector<Way> kFirstCertificates = {{"machine", FakeWorld::Client},
                                             {"entry", ByEntry},
                                             {"queried", ByQueriedEntry},
                                             {"dns", ByDns},
                                             {"bound", ByBoundToken}};

FakeWorld ServingBy(Source source) {
  FakeWorld world = FakeWorld::Serving();
  Machine entry = Entry(source);
  entry.addresses = world.machines.front().addresses;
  world.machines = {std::move(entry)};
  return world;
}

FakeWorld ServingByEntry() { return ServingBy(Source::kExec); }
FakeWorld ServingByDns() { return ServingBy(Source::kDns); }

const std::vector<Way> kServingCertificates = {{"machine", FakeWorld::Serving},
                                               {"entry", ServingByEntry},
                                               {"dns", ServingByDns},
                                               {"node", FakeWorld::NodeItself}};

Spoil Name(const std::string& name) {
  return [=](FakeWorld& w) { AskFor(w, name); };
}
Spoil User(const std::string& user) {
  return [=](FakeWorld& w) { w.csr.username = user; };
}
Spoil Groups(const std::vector<std::string>& groups) {
  return [=](FakeWorld& w) { w.csr.groups = groups; };
}
Spoil Usages(const std::vector<std::string>& usages) {
  return [=](FakeWorld& w) { w.csr.usages = usages; };
}
Spoil Signed(const std::string& signer) {
  return [=](FakeWorld& w) { w.csr.signer = signer; };
}
Spoil SubjectOf(const std::vector<std::string>& organizations,
                const std::vector<std::string>& names) {
  return [=](FakeWorld& w) { w.request.subject = Subject(organizations, names); };
}
Spoil AlternativeName(std::uint8_t tag, const std::string& content) {
  return [=](FakeWorld& w) { w.request.names.emplace_back(tag, content); };
}
Spoil Condition(const std::string& type) {
  return [=](FakeWorld& w) { w.csr.conditions = {{.type = type}}; };
}

// Names that a requester tries instead of panda.
std::vector<Attack> NameAttacks() {
  std::vector<Attack> attacks;
  for (const char* name : {"bear",
                           "pandas",
                           "pand",
                           "panda-1",
                           "a.panda",
                           "panda.a",
                           "panda..",
                           ".panda",
                           " panda",
                           "panda ",
                           "pan da",
                           "panda\t",
                           "panda\n",
                           "panda\r\n",
                           "pand\xD0\xB0",
                           "p\xC3\xA1nda",
                           "pan\xE2\x80\x8B"
                           "da",
                           "\xE2\x80\xAE"
                           "adnap",
                           "panda\x7F",
                           "*",
                           "panda*",
                           "?anda",
                           "pand[a]",
                           "system:node:panda",
                           "panda,O=system:masters",
                           "panda+CN=bear",
                           "panda\\",
                           "panda\"",
                           "panda'",
                           "panda;",
                           "panda|bear",
                           "panda,bear",
                           "localhost",
                           "kubernetes",
                           "127.0.0.1",
                           "10.0.0.1"}) {
    attacks.push_back(
        {std::string("name ") + name, Name(name), kNoMachine, {{"bound", kOtherNode}}});
  }
  for (const char* name :
       {".", "..", "a/b", "../panda", "panda/", "/panda", "panda%00", "%70anda"}) {
    attacks.push_back({std::string("name ") + name, Name(name), kNoLookup});
  }
  attacks.push_back(
      {"name with a NUL", Name(std::string("panda\0", 6)), kNoMachine, {{"bound", kOtherNode}}});
  attacks.push_back(
      {"long name", Name(std::string(1000, 'a')), kNoMachine, {{"bound", kOtherNode}}});
  attacks.push_back({"name in another encoding", Name("\xFFpanda"), "retry parse-error"});
  attacks.push_back({"no name", Name(""), kNoNode});
  for (const char* name : {"PANDA", "Panda", "panda."}) {
    attacks.push_back({std::string("name ") + name, Name(name), kOdd, {{"bound", kOtherNode}}});
  }
  return attacks;
}

std::vector<Attack> RequesterAttacks() {
  std::vector<Attack> attacks;
  for (const char* user :
       {"", "panda", "system:bootstrap", "system:bootstrap:", "System:bootstrap:abcdef",
        " system:bootstrap:abcdef", "system:bootstraps:abcdef", "system:node:panda",
        "system:node:bear", "system:admin", "system:anonymous", "kubernetes-admin",
        "system:serviceaccount:kube-system:default",
        "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper2",
        "system:serviceaccount:other:node-bootstrapper"}) {
    attacks.push_back({std::string("user ") + user, User(user), kStranger});
  }
  for (const std::vector<std::string>& groups : std::initializer_list<std::vector<std::string>>{
           {},
           {"system:authenticated"},
           {"system:bootstrappers"},
           {"system:masters"},
           {"System:Bootstrappers", "system:authenticated"},
           {"system:bootstrappers:kubeadm", "system:authenticated"},
           {"system:bootstrappers", "system:unauthenticated"},
           {"system:nodes", "system:authenticated"},
           {"system:serviceaccounts", "system:authenticated"}}) {
    attacks.push_back({"groups " + testing::PrintToString(groups), Groups(groups), kStranger});
  }
  attacks.push_back(
      {"another token",
       User("system:bootstrap:ghijkl"),
       kUnbound,
       {{"machine", kStranger}, {"entry", kClientOk}, {"queried", kClientOk}, {"dns", kClientOk}}});
  attacks.push_back(
      {"a longer token",
       User("system:bootstrap:abcdefg"),
       kUnbound,
       {{"machine", kStranger}, {"entry", kClientOk}, {"queried", kClientOk}, {"dns", kClientOk}}});
  return attacks;
}

// Requests whose content differs from a kubelet's first client request.
std::vector<Attack> ContentAttacks() {
  std::vector<Attack> attacks;
  const std::string sign = "digital signature";
  const std::string encipher = "key encipherment";
  for (const std::vector<std::string>& usages : std::initializer_list<std::vector<std::string>>{
           {},
           {"client auth"},
           {sign},
           {sign, encipher},
           {sign, encipher, "server auth"},
           {sign, encipher, "client auth", "server auth"},
           {sign, encipher, "client auth", "any"},
           {sign, encipher, "client auth", "cert sign"},
           {sign, encipher, "Client Auth"},
           {encipher, "client auth"},
           {sign, sign, "client auth"},
           {sign, encipher, "client auth", "client auth"}}) {
    attacks.push_back({"usages " + testing::PrintToString(usages), Usages(usages), kNotServing});
  }
  const std::string cn = "system:node:panda";
  const std::string nodes = "system:nodes";
  attacks.insert(
      attacks.end(),
      {{"group masters", SubjectOf({"system:masters"}, {cn}), kNotServing},
       {"two groups", SubjectOf({nodes, "system:masters"}, {cn}), kNotServing},
       {"no group", SubjectOf({}, {cn}), kNotServing},
       {"group in capitals", SubjectOf({"System:nodes"}, {cn}), kNotServing},
       {"group with a blank", SubjectOf({"system:nodes "}, {cn}), kNotServing},
       {"no prefix", SubjectOf({nodes}, {"panda"}), kNotServing},
       {"another prefix", SubjectOf({nodes}, {"system:nodes:panda"}), kNotServing},
       {"admin", SubjectOf({nodes}, {"kubernetes-admin"}), kNotServing},
       {"controller manager", SubjectOf({nodes}, {"system:kube-controller-manager"}), kNotServing},
       {"no common name", SubjectOf({nodes}, {}), kNotServing},
       {"two common names", SubjectOf({nodes}, {"system:node:bear", cn}),
        "ignore common-name-not-single"},
       {"a DNS name", AlternativeName(0x82, "panda"), kNotServing},
       {"the API server's name", AlternativeName(0x82, "kubernetes.default.svc"), kNotServing},
       {"an address", AlternativeName(0x87, std::string("\x0A\0\0\1", 4)), kNotServing},
       {"a mail address", AlternativeName(0x81, "a@b"), kNotServing},
       {"a URI", AlternativeName(0x86, "spiffe://a/b"), kNotServing},
       {"a directory name", AlternativeName(0xA4, pki::DerOf(0x30, "")), kNotServing}});
  for (const char* signer :
       {"kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client",
        "kubernetes.io/legacy-unknown", "kubernetes.io/kube-apiserver-client-kubelet ",
        "Kubernetes.io/kube-apiserver-client-kubelet", "example.com/signer"}) {
    attacks.push_back({std::string("signer ") + signer, Signed(signer), kSigner});
  }
  return attacks;
}

// Attacks on the request's encoding, key and signature; the same for both kinds of certificates.
std::vector<Attack> EncodingAttacks() {
  const auto pem = [](const std::string& before, const std::string& after) {
    return [=](FakeWorld& w) { w.pem = before + pki::FakeRequestPem(w.request) + after; };
  };
  const auto key = [](FakeKey kind) { return [=](FakeWorld& w) { w.request.key = kind; }; };
  const auto digest = [](FakeDigest kind) {
    return [=](FakeWorld& w) {
      w.request.key = FakeKey::kRsa2048;
      w.request.digest = kind;
    };
  };
  const std::string bad = "retry bad-pem";
  return {{"text before", pem("x\n", ""), bad},
          {"text after", pem("", "x"), bad},
          {"two blocks",
           [](FakeWorld& w) {
             w.pem = pki::FakeRequestPem(w.request) + pki::FakeRequestPem(w.request);
           },
           bad},
          {"another block first", pem("-----BEGIN X-----\n-----END X-----\n", ""), bad},
          {"no PEM", [](FakeWorld& w) { w.pem = "x"; }, bad},
          {"the label of a certificate",
           [](FakeWorld& w) { w.pem = pki::PemOf("CERTIFICATE", pki::FakeRequestDer(w.request)); },
           bad},
          {"no DER", [](FakeWorld& w) { w.pem = pki::PemOf("CERTIFICATE REQUEST", "x"); },
           "retry parse-error"},
          {"DER with more after it",
           [](FakeWorld& w) {
             w.pem = pki::PemOf("CERTIFICATE REQUEST", pki::FakeRequestDer(w.request) + "x");
           },
           "retry parse-error"},
          {"another's key", [](FakeWorld& w) { w.request.break_signature = true; },
           "ignore signature-invalid"},
          {"key P-224", key(FakeKey::kP224), "ignore key-too-weak"},
          {"key RSA 1024", key(FakeKey::kRsa1024), "ignore key-too-weak"},
          {"SHA-1", digest(FakeDigest::kSha1), "ignore digest-too-weak"},
          {"MD5", digest(FakeDigest::kMd5), "ignore digest-too-weak"},
          {"version 1", [](FakeWorld& w) { w.request.version = "\1"; }, "ignore version-not-zero"}};
}

// Replays, races of two requests of one machine, and states of the cluster.
std::vector<Attack> StateAttacks() {
  const auto in_flight = [](bool issued) {
    return [=](FakeWorld& w) {
      w.in_flight = {{.name = "csr-0", .created = w.csr.created, .issued = issued, .key_id = "k"}};
    };
  };
  const auto used = [](FakeWorld& w) {
    w.machines.front().one_time = true;
    w.machines.front().used_by = "another";
  };
  const auto created = [](int seconds) {
    return [=](FakeWorld& w) { w.csr.created = kMachineMade + std::chrono::seconds(seconds); };
  };
  const std::string outside = "ignore client-outside-time-window";
  return {
      {"the node exists", [](FakeWorld& w) { w.nodes = {"panda"}; }, "ignore client-node-exists"},
      {"the node exists in capitals", [](FakeWorld& w) { w.nodes = {"PANDA"}; },
       "ignore client-node-exists"},
      {"machines unknown", [](FakeWorld& w) { w.machines_problem = "inventory http: no"; },
       "retry machine-list-failed"},
      {"no machine", [](FakeWorld& w) { w.machines.clear(); }, kNoMachine, {{"bound", kUnbound}}},
      {"switched off", [](FakeWorld& w) { w.policy.client_disabled = true; },
       "retry client-flow-disabled"},
      {"another Machine has the node",
       [](FakeWorld& w) {
         Machine other = FakeWorld::Client().machines.front();
         other.name = "other";
         other.node_ref = "panda";
         w.machines.push_back(other);
       },
       "ignore client-machine-has-noderef"},
      {"withdrawn",
       [](FakeWorld& w) {
         w.policy.bound_tokens = true;
         w.machines.push_back(Entry(Source::kWithdrawn));
       },
       "retry node-withdrawn"},
      {"replay of a used entry", used, "ignore client-entry-used"},
      {"the second of two, the first approved", in_flight(false), kInFlight},
      {"the second of two, the first issued",
       in_flight(true),
       kInFlight,
       {{"entry", kClientOk},
        {"queried", kClientOk},
        {"dns", kClientOk}}},  // standing entries may be used again
      {"the first of two, a later one waits", [](FakeWorld& w) { w.newer = "csr-2"; },
       "retry client-superseded"},
      {"replay of an approved one", Condition("Approved"), "ignore already-approved"},
      {"replay of a denied one", Condition("Denied"), "ignore already-denied"},
      {"replay of a failed one", Condition("Failed"), "ignore already-failed"},
      {"too early",
       created(-10),
       outside,
       {{"entry", kClientOk}, {"dns", kClientOk}, {"bound", kClientOk}}},
      {"too late",
       created(7200),
       outside,
       {{"entry", kClientOk}, {"dns", kClientOk}, {"bound", kClientOk}}}};
}

// Attacks by a node that has its client certificate and requests a serving certificate.
std::vector<Attack> ServingAttacks() {
  std::vector<Attack> attacks;
  for (const char* name : {"kubernetes", "kubernetes.default", "kubernetes.default.svc",
                           "kubernetes.default.svc.cluster.local", "web.shop.svc", "localhost", "*",
                           "*.panda", "127.1", "0x7f.1", "2130706433", "ip6-localhost"}) {
    attacks.push_back({std::string("reserved ") + name, AlternativeName(0x82, name), kForbidden});
  }
  for (const char* name : {"bear", "pandas", "a.panda", "panda..", "panda "}) {
    attacks.push_back({std::string("other ") + name, AlternativeName(0x82, name), kExhausted});
  }
  for (const char* name : {"PANDA", "panda."}) {
    attacks.push_back({std::string("spelled ") + name, AlternativeName(0x82, name), kOdd});
  }
  attacks.push_back({"look-alike", AlternativeName(0x82, "pand\xD0\xB0"), "retry parse-error"});
  attacks.push_back({"empty name",
                     AlternativeName(0x82, ""),
                     "ignore name-empty",
                     {{"node", "retry serving-name-not-own"}}});
  const std::pair<const char*, std::string> forbidden[] = {
      {"unspecified", std::string(4, '\0')},
      {"broadcast", "\xFF\xFF\xFF\xFF"},
      {"multicast", std::string("\xE0\0\0\1", 4)},
      {"metadata service", "\xA9\xFE\xA9\xFE"},
      {"link-local", std::string("\xFE\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16)}};
  for (const auto& [name, address] : forbidden) {
    attacks.push_back({name, AlternativeName(0x87, address), kForbidden});
  }
  attacks.insert(
      attacks.end(),
      {{"another's address", AlternativeName(0x87, std::string("\x0A\0\0\2", 4)), kExhausted},
       {"an address of Services", AlternativeName(0x87, std::string("\x0A\x60\0\1", 4)),
        kExhausted},
       {"a URI", AlternativeName(0x86, "spiffe://a/b"), "ignore serving-san-kind"},
       {"a mail address", AlternativeName(0x81, "a@b"), "ignore serving-san-kind"},
       {"no name", [](FakeWorld& w) { w.request.names.clear(); }, "ignore serving-no-san"},
       {"another node's", User("system:node:bear"), "ignore serving-cn-mismatch"},
       {"a token's owner", User("system:bootstrap:abcdef"), kNotServing},
       {"the administrator", User("kubernetes-admin"), kNotServing},
       {"a user without a node", User("system:node:"), kNotServing},
       {"no groups", Groups({}), "ignore serving-too-few-groups"},
       {"not of the nodes", Groups({"system:authenticated", "x"}), "ignore serving-group-missing"},
       {"another common name", Name("bear"), "ignore serving-cn-mismatch"},
       {"group masters", SubjectOf({"system:nodes", "system:masters"}, {"system:node:panda"}),
        "ignore organization-not-exact"},
       {"for clients too",
        Usages({"digital signature", "key encipherment", "server auth", "client auth"}),
        "ignore serving-usage-count"},
       {"signer of clients", Signed("kubernetes.io/kube-apiserver-client-kubelet"), kSigner},
       {"nobody attests", [](FakeWorld& w) { w.machines.clear(); }, kExhausted},
       {"machines unknown", [](FakeWorld& w) { w.machines_problem = "no"; },
        "retry machine-list-failed"},
       {"the second of two",
        [](FakeWorld& w) {
          w.in_flight = {{.name = "csr-0", .created = w.csr.created, .key_id = "k"}};
        },
        kInFlight},
       {"replay of an approved one", Condition("Approved"), "ignore already-approved"},
       {"replay of a denied one", Condition("Denied"), "ignore already-denied"}});
  return attacks;
}

// Judges each attack on each way. Returns the number of refused cases.
std::size_t JudgeAll(const std::vector<Way>& ways, const std::vector<Attack>& attacks) {
  std::size_t refused = 0;
  for (const Way& way : ways) {
    EXPECT_EQ(way.make().Outcome().substr(0, 7), "approve") << way.name << " without an attack";
    std::set<std::string> names;
    for (const Attack& attack : attacks) {
      const auto other = attack.but.find(way.name);
      const std::string& want = other == attack.but.end() ? attack.want : other->second;
      FakeWorld world = way.make();
      attack.spoil(world);
      EXPECT_EQ(world.Outcome(), want) << way.name << ": " << attack.name;
      EXPECT_TRUE(names.insert(attack.name).second) << attack.name << " is there twice";
      refused += want.starts_with("approve") ? 0 : 1;
    }
  }
  return refused;
}

std::vector<Attack> Together(const std::vector<std::vector<Attack>>& lists) {
  std::vector<Attack> all;
  for (const std::vector<Attack>& list : lists) {
    std::ranges::copy(list, std::back_inserter(all));
  }
  return all;
}

TEST(HostileJoins, GetNoFirstCertificate) {
  EXPECT_GE(
      JudgeAll(kFirstCertificates, Together({NameAttacks(), RequesterAttacks(), ContentAttacks(),
                                             EncodingAttacks(), StateAttacks()})),
      400U);
}

TEST(HostileJoins, GetNoServingCertificate) {
  EXPECT_GE(JudgeAll(kServingCertificates, Together({ServingAttacks(), EncodingAttacks()})), 150U);
}

}  // namespace
}  // namespace judgement
