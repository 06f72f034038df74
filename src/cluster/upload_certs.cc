#include "cluster/upload_certs.h"

#include "base/strings.h"
#include "cluster/objects.h"
#include "cluster/rbac.h"
#include "cluster/tokens.h"
#include "config/token.h"

namespace cluster {
namespace {

using data::Json;
using kube::resources::kSecret;

constexpr const char* kTokenDescription = "Proxy for managing TTL for the kubeadm-certs secret";

// OwnedSecret is deleted by the garbage collector when the token's Secret is gone.
Json OwnedSecret(const certs::Sealed& files, const Json& owner) {
  Json secret = Secret({kSystemNamespace, kCertsSecret}, {});
  for (const auto& [key, sealed] : files) {
    secret["data"][key] = sealed ? Json(base::Base64Encode(*sealed)) : Json();
  }
  secret["metadata"]["ownerReferences"] =
      Json::array({{{"apiVersion", "v1"},
                    {"kind", "Secret"},
                    {"name", data::TextAt(owner, {"metadata", "name"})},
                    {"uid", data::TextAt(owner, {"metadata", "uid"})},
                    {"controller", true},
                    {"blockOwnerDeletion", true}}});
  return secret;
}

}  // namespace

void UploadCertificates(kube::Client& client, const certs::Sealed& files,
                        const UploadOptions& options) {
  const config::BootstrapToken token{
      .token = options.token, .description = kTokenDescription, .ttl = kCertsLifetime};
  PutToken(client, token, options.now, IfExists::kUpdate);
  Json owner;
  client.Retry("", [&] {
    owner = client.Get(kSecret, std::string(kSystemNamespace),
                       TokenSecretName(config::TokenId(options.token)));
  });
  client.CreateOrUpdate(kSecret, OwnedSecret(files, owner));
  ApplyRbac(client, ReadOneRows({.name = "kubeadm:kubeadm-certs",
                                 .name_space = kSystemNamespace,
                                 .resource = "secrets",
                                 .object = kCertsSecret,
                                 .subjects = {{.kind = "Group", .name = kBootstrappersGroup}}}));
}

}  // namespace cluster
