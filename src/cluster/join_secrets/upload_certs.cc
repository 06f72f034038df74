// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/upload_certs.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "config/token.h"
#include "join_secrets/tokens.h"
#include "kube/objects.h"
#include "objects/rbac.h"

namespace join_secrets {
namespace {

using kube::resources::kSecret;

constexpr const char* kTokenDescription = "Proxy for managing TTL for the kubeadm-certs secret";

// Returns the Secret with its owner, the token's Secret. The garbage collector deletes it after its
// owner.
json::Value OwnedSecret(const certs::Sealed& files, const json::Value& owner) {
  json::Value secret = kube::Secret({kube::kSystemNamespace, kCertsSecret}, {});
  for (const auto& [key, sealed] : files) {
    secret["data"][key] = sealed ? json::Value(base::Base64Encode(*sealed)) : json::Value();
  }
  secret["metadata"]["ownerReferences"] =
      json::Value::array({{{"apiVersion", "v1"},
                           {"kind", "Secret"},
                           {"name", json::TextAt(owner, {"metadata", "name"})},
                           {"uid", json::TextAt(owner, {"metadata", "uid"})},
                           {"controller", true},
                           {"blockOwnerDeletion", true}}});
  return secret;
}

certs::Sealed SealedIn(const json::Value& secret) {
  certs::Sealed sealed;
  const json::Value data = secret.value("data", json::Value::object());
  for (const auto& [entry, value] : data.items()) {
    const std::string content = base::WithContext(
        fmt::format("entry \"{}\" of Secret \"{}\"", entry, kCertsSecret),
        [&] { return base::Base64Decode(value.is_string() ? value.get<std::string>() : ""); });
    sealed[entry] = content.empty() ? std::nullopt : std::optional(content);
  }
  return sealed;
}

}  // namespace

void UploadCertificates(kube::Client& client, const certs::Sealed& files,
                        const UploadOptions& options) {
  const config::BootstrapToken token{
      .token = options.token, .description = kTokenDescription, .ttl = kCertsLifetime};
  join_secrets::PutToken(client, token, options.now, join_secrets::IfExists::kUpdate);
  json::Value owner;
  client.Retry("", [&] {
    owner = client.Get({kSecret, kube::kSystemNamespace,
                        join_secrets::TokenSecretName(config::TokenId(options.token))});
  });
  client.CreateOrUpdate(kSecret, OwnedSecret(files, owner));
  objects::ApplyRbac(client,
                     objects::ReadOneRows(
                         {.name = "kubeadm:kubeadm-certs",
                          .name_space = kube::kSystemNamespace,
                          .resource = "secrets",
                          .object = kCertsSecret,
                          .subjects = {{.kind = "Group", .name = objects::kBootstrappersGroup}}}));
}

certs::Sealed DownloadCertificates(kube::Client& client) {
  json::Value secret;
  try {
    client.Retry(fmt::format("could not read Secret \"{}\"", kCertsSecret),
                 [&] { secret = client.Get({kSecret, kube::kSystemNamespace, kCertsSecret}); });
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kNotFound &&
        error.kind() != base::Error::Kind::kForbidden) {
      throw;
    }
    throw base::Error(
        error.kind(),
        fmt::format("{}; it is deleted two hours after an upload: run \"kubeadm init phase "
                    "upload-certs --upload-certs\" on a node of the control plane, and join with "
                    "the certificate key that it prints",
                    error.message()));
  }
  return SealedIn(secret);
}

}  // namespace join_secrets
