// SPDX-License-Identifier: Apache-2.0
// The messages with which a joining machine proves its identity to the approver's endpoint, and
// gets its first client certificate. One POST of a Question is answered by one Answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace machine_identity {

inline constexpr std::string_view kPath = "/v1alpha1/identity";
inline constexpr int kPort = 9193;
// The size limit of a question in bytes. A document of a cloud has a few kilobytes.
inline constexpr std::size_t kLargestQuestion = std::size_t{64} << 10U;

// The name in the endpoint's certificate, whatever its address is. The approver approves no name
// with the label "svc" for a kubelet (approver.md). So no node can pretend to be the endpoint with
// its serving certificate, which has the same CA.
inline constexpr std::string_view kServerName = "machine-approver.slipway.svc";

// A request for the client certificate of a node, with the proof of the machine's identity.
struct Question {
  std::string request_pem;  // PKCS #10, of the name system:node:NAME
  std::string document;     // the cloud's signed document of the machine
  // Instead of a document, the keys of the machine's TPM: the endorsement key in PEM, and the
  // public area of the attestation key (TPM2B_PUBLIC) in base64.
  std::string endorsement_key_pem = {};
  std::string attestation_key = {};
  // The id of the challenge that the endpoint has sent for these keys, and the secret in it,
  // base64.
  std::string challenge = {};
  std::string secret = {};
};

// The endpoint's answer. Its HTTP status says which members are set: 200 the certificate or a
// challenge, 202 and every error the message.
struct Answer {
  std::string certificate_pem;
  std::string message;  // why the certificate is refused, or not issued yet
  // The id of a challenge, and the credential that only the TPM can open: base64 of the file that
  // tpm2_activatecredential reads.
  std::string challenge = {};
  std::string credential = {};
};

// Conversions to and from JSON. The readers throw base::Error(kInvalid) for anything but an object
// with exactly the known fields, each of them text.
std::string ToJson(const Question& question);
std::string ToJson(const Answer& answer);
Question ReadQuestion(std::string_view text);
Answer ReadAnswer(std::string_view text);

}  // namespace machine_identity
