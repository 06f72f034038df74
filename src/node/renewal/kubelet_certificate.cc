// SPDX-License-Identifier: Apache-2.0
#include "renewal/kubelet_certificate.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "config/paths.h"
#include "host/link.h"
#include "kube/kubeconfig.h"
#include "kubeconfigs/load.h"

namespace renewal {
namespace {

namespace fs = host::fs;
using base::Error;
using kube::resources::kCsr;

constexpr std::string_view kNodePrefix = "system:node:";

fs::path ConfPath() { return fs::path(config::kKubernetesDir) / config::kKubeletConf; }

json::Value RequestObject(const CertificateRequest& request, const pki::PrivateKey& key) {
  const std::string pem = pki::NewRequest(request.subject, {}, key);
  return {{"apiVersion", "certificates.k8s.io/v1"},
          {"kind", "CertificateSigningRequest"},
          {"metadata", {{"name", request.name}}},
          {"spec",
           {{"request", base::Base64Encode(pem)},
            {"signerName", "kubernetes.io/kube-apiserver-client-kubelet"},
            {"usages", {"digital signature", "client auth"}}}}};
}

// Returns why a request will never get a certificate.
std::string RefusalIn(const json::Value& object) {
  const json::Value& conditions = json::At(object, {"status", "conditions"});
  for (const json::Value& condition : conditions.is_array() ? conditions : json::Value::array()) {
    const std::string type = json::TextAt(condition, {"type"});
    if (type == "Denied" || type == "Failed") {
      return fmt::format("{}: {}", type, json::TextAt(condition, {"message"}));
    }
  }
  return "";
}

// Saves the pair in the kubelet's form. A kubelet stores each pair in a file of its own,
// "kubelet-client-2026-01-31-23-59-59.pem". "kubelet-client-current.pem" is a link to the newest of
// these files. If it is a plain file instead, the kubelet refuses to rotate (client-go,
// util/certificate).
void SaveRotated(host::Files& files, const fs::path& current, const pki::KeyPair& pair) {
  const base::SecretText text(pair.certificate.Pem() + pair.key.Pem());
  const std::string name = current.filename().string();
  const std::string_view end = "current.pem";
  const auto info = files.Stat(current);
  if (!name.ends_with(end) || (info && info->kind == host::FileInfo::Kind::kLink)) {
    files.Write(current, text, {.mode = 0600});
    return;
  }
  const fs::path dated =
      current.parent_path() / fmt::format("{}{:%Y-%m-%d-%H-%M-%S}.pem",
                                          name.substr(0, name.size() - end.size()),
                                          pair.certificate.not_before());
  files.Write(dated, text, {.mode = 0600});
  host::ReplaceByLink(files, current, dated.filename());
}

}  // namespace

std::string KubeletClient::Node() const {
  return certificate.subject().common_name.substr(kNodePrefix.size());
}

KubeletClient FindKubeletClient(const host::Files& files) {
  const kube::Kubeconfig config = kubeconfigs::LoadKubeconfig(files, ConfPath());
  const kube::Kubeconfig raw = kube::Kubeconfig::Parse(files.Read(ConfPath()));
  const kube::KubeconfigUser* user = config.CurrentUser();
  return base::WithContext(ConfPath().string(), [&] {
    if (user == nullptr || user->client_certificate_data.empty()) {
      throw Error(Error::Kind::kInvalid, "it has no client certificate");
    }
    KubeletClient client{.certificate = pki::Certificate::FromPem(user->client_certificate_data),
                         .file = raw.CurrentUser()->client_certificate};
    if (const std::string name = client.certificate.subject().common_name;
        !name.starts_with(kNodePrefix)) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("its client certificate is that of {}, which is not a node",
                              base::Quoted(name)));
    }
    return client;
  });
}

void SaveKubeletClient(host::Files& files, const KubeletClient& client, const pki::KeyPair& pair) {
  if (!client.file.empty()) {
    SaveRotated(files, ConfPath().parent_path() / client.file, pair);
    return;
  }
  kube::Kubeconfig config = kube::Kubeconfig::Parse(files.Read(ConfPath()));
  kube::KubeconfigUser& user = config.users.at(config.CurrentContext()->user);
  user.client_certificate_data = pair.certificate.Pem();
  user.client_key_data = pair.key.Pem();
  files.Write(ConfPath(), base::SecretText(config.Text()), {.mode = 0600});
}

pki::KeyPair RequestKubeletCertificate(kube::Client& client, const CertificateRequest& request) {
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  client.Retry("could not ask for a certificate",
               [&] { client.Create(kCsr, RequestObject(request, key)); });
  if (request.say) {
    request.say(fmt::format("Asked for a certificate for the kubelet: request {}", request.name));
  }
  std::string pem;
  const kube::Probe signed_probe = [&](const std::stop_token&) -> std::optional<kube::NotYet> {
    json::Value object;
    client.Retry("", [&] { object = client.Get({kCsr, "", request.name}); });
    if (const std::string refusal = RefusalIn(object); !refusal.empty()) {
      throw Error(Error::Kind::kForbidden,
                  fmt::format("request {} got no certificate: {}", request.name, refusal));
    }
    pem = base::Base64Decode(json::TextAt(object, {"status", "certificate"}));
    if (!pem.empty()) {
      return std::nullopt;
    }
    return kube::NotYet{
        fmt::format("request {} has not been approved and signed; to approve it: "
                    "kubectl certificate approve {}",
                    request.name, request.name)};
  };
  kube::WaitUntil(signed_probe, request.waiting);
  return {pki::Certificate::FromPem(pem), key};
}

}  // namespace renewal
