// SPDX-License-Identifier: Apache-2.0
#include "discovery/cluster_info.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/strings.h"
#include "config/token.h"
#include "json/rfc3339.h"
#include "pki/crypto.h"

namespace discovery {
namespace {

constexpr std::string_view kSignaturePrefix = "jws-kubeconfig-";

// Returns whether a client has written signatures, according to the object's managed fields
// (kubernetes.io/docs, "Field management"). Returns true if one of these entries lists a signature,
// or belongs to kube-controller-manager.
bool SignaturesWereManaged(const json::Value& object) {
  for (const json::Value& entry : json::At(object, {"metadata", "managedFields"})) {
    for (const auto& [field, value] : json::At(entry, {"fieldsV1", "f:data"}).items()) {
      if (field.starts_with(fmt::format("f:{}", kSignaturePrefix))) {
        return true;
      }
    }
    if (json::TextAt(entry, {"manager"}) == "kube-controller-manager") {
      return true;
    }
  }
  return false;
}

// Returns the base64 data after a field's name: `: DATA`, `": "DATA"`.
std::string_view DataAfterName(std::string_view text) {
  constexpr std::string_view kBetween = "\"': ";
  constexpr std::string_view kBase64 =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  text.remove_prefix(std::min(text.find_first_not_of(kBetween), text.size()));
  return text.substr(0, text.find_first_not_of(kBase64));
}

std::vector<pki::Certificate> CertificatesIn(std::string_view base64) {
  try {
    return pki::Certificate::ChainFromPem(base::Base64Decode(base64));
  } catch (const base::Error&) {
    return {};
  }
}

}  // namespace

std::optional<ClusterInfo> ClusterInfo::Read(const json::Value& object) {
  const json::Value& data = json::At(object, {"data"});
  if (json::TextAt(object, {"kind"}) != "ConfigMap" || !(data.is_object() || data.is_null())) {
    return std::nullopt;
  }
  ClusterInfo info{.kubeconfig = json::TextAt(data, {"kubeconfig"})};
  for (const auto& [key, value] : data.items()) {
    if (key.starts_with(kSignaturePrefix) && value.is_string()) {
      info.signatures[key.substr(kSignaturePrefix.size())] = value.get<std::string>();
    }
  }
  info.created = json::ParseRfc3339(json::TextAt(object, {"metadata", "creationTimestamp"}));
  info.signer_seen = !info.signatures.empty() || SignaturesWereManaged(object);
  return info;
}

std::optional<std::string> SignatureProblem(const ClusterInfo& info, std::string_view token) {
  const std::string id = config::TokenId(token);
  const auto found = info.signatures.find(id);
  if (found == info.signatures.end()) {
    return fmt::format("cluster-info has no JWS signature for token ID \"{}\"", id);
  }
  const std::string expected = pki::DetachedJws(id, config::TokenSecret(token), info.kubeconfig);
  if (!pki::ConstantTimeEqual(found->second, expected)) {
    return fmt::format(
        "cluster-info's JWS signature for token ID \"{}\" was made with another "
        "secret than this token's",
        id);
  }
  return std::nullopt;
}

std::vector<pki::Certificate> PublishedCas(std::string_view kubeconfig) {
  constexpr std::string_view kName = "certificate-authority-data";
  constexpr std::size_t kLongest = std::size_t{64} << 10;
  std::vector<pki::Certificate> cas;
  if (kubeconfig.size() > kLongest) {
    return cas;
  }
  for (std::size_t at = kubeconfig.find(kName); at != std::string_view::npos;
       at = kubeconfig.find(kName)) {
    kubeconfig.remove_prefix(at + kName.size());
    std::ranges::move(CertificatesIn(DataAfterName(kubeconfig)), std::back_inserter(cas));
  }
  return cas;
}

const kube::KubeconfigCluster& PublicCluster(const kube::Kubeconfig& config) {
  const kube::KubeconfigCluster* cluster = config.PublicCluster();
  if (cluster == nullptr) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("the kubeconfig names no cluster: it has none without a name, and {}",
                    config.NoClusterReason()));
  }
  return *cluster;
}

}  // namespace discovery
