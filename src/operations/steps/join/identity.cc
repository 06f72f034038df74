// SPDX-License-Identifier: Apache-2.0
#include "steps/join/identity.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "machine_identity/client.h"
#include "net/host_port.h"
#include "net/url.h"
#include "pki/certificate.h"
#include "pki/key.h"
#include "steps/join/tpm.h"

namespace join_steps {
namespace {

using base::Error;

constexpr const char* kClusterName = "kubernetes";

// The machine's key, and its certificate if it was issued.
struct Identity {
  pki::PrivateKey key;
  std::optional<pki::Certificate> certificate;
};

std::string UserOf(const std::string& node) { return "system:node:" + node; }

std::string EndpointOf(const IdentityLogin& login) {
  const std::string& given = login.proof.endpoint;
  if (given.empty()) {
    const auto url = net::Url::Parse(login.cluster.server);
    if (!url || url->host.empty()) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("the cluster's server {} names no host; name the approver's endpoint "
                              "with --identity-endpoint",
                              base::Quoted(login.cluster.server)));
    }
    return net::JoinHostPort(url->host, machine_identity::kPort);
  }
  const auto endpoint = net::HostPort::ParsePortOptional(given);
  if (!endpoint || endpoint->host.empty() || (!endpoint->port.empty() && !endpoint->PortNumber())) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the approver's endpoint must be a host, or a host and a port, is {} "
                            "(--identity-endpoint)",
                            base::Quoted(given)));
  }
  return net::JoinHostPort(endpoint->host,
                           endpoint->PortNumber().value_or(machine_identity::kPort));
}

void Save(const Identity& identity, host::Files& files) {
  const std::filesystem::path path = kIdentityFile;
  files.MakeDirectories(path.parent_path(), 0700);
  files.Write(path, identity.key.Pem() + (identity.certificate ? identity.certificate->Pem() : ""),
              {.mode = 0600, .keep_mode = false});
}

// Loads what an interrupted join has left. Throws base::Error(kInvalid) for a damaged file: a new
// key would get no certificate while the approver has requests of the old one.
std::optional<Identity> Load(const host::Files& files) {
  const std::optional<std::string> text = files.Find(kIdentityFile);
  if (!text) {
    return std::nullopt;
  }
  try {
    Identity identity{.key = pki::PrivateKey::FromPem(*text), .certificate = std::nullopt};
    if (text->find("BEGIN CERTIFICATE") != std::string::npos) {
      identity.certificate = pki::Certificate::FromPem(*text);
    }
    return identity;
  } catch (const Error& error) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the machine's key of an interrupted join is damaged: {}: {}. Remove "
                            "the file to join with a new key. The approver can refuse a new key "
                            "for up to an hour after it has approved the previous one",
                            kIdentityFile, error.message()));
  }
}

// Returns why a certificate is not the machine's login to the cluster; std::nullopt if it is.
std::optional<std::string> Flaw(const pki::Certificate& certificate, const pki::PrivateKey& key,
                                const IdentityLogin& login, const host::Clock& clock) {
  if (!(certificate.public_key() == key.Public())) {
    return "it is of another key";
  }
  if (certificate.subject().common_name != UserOf(login.node)) {
    return fmt::format("it is of {}", base::Quoted(certificate.subject().common_name));
  }
  return pki::ChainProblem(certificate,
                           pki::Certificate::ChainFromPem(login.cluster.certificate_authority_data),
                           {.now = clock.NowSeconds()});
}

// Sends the document, or the keys of the TPM, which then opens the endpoint's challenge.
std::string RequestByProof(const pki::PrivateKey& key, const std::string& endpoint,
                           const IdentityLogin& login, host::Host& host,
                           workflow::Context& context) {
  machine_identity::Question question{
      .request_pem = pki::NewRequest(
          {.common_name = UserOf(login.node), .organizations = {"system:nodes"}}, {}, key),
      .document = login.proof.document};
  std::optional<Tpm> tpm;
  if (question.document.empty()) {
    tpm.emplace(host, context.Stop());
    question.endorsement_key_pem = tpm->endorsement_key_pem();
    question.attestation_key = base::Base64Encode(tpm->attestation_key());
  }
  return machine_identity::RequestCertificate(
      {.clock = host.clock,
       .host_port = endpoint,
       .ca_pem = login.cluster.certificate_authority_data,
       .limit = std::chrono::duration_cast<std::chrono::milliseconds>(login.limit),
       .stop = context.Stop(),
       .progress = [&](const std::string& text) { context.Progress(text); },
       .respond =
           [&](const machine_identity::Answer& challenge, machine_identity::Question& response) {
             response.challenge = challenge.challenge;
             response.secret = base::Base64Encode(
                 base::SecretText(tpm.value().Open(base::Base64Decode(challenge.credential))));
           }},
      question);
}

pki::Certificate Request(const pki::PrivateKey& key, const IdentityLogin& login, host::Host& host,
                         workflow::Context& context) {
  const std::string endpoint = EndpointOf(login);
  context.Print(
      fmt::format("[identity] Requesting the certificate of node {} from the approver at {}",
                  base::Quoted(login.node), endpoint));
  context.Progress("waiting for the machine's certificate");
  const std::string pem = RequestByProof(key, endpoint, login, host, context);
  pki::Certificate certificate = pki::Certificate::FromPem(pem);
  if (const auto flaw = Flaw(certificate, key, login, host.clock)) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("the certificate from the approver at {} cannot be used: {}", endpoint, *flaw));
  }
  return certificate;
}

}  // namespace

kube::Kubeconfig LoginByIdentity(const IdentityLogin& login, host::Host& host,
                                 workflow::Context& context) {
  Identity identity = Load(host.files)
                          .value_or(Identity{.key = pki::PrivateKey::Generate(
                                                 pki::Algorithm::kEcdsaP256, context.Stop()),
                                             .certificate = std::nullopt});
  if (!identity.certificate || Flaw(*identity.certificate, identity.key, login, host.clock)) {
    identity.certificate.reset();
    Save(identity, host.files);  // before the request: the key must survive a crash
    identity.certificate = Request(identity.key, login, host, context);
    Save(identity, host.files);
  }
  const std::string user = UserOf(login.node);
  const std::string name = fmt::format("{}@{}", user, kClusterName);
  kube::Kubeconfig config;
  config.clusters[kClusterName] = login.cluster;
  config.users[user] = {.client_certificate_data = identity.certificate->Pem(),
                        .client_key_data = identity.key.Pem()};
  config.contexts[name] = {.cluster = kClusterName, .user = user};
  config.current_context = name;
  return config;
}

}  // namespace join_steps
