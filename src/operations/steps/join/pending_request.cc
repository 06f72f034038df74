// SPDX-License-Identifier: Apache-2.0
#include "steps/join/pending_request.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "kube/objects.h"

namespace join_steps {
namespace {

constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";

std::string NameOf(const json::Value& csr) { return json::TextAt(csr, {"metadata", "name"}); }

std::string_view CreatedAt(const json::Value& csr) {
  const json::Value& created = json::At(csr, {"metadata", "creationTimestamp"});
  return created.is_string() ? std::string_view(created.get_ref<const std::string&>()) : "";
}

}  // namespace

std::optional<std::string> WhyUnissued(const json::Value& csr) {
  const std::string name = NameOf(csr);
  if (!json::TextAt(csr, {"status", "certificate"}).empty()) {
    return std::nullopt;
  }
  if (const json::Value* denied = kube::FindCondition(csr, "Denied")) {
    return fmt::format("its request \"{}\" was denied: {}", name,
                       base::Quoted(json::TextAt(*denied, {"message"})));
  }
  if (kube::FindCondition(csr, "Approved") != nullptr) {
    return fmt::format(
        "its request \"{}\" is approved, but not signed: see the log of kube-controller-manager",
        name);
  }
  return fmt::format(
      "its request \"{0}\" is still pending: nothing has approved it. In a cluster whose tokens "
      "are "
      "bound to nodes, cluster-machine-approver approves: see that it runs, \"kubectl -n "
      "kube-system get deployment machine-approver\", and why it does not approve, \"kubectl get "
      "events -A --field-selector involvedObject.name={0}\". Elsewhere kube-controller-manager "
      "approves, if the token is in the default group",
      name);
}

std::optional<std::string> FindWhyUnissued(kube::Client& client, std::string_view token_id) {
  const std::string user = fmt::format("system:bootstrap:{}", token_id);
  std::optional<json::Value> newest;
  try {
    client.ForEach(kube::resources::kCsr, "", [&](const json::Value& csr) {
      const bool own = json::TextAt(csr, {"spec", "username"}) == user &&
                       json::TextAt(csr, {"spec", "signerName"}) == kClientSigner;
      if (own && (!newest || CreatedAt(*newest) <= CreatedAt(csr))) {
        newest = csr;
      }
      return std::size_t{0};
    });
  } catch (const base::Error& error) {
    base::LogInfo(1, "the requests for certificates cannot be listed: {}", error.message());
  }
  return newest ? WhyUnissued(*newest) : std::nullopt;
}

}  // namespace join_steps
