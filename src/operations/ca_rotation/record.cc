// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/record.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kube/objects.h"
#include "objects/rbac.h"

namespace ca_rotation {
namespace {

using base::Error;
using kube::resources::kConfigMap;

std::string PemKey(const Authority& authority) { return fmt::format("{}.pem", authority.name); }
std::string StepKey(const Authority& authority) { return fmt::format("{}.step", authority.name); }

std::optional<RotationRecord> RecordIn(const json::Value& config_map, const Authority& authority) {
  const std::string pem = json::TextAt(config_map, {"data", PemKey(authority)});
  const std::vector<Anchor> anchors = ParseAnchors(pem);
  const auto step = ParseStep(json::TextAt(config_map, {"data", StepKey(authority)}));
  if (anchors.size() != 1 || !step) {
    return std::nullopt;
  }
  return RotationRecord{.pin = anchors.front().pin, .pem = anchors.front().pem, .step = *step};
}

json::Value GetRecord(kube::Client& client) {
  return client.Get({kConfigMap, kube::kSystemNamespace, kRecordConfigMap});
}

}  // namespace

std::optional<RotationRecord> FindRecord(kube::Client& client, const Authority& authority) {
  std::optional<json::Value> found;
  try {
    client.Retry(fmt::format("could not read ConfigMap \"{}\"", kRecordConfigMap), [&] {
      found = client.Find({kConfigMap, kube::kSystemNamespace, kRecordConfigMap});
    });
  } catch (const Error& error) {
    // Workers have no permission to read the record before the first rotation.
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
  }
  return found ? RecordIn(*found, authority) : std::nullopt;
}

void Claim(kube::Client& client, const Authority& authority, const Anchor& anchor,
           const std::optional<RotationRecord>& before) {
  objects::ApplyRbac(client, objects::ReadOneRows(
                                 {.name = "kubeadm:rotate-ca",
                                  .name_space = kube::kSystemNamespace,
                                  .resource = "configmaps",
                                  .object = kRecordConfigMap,
                                  .subjects = {{.kind = "Group", .name = objects::kNodesGroup}}}));
  client.CreateOrRetain(kConfigMap,
                        kube::ConfigMap({kube::kSystemNamespace, kRecordConfigMap}, {}));
  client.Retry("could not note the rotation's beginning", [&] {
    json::Value object = GetRecord(client);
    const auto now = RecordIn(object, authority);
    if (now && now->pin == anchor.pin) {
      return;
    }
    if (now && (!before || now->pin != before->pin)) {
      throw Error(Error::Kind::kAlreadyExists,
                  fmt::format("another node has begun to replace the {} at this moment; run the "
                              "same command again",
                              authority.long_name));
    }
    object["data"][PemKey(authority)] = anchor.pem;
    object["data"][StepKey(authority)] = NameOf(Step::kTrust);
    client.Update(kConfigMap, object);
  });
}

void SetStep(kube::Client& client, const Authority& authority, Step step) {
  client.Retry("could not note the rotation's step", [&] {
    json::Value object = GetRecord(client);
    const auto now = RecordIn(object, authority);
    if (!now || now->step >= step) {
      return;
    }
    object["data"][StepKey(authority)] = NameOf(step);
    client.Update(kConfigMap, object);
  });
}

}  // namespace ca_rotation
