// SPDX-License-Identifier: Apache-2.0
#include "objects/kubelet_trust.h"

#include <fmt/core.h>

#include "json/value.h"
#include "kube/objects.h"

namespace objects {
namespace {

constexpr const char* kSigner = "kubernetes.io/kubelet-serving";

// An object that may contain the certificates, and the member with them.
struct Place {
  kube::Resource resource;
  std::string_view name_space;
  std::string_view name;
  const char* part;
  const char* field;
};

constexpr Place kConfigMap{kube::resources::kConfigMap, kube::kSystemNamespace,
                           kKubeletTrustConfigMap, "data", "ca.crt"};

constexpr Place BundleAt(const kube::Resource& resource) {
  return {resource, "", kKubeletTrustBundle, "spec", "trustBundle"};
}

constexpr std::array kPlaces = {BundleAt(kClusterTrustBundles[0]),
                                BundleAt(kClusterTrustBundles[1]), kConfigMap};

json::Value ObjectAt(const Place& place, const std::string& pem) {
  const kube::Resource& resource = place.resource;
  json::Value object = {{"apiVersion", resource.group.empty() ? std::string(resource.version)
                                                              : fmt::format("{}/{}", resource.group,
                                                                            resource.version)},
                        {"kind", resource.kind},
                        {"metadata", {{"name", place.name}}}};
  if (resource.namespaced) {
    object["metadata"]["namespace"] = place.name_space;
  } else {
    object[place.part]["signerName"] = kSigner;
  }
  object[place.part][place.field] = pem;
  return object;
}

bool IsServed(kube::Client& client, const kube::Resource& resource) {
  bool served = false;
  client.Retry("could not list the ClusterTrustBundles", [&] {
    served = kube::Found([&] {
               return client.Raw({.verb = kube::Verb::kList, .resource = resource, .limit = 1});
             }).has_value();
  });
  return served;
}

void Create(kube::Client& client, const Place& place, const std::string& pem) {
  client.CreateOrMutate(place.resource, ObjectAt(place, pem),
                        [&](json::Value& existing) { existing[place.part][place.field] = pem; });
}

}  // namespace

void PublishKubeletTrust(kube::Client& client, const std::string& pem) {
  for (const kube::Resource& resource : kClusterTrustBundles) {
    if (IsServed(client, resource)) {
      Create(client, BundleAt(resource), pem);
      UpdateKubeletTrust(client, pem);
      return;
    }
  }
  Create(client, kConfigMap, pem);
}

void UpdateKubeletTrust(kube::Client& client, const std::string& pem) {
  for (const Place& place : kPlaces) {
    client.Retry(fmt::format("could not write {} \"{}\"", place.resource.kind, place.name), [&] {
      auto object = client.Find({place.resource, place.name_space, place.name});
      if (object && json::TextAt(*object, {place.part, place.field}) != pem) {
        (*object)[place.part][place.field] = pem;
        client.Update(place.resource, *object);
      }
    });
  }
}

std::vector<KubeletTrust> CollectKubeletTrust(kube::Client& client) {
  std::vector<KubeletTrust> found;
  for (const Place& place : kPlaces) {
    const auto object = client.Find({place.resource, place.name_space, place.name});
    // already found in the other version
    const bool repeated = !found.empty() && place.name_space.empty();
    if (object && !repeated) {
      const std::string_view separator = place.name_space.empty() ? "" : "/";
      found.push_back({.object = fmt::format("{} {}{}{}", place.resource.kind, place.name_space,
                                             separator, place.name),
                       .pem = json::TextAt(*object, {place.part, place.field})});
    }
  }
  return found;
}

}  // namespace objects
