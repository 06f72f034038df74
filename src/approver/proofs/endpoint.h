// SPDX-License-Identifier: Apache-2.0
// The approver's endpoint for machines that join without a shared secret: turns the proof of a
// machine's identity into a certificate request for its node (docs/adr/0012-machine-identities.md).
// The endpoint approves nothing: the controller judges its requests like all others.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>

#include "host/clock.h"
#include "http/server.h"
#include "inventories/query.h"
#include "json/value.h"
#include "judgement/judge.h"
#include "kube/client.h"
#include "machine_identity/messages.h"
#include "proofs/challenges.h"

namespace proofs {

// Dependencies of Endpoint, which must outlive it.
struct Deps {
  // Returns the machine of a cloud's document; not set: documents are refused.
  inventories::DocumentQuery documents;
  // Returns whether an inventory lists an endorsement key; not set: TPMs are refused.
  std::function<bool(const std::string& key)> lists_endorsement_key;
  // Connects as another user: `as` has the fields of a kubeconfig's user for impersonation.
  std::function<std::unique_ptr<kube::Transport>(const json::Value& as)> connect_as;
  // The approver's own connection, which reads requests.
  kube::Transport& workload;
  // Returns the present verdict on a pending request; std::nullopt before it is judged.
  std::function<std::optional<judgement::Verdict>(const std::string& request)> preview;
  // Returns the secret for challenges, which all replicas share (challenges.h).
  std::function<std::string()> challenge_key;
  const host::Clock& clock;
};

// The certificate request of a question, checked as far as the endpoint needs it.
struct Wanted {
  std::string node;
  std::string key_id;  // pki::Request
  std::string pem;
};

// Thread-safe.
class Endpoint {
 public:
  // The number of documents that are verified at a time. The other threads answer other requests.
  // The server accepts fewer requests than this from one address.
  static constexpr int kMostDocuments = 6;

  explicit Endpoint(Deps deps)
      : deps_(std::move(deps)), challenges_(deps_.clock, deps_.challenge_key) {}

  // Answers a question (machine_identity/messages.h) with status
  //   200 and a challenge for a TPM, or the certificate once it is issued. The same question may be
  //   repeated until then. A question whose request exists needs no proof, because only its state
  //   is read; 202 while the request is pending, with the reason; 400 for a malformed question, 404
  //   and 405 for another path or method; 403 if the proof or the request is refused for good; 409
  //   if the challenge is unknown or expired: the machine needs another one; 503 if the approver
  //   itself has failed, or verifies kMostDocuments other documents.
  http::ServerReply Answer(const http::ServerRequest& request);

 private:
  // Returns the answer to a well-formed question. Throws base::Error: kInvalid or kForbidden for
  // the question, other kinds for failures of the approver.
  http::ServerReply Handle(const machine_identity::Question& question);
  // Returns the machine that the question proves, which is the node's.
  judgement::Machine Prove(const machine_identity::Question& question, const Wanted& wanted);
  judgement::Machine ProveByDocument(const std::string& document, const Wanted& wanted);
  judgement::Machine MachineOfDocument(const std::string& document);
  // Returns a challenge for the TPM of the question.
  http::ServerReply ChallengeTpm(const machine_identity::Question& question,
                                 const Wanted& wanted) const;
  // Returns the request of that name.
  std::optional<json::Value> Find(const std::string& name) const;
  std::optional<json::Value> Create(const std::string& name, const Wanted& wanted,
                                    const judgement::Machine& machine) const;
  http::ServerReply StateOf(const std::string& name, const json::Value& request) const;

  const Deps deps_;
  const Challenges challenges_;
  std::counting_semaphore<kMostDocuments> documents_{kMostDocuments};
};

}  // namespace proofs
