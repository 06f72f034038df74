// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests, judged as the approver judges them: no input crashes, and no
// request that asks for more than a kubelet may have is approved.
#include "pki/request.h"

#include <string>
#include <string_view>
#include <vector>

#include "controller/config.h"
#include "fuzz.h"
#include "inventories/entries.h"
#include "judgement/judge.h"
#include "judgement/names.h"

namespace {

using fuzz::Require;

std::string Pem(std::string_view der) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "-----BEGIN CERTIFICATE REQUEST-----\n";
  for (std::size_t i = 0; i + 3 <= der.size(); i += 3) {
    const unsigned value = static_cast<unsigned char>(der[i]) << 16U |
                           static_cast<unsigned char>(der[i + 1]) << 8U |
                           static_cast<unsigned char>(der[i + 2]);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) {
      out += kDigits[value >> shift & 63U];
    }
  }
  return out + "\n-----END CERTIFICATE REQUEST-----\n";
}

void RequireGoodRequest(const pki::Request& request, std::string_view name) {
  Require(request.signature_holds && request.key_is_strong, "who is approved has a good key");
  Require(request.common_names == 1 && request.common_name == name,
          "who is approved has one name, its own");
  Require(
      request.names.emails.empty() && request.names.uris.empty() && request.names.others.empty(),
      "who is approved has DNS names and addresses only");
}

void TryServing(const judgement::ParsedRequest& request) {
  const judgement::Csr csr{.username = "system:node:panda",
                           .groups = {"system:nodes", "system:authenticated"},
                           .usages = {"digital signature", "server auth"},
                           .created = {}};
  const judgement::Machine machine{
      .node_ref = "panda", .addresses = {{"Hostname", "panda"}, {"InternalIP", "10.0.0.1"}}};
  judgement::Facts facts;
  facts.csr = &csr;
  facts.request = &request;
  facts.owning = {&machine};
  facts.network = "";
  const judgement::Verdict verdict = judgement::Judge(facts, {}, judgement::Detail::kAll);
  if (verdict.decision != judgement::Decision::kApprove) {
    return;
  }
  RequireGoodRequest(*request, csr.username);
  for (const std::string& name : request->names.dns) {
    Require(name.empty() || judgement::SameName(name, "panda"), "every DNS name is the machine's");
  }
  for (const std::string& ip : request->names.ips) {
    Require(ip == "10.0.0.1", "every address is the machine's");
  }
}

void TryClient(const judgement::ParsedRequest& request) {
  const judgement::Csr csr{
      .username = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
      .groups = {"system:serviceaccounts:openshift-machine-config-operator",
                 "system:serviceaccounts", "system:authenticated"},
      .usages = {"digital signature", "client auth"},
      .created = {}};
  const judgement::Machine machine{.created = {}, .addresses = {{"InternalDNS", "panda"}}};
  judgement::Facts facts;
  facts.csr = &csr;
  facts.request = &request;
  // Like the indexes: a machine is available only for a request that names its node.
  if (request && judgement::SameName(judgement::NodeOf(csr, *request), "panda")) {
    facts.named = {&machine};
  }
  facts.network = "";
  const judgement::Verdict verdict = judgement::Judge(facts, {}, judgement::Detail::kAll);
  if (verdict.decision != judgement::Decision::kApprove) {
    return;
  }
  RequireGoodRequest(*request, request->common_name);
  Require(judgement::SameName(judgement::NodeNameOf(request->common_name).value_or(""), "panda"),
          "only the machine's node is approved");
  Require(request->names.dns.empty() && request->names.ips.empty(),
          "a client certificate has no alternative names");
  Require(request->organizations == std::vector<std::string>{"system:nodes"},
          "who is approved is in the nodes' group only");
}

void TryRequest(std::string_view pem) {
  const judgement::ParsedRequest request = pki::ReadRequest(pem);
  TryServing(request);
  TryClient(request);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::Text(bytes, size);
  TryRequest(text);
  TryRequest(Pem(text));
  fuzz::Refused([&] { controller::ReadConfig(text); });
  fuzz::Refused([&] { inventories::ReadEntries(text, judgement::Source::kFile); });
  return 0;
}
