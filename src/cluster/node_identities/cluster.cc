// SPDX-License-Identifier: Apache-2.0
#include "node_identities/cluster.h"

#include "json/value.h"
#include "kube/objects.h"
#include "node_identities/keys.h"

namespace node_identities {
namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";

kube::ObjectKey MapKey() { return {kube::resources::kConfigMap, kube::kSystemNamespace, kMapName}; }

void PatchData(kube::Client& client, const json::Value& data) {
  client.Retry("", [&] { client.Patch(MapKey(), kMergePatch, {{"data", data}}); });
}

}  // namespace

Identities FetchIdentities(kube::Client& client) {
  std::optional<json::Value> map;
  client.Retry("", [&] { map = client.Find(MapKey()); });
  return map ? ReadIdentities(*map) : Identities();
}

void StoreOnlyBoundTokens(kube::Client& client, bool only_bound) {
  const std::string value(only_bound ? kBoundOnly : kAllTokens);
  client.CreateOrMutate(
      kube::resources::kConfigMap,
      kube::ConfigMap({kube::kSystemNamespace, kMapName}, {{std::string(kTokensKey), value}}),
      [&](json::Value& existing) { existing["data"][std::string(kTokensKey)] = value; });
}

void StoreBinding(kube::Client& client, const TokenBinding& binding) {
  PatchData(client, {{KeyOf(binding), ValueOf(binding)}});
}

void StoreWithdrawal(kube::Client& client, const Withdrawal& withdrawal) {
  client.CreateOrRetain(kube::resources::kConfigMap,
                        kube::ConfigMap({kube::kSystemNamespace, kMapName}, {}));
  PatchData(client, {{KeyOf(withdrawal), ValueOf(withdrawal)}});
}

void RemoveEntries(kube::Client& client, const std::vector<std::string>& keys) {
  json::Value data = json::Value::object();
  for (const std::string& key : keys) {
    data[key] = nullptr;
  }
  if (!keys.empty()) {
    PatchData(client, data);
  }
}

}  // namespace node_identities
