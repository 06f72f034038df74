// SPDX-License-Identifier: Apache-2.0
#include "proofs/endpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/texts.h"
#include "judgement/names.h"
#include "net/ip_address.h"
#include "node_identities/identities.h"
#include "pki/crypto.h"
#include "pki/request.h"
#include "pki/tpm_credential.h"

namespace proofs {
namespace {

using base::Error;
using judgement::Machine;
using Kind = Error::Kind;

constexpr int kOk = 200;
constexpr int kAccepted = 202;
constexpr int kMalformed = 400;
constexpr int kRefused = 403;
constexpr int kAgain = 409;
constexpr int kFailed = 503;
constexpr std::size_t kHashDigits = 40;  // in a request's name

http::ServerReply Reply(int status, const machine_identity::Answer& answer) {
  return {.status = status, .body = ToJson(answer) + "\n", .content_type = "application/json"};
}

http::ServerReply Message(int status, std::string text) {
  return Reply(status, {.certificate_pem = {}, .message = std::move(text)});
}

Wanted ReadWanted(const std::string& pem) {
  const auto request = pki::ReadRequest(pem);
  if (!request) {
    throw Error(Kind::kInvalid, "the certificate request cannot be read: " + request.error().text);
  }
  const auto node = judgement::NodeNameOf(request->common_name);
  if (!node) {
    throw Error(Kind::kInvalid, fmt::format("the certificate request must be for system:node:NAME, "
                                            "is for {}",
                                            base::Quoted(request->common_name)));
  }
  return {.node = *node, .key_id = request->key_id, .pem = pem};
}

// The name depends on the key and the node, so that a repeated question finds its request.
std::string RequestName(const Wanted& wanted) {
  const std::string hash = base::HexEncode(pki::Sha256(wanted.key_id + wanted.node));
  return "machine-" + hash.substr(0, kHashDigits);
}

void RequireOwnName(const Machine& machine, const std::string& node) {
  if (machine.name != node) {
    throw Error(Kind::kForbidden,
                fmt::format("the machine's node is {}, and the request is for {}. Join with "
                            "--node-name {}",
                            base::Quoted(machine.name), base::Quoted(node), machine.name));
  }
}

// Returns the status of an error of the question; std::nullopt for a failure of the approver.
std::optional<int> StatusOf(Kind kind) {
  switch (kind) {
    case Kind::kInvalid:
      return kMalformed;
    case Kind::kForbidden:
      return kRefused;
    case Kind::kConflict:
      return kAgain;
    default:
      return std::nullopt;
  }
}

// Calls a function that does not examine the machine. Its errors are failures of the approver,
// except for those of the kind `about_machine`.
template <typename Function>
auto ForMachine(const Function& call, std::optional<Kind> about_machine = std::nullopt) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.kind() == about_machine) {
      throw;
    }
    throw Error(Kind::kOther, error.message());
  }
}

// Returns the id of an endorsement key: judgement::Machine::endorsement_key.
std::string EndorsementKeyId(const pki::PublicKey& key) {
  return "sha256:" + base::HexEncode(pki::Sha256(key.Der()));
}

Claim ClaimOf(const machine_identity::Question& question, const Wanted& wanted) {
  return {
      .node = wanted.node,
      .key_id = wanted.key_id,
      .endorsement_key = EndorsementKeyId(pki::PublicKey::FromPem(question.endorsement_key_pem))};
}

// Returns the machine's IP addresses in canonical form.
json::Value AddressesOf(const Machine& machine) {
  json::Value addresses = json::Value::array();
  for (const judgement::Address& each : machine.addresses) {
    if (const auto address = net::IpAddress::Parse(each.address)) {
      addresses.push_back(address->Text());
    }
  }
  if (addresses.size() > node_identities::kMostIdentityAddresses) {
    throw Error(Kind::kForbidden,
                fmt::format("the machine has {} addresses, more than {}", addresses.size(),
                            node_identities::kMostIdentityAddresses));
  }
  return addresses;
}

// Returns the attributes of the user that the request is created as: the facts that the judgement
// uses (evidence/decode.h).
json::Value AttributesOf(const Machine& machine) {
  json::Value extra = {{std::string(node_identities::kIdentityNodeKey), {machine.name}}};
  if (machine.created != judgement::kNoTime) {
    extra[std::string(node_identities::kIdentityCreatedKey)] = {
        json::FormatRfc3339(machine.created)};
  }
  if (!machine.endorsement_key.empty()) {
    extra[std::string(node_identities::kIdentityEndorsementKey)] = {machine.endorsement_key};
  }
  if (json::Value addresses = AddressesOf(machine); !addresses.empty()) {
    extra[std::string(node_identities::kIdentityAddressesKey)] = std::move(addresses);
  }
  return extra;
}

json::Value RequestObject(const std::string& name, const Wanted& wanted) {
  return {{"apiVersion", "certificates.k8s.io/v1"},
          {"kind", "CertificateSigningRequest"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"request", base::Base64Encode(wanted.pem)},
            {"signerName", judgement::kClientSigner},
            {"usages", {"digital signature", "client auth"}}}}};
}

// Requires that an object was created by the endpoint for the same node and key. Another user could
// have created one of the same name. A repeated question has another signature of the same key.
void RequireOwn(const json::Value& object, const Wanted& wanted) {
  const json::Value& nodes =
      json::At(object, {"spec", "extra", std::string(node_identities::kIdentityNodeKey)});
  const auto request =
      pki::ReadRequest(base::Base64Decode(json::TextAt(object, {"spec", "request"})));
  if (json::TextAt(object, {"spec", "username"}) != node_identities::kProvenUser ||
      json::TextsIn(nodes) != std::vector{wanted.node} || !request ||
      request->key_id != wanted.key_id) {
    throw Error(Kind::kForbidden,
                fmt::format("certificate request {} is of another user", RequestName(wanted)));
  }
}

}  // namespace

http::ServerReply Endpoint::Answer(const http::ServerRequest& request) {
  if (request.path != machine_identity::kPath) {
    return Message(404, fmt::format("there is {}", machine_identity::kPath));
  }
  if (!request.body) {
    return Message(405, "questions are sent by POST");
  }
  try {
    return Handle(machine_identity::ReadQuestion(*request.body));
  } catch (const Error& error) {
    if (const auto status = StatusOf(error.kind())) {
      base::LogInfo(0, "a machine is refused: {}", error.message());
      return Message(*status, error.message());
    }
    if (error.kind() == Kind::kUnavailable) {
      return Message(kFailed, error.message());
    }
    base::LogWarning("a machine's proof could not be verified: {}", error.message());
    return Message(kFailed, "the approver could not verify the machine's proof; its log says why");
  }
}

std::optional<json::Value> Endpoint::Find(const std::string& name) const {
  return ForMachine([&] {
    return kube::Found(
        [&] { return deps_.workload.Do({.resource = kube::resources::kCsr, .name = name}, {}); });
  });
}

http::ServerReply Endpoint::Handle(const machine_identity::Question& question) {
  const Wanted wanted = ReadWanted(question.request_pem);
  const std::string name = RequestName(wanted);
  std::optional<json::Value> object = Find(name);
  if (!object && question.challenge.empty() && !question.endorsement_key_pem.empty()) {
    return ChallengeTpm(question, wanted);
  }
  if (!object) {
    object = Create(name, wanted, Prove(question, wanted));
  }
  if (!object) {
    throw Error(Kind::kConflict, "the request was created and deleted at the same time");
  }
  RequireOwn(*object, wanted);
  return StateOf(name, *object);
}

http::ServerReply Endpoint::ChallengeTpm(const machine_identity::Question& question,
                                         const Wanted& wanted) const {
  const Claim claim = ClaimOf(question, wanted);
  if (!deps_.lists_endorsement_key || !deps_.lists_endorsement_key(claim.endorsement_key)) {
    throw Error(Kind::kForbidden,
                fmt::format("no inventory lists the endorsement key {}", claim.endorsement_key));
  }
  const pki::TpmObject attestation_key =
      pki::ReadTpmObject(base::Base64Decode(question.attestation_key));
  if (!pki::IsAttestationKey(attestation_key)) {
    throw Error(Kind::kForbidden,
                "the attestation key is not a restricted signing key that the TPM has created");
  }
  Challenge challenge = challenges_.Issue(claim);
  const base::SecretText secret(std::move(challenge.secret));
  const std::string file = pki::CredentialFile(pki::ProtectCredential(
      pki::PublicKey::FromPem(question.endorsement_key_pem), attestation_key.name, secret));
  return Reply(kOk, {.certificate_pem = {},
                     .message = {},
                     .challenge = challenge.id,
                     .credential = base::Base64Encode(file)});
}

Machine Endpoint::MachineOfDocument(const std::string& document) {
  if (!documents_.try_acquire()) {
    throw Error(Kind::kUnavailable,
                "the approver verifies the documents of other machines at the moment");
  }
  const std::unique_ptr<decltype(documents_), decltype([](auto* slots) { slots->release(); })> slot(
      &documents_);
  return ForMachine([&] { return deps_.documents(document, {}); }, Kind::kForbidden);
}

Machine Endpoint::ProveByDocument(const std::string& document, const Wanted& wanted) {
  if (!deps_.documents) {
    throw Error(Kind::kForbidden, "this approver accepts no documents");
  }
  Machine machine = MachineOfDocument(document);
  RequireOwnName(machine, wanted.node);
  return machine;
}

Machine Endpoint::Prove(const machine_identity::Question& question, const Wanted& wanted) {
  if (!question.document.empty()) {
    return ProveByDocument(question.document, wanted);
  }
  if (question.challenge.empty()) {
    throw Error(Kind::kInvalid, "the question has neither a document nor the keys of a TPM");
  }
  const Claim claim = ClaimOf(question, wanted);
  const std::optional<bool> answered =
      challenges_.IsAnswered(question.challenge, claim, base::Base64Decode(question.secret));
  if (!answered) {
    throw Error(Kind::kConflict,
                "the challenge is unknown, has expired, or is for another request");
  }
  if (!*answered) {
    throw Error(Kind::kForbidden, "the TPM has not opened the challenge");
  }
  Machine machine{.name = wanted.node, .node_ref = {}, .addresses = {}};
  machine.endorsement_key = claim.endorsement_key;
  return machine;
}

std::optional<json::Value> Endpoint::Create(const std::string& name, const Wanted& wanted,
                                            const Machine& machine) const {
  const json::Value as = {{"as", node_identities::kProvenUser},
                          {"as-groups", {node_identities::kBoundTokenGroup}},
                          {"as-user-extra", AttributesOf(machine)}};
  try {
    json::Value object = ForMachine(
        [&] {
          return deps_.connect_as(as)->Do({.verb = kube::Verb::kCreate,
                                           .resource = kube::resources::kCsr,
                                           .body = RequestObject(name, wanted)},
                                          {});
        },
        Kind::kAlreadyExists);
    base::LogInfo(0, "created request {} for node {}, whose machine has proved its identity", name,
                  wanted.node);
    return object;
  } catch (const Error& error) {
    if (error.kind() != Kind::kAlreadyExists) {
      throw;
    }
    return Find(name);  // the same question, asked twice at a time
  }
}

http::ServerReply Endpoint::StateOf(const std::string& name, const json::Value& request) const {
  if (const std::string pem = json::TextAt(request, {"status", "certificate"}); !pem.empty()) {
    return Reply(kOk, {.certificate_pem = base::Base64Decode(pem), .message = {}});
  }
  const json::Value& conditions = json::At(request, {"status", "conditions"});
  const auto is_final = [](const json::Value& condition) {
    const std::string type = json::TextAt(condition, {"type"});
    return type == "Denied" || type == "Failed";
  };
  if (conditions.is_array() && std::ranges::any_of(conditions, is_final)) {
    return Message(kRefused, fmt::format("request {} was denied, or could not be signed", name));
  }
  const std::optional<judgement::Verdict> verdict = deps_.preview(name);
  if (!verdict || verdict->decision == judgement::Decision::kApprove) {
    return Message(kAccepted,
                   fmt::format("request {} waits for its approval and certificate", name));
  }
  const bool final = verdict->decision == judgement::Decision::kIgnore;
  return Message(final ? kRefused : kAccepted,
                 fmt::format("request {} is not approved: {}: {}", name, NameOf(verdict->reason),
                             verdict->message));
}

}  // namespace proofs
