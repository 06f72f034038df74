// SPDX-License-Identifier: Apache-2.0
#include "kube/shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"

namespace kube {
namespace {

enum class Type { kObject, kList, kText, kNumber, kBoolean };

// A row of the tables. In its path, "*" means each member of an object, or each item of a list.
struct Field {
  std::string_view path;
  Type type;
};

// The ObjectMeta of every object, also of custom resources.
constexpr Field kMetadata[] = {{"", Type::kObject},
                               {"metadata", Type::kObject},
                               {"metadata.name", Type::kText},
                               {"metadata.namespace", Type::kText},
                               {"metadata.uid", Type::kText},
                               {"metadata.resourceVersion", Type::kText},
                               {"metadata.creationTimestamp", Type::kText},
                               {"metadata.deletionTimestamp", Type::kText},
                               {"metadata.labels", Type::kObject},
                               {"metadata.labels.*", Type::kText},
                               {"metadata.annotations", Type::kObject},
                               {"metadata.annotations.*", Type::kText},
                               {"metadata.finalizers", Type::kList},
                               {"metadata.finalizers.*", Type::kText},
                               {"metadata.ownerReferences", Type::kList},
                               {"metadata.ownerReferences.*", Type::kObject},
                               {"metadata.ownerReferences.*.kind", Type::kText},
                               {"metadata.ownerReferences.*.name", Type::kText},
                               {"metadata.ownerReferences.*.uid", Type::kText}};

constexpr Field kListFields[] = {{"", Type::kObject},
                                 {"metadata", Type::kObject},
                                 {"metadata.continue", Type::kText},
                                 {"metadata.resourceVersion", Type::kText},
                                 {"items", Type::kList}};

constexpr Field kContainer[] = {{"", Type::kObject},
                                {"name", Type::kText},
                                {"image", Type::kText},
                                {"imagePullPolicy", Type::kText},
                                {"command", Type::kList},
                                {"command.*", Type::kText},
                                {"args", Type::kList},
                                {"args.*", Type::kText},
                                {"env", Type::kList},
                                {"env.*", Type::kObject},
                                {"env.*.name", Type::kText},
                                {"env.*.value", Type::kText},
                                {"env.*.valueFrom", Type::kObject},
                                {"ports", Type::kList},
                                {"ports.*", Type::kObject},
                                {"volumeMounts", Type::kList},
                                {"volumeMounts.*", Type::kObject},
                                {"volumeMounts.*.name", Type::kText},
                                {"volumeMounts.*.mountPath", Type::kText},
                                {"volumeMounts.*.readOnly", Type::kBoolean},
                                {"resources", Type::kObject},
                                {"resources.limits", Type::kObject},
                                {"resources.requests", Type::kObject},
                                {"securityContext", Type::kObject},
                                {"livenessProbe", Type::kObject},
                                {"readinessProbe", Type::kObject},
                                {"startupProbe", Type::kObject}};

constexpr Field kPodSpec[] = {{"", Type::kObject},
                              {"containers", Type::kList},
                              {"initContainers", Type::kList},
                              {"volumes", Type::kList},
                              {"volumes.*", Type::kObject},
                              {"volumes.*.name", Type::kText},
                              {"volumes.*.hostPath", Type::kObject},
                              {"volumes.*.hostPath.path", Type::kText},
                              {"volumes.*.hostPath.type", Type::kText},
                              {"volumes.*.configMap", Type::kObject},
                              {"volumes.*.configMap.items", Type::kList},
                              {"volumes.*.configMap.items.*", Type::kObject},
                              {"nodeName", Type::kText},
                              {"nodeSelector", Type::kObject},
                              {"tolerations", Type::kList},
                              {"tolerations.*", Type::kObject},
                              {"affinity", Type::kObject},
                              {"securityContext", Type::kObject},
                              {"hostNetwork", Type::kBoolean},
                              {"serviceAccountName", Type::kText},
                              {"priorityClassName", Type::kText}};

constexpr Field kPod[] = {{"status", Type::kObject},
                          {"status.phase", Type::kText},
                          {"status.podIP", Type::kText},
                          {"status.conditions", Type::kList},
                          {"status.conditions.*", Type::kObject},
                          {"status.containerStatuses", Type::kList},
                          {"status.containerStatuses.*", Type::kObject}};

constexpr Field kWorkload[] = {{"spec", Type::kObject},
                               {"spec.replicas", Type::kNumber},
                               {"spec.selector", Type::kObject},
                               {"spec.selector.matchLabels", Type::kObject},
                               {"spec.strategy", Type::kObject},
                               {"spec.strategy.rollingUpdate", Type::kObject},
                               {"spec.updateStrategy", Type::kObject},
                               {"spec.updateStrategy.rollingUpdate", Type::kObject},
                               {"spec.template", Type::kObject},
                               {"spec.template.metadata", Type::kObject},
                               {"spec.template.metadata.labels", Type::kObject},
                               {"spec.template.metadata.labels.*", Type::kText},
                               {"spec.template.metadata.annotations", Type::kObject},
                               {"spec.template.metadata.annotations.*", Type::kText},
                               {"status", Type::kObject},
                               {"status.conditions", Type::kList},
                               {"status.conditions.*", Type::kObject}};

constexpr Field kNode[] = {{"spec", Type::kObject},
                           {"spec.podCIDR", Type::kText},
                           {"spec.podCIDRs", Type::kList},
                           {"spec.podCIDRs.*", Type::kText},
                           {"spec.providerID", Type::kText},
                           {"spec.unschedulable", Type::kBoolean},
                           {"spec.taints", Type::kList},
                           {"spec.taints.*", Type::kObject},
                           {"spec.taints.*.key", Type::kText},
                           {"spec.taints.*.value", Type::kText},
                           {"spec.taints.*.effect", Type::kText},
                           {"status", Type::kObject},
                           {"status.addresses", Type::kList},
                           {"status.addresses.*", Type::kObject},
                           {"status.addresses.*.type", Type::kText},
                           {"status.addresses.*.address", Type::kText},
                           {"status.conditions", Type::kList},
                           {"status.conditions.*", Type::kObject},
                           {"status.conditions.*.type", Type::kText},
                           {"status.conditions.*.status", Type::kText},
                           {"status.nodeInfo", Type::kObject},
                           {"status.nodeInfo.kubeletVersion", Type::kText}};

constexpr Field kData[] = {{"data", Type::kObject},
                           {"data.*", Type::kText},
                           {"binaryData", Type::kObject},
                           {"binaryData.*", Type::kText},
                           {"type", Type::kText}};

constexpr Field kService[] = {{"spec", Type::kObject},          {"spec.clusterIP", Type::kText},
                              {"spec.clusterIPs", Type::kList}, {"spec.clusterIPs.*", Type::kText},
                              {"spec.ports", Type::kList},      {"spec.ports.*", Type::kObject},
                              {"spec.selector", Type::kObject}, {"spec.selector.*", Type::kText}};

constexpr Field kServiceAccount[] = {{"secrets", Type::kList},
                                     {"secrets.*", Type::kObject},
                                     {"imagePullSecrets", Type::kList},
                                     {"imagePullSecrets.*", Type::kObject}};

constexpr Field kRole[] = {{"rules", Type::kList},
                           {"rules.*", Type::kObject},
                           {"rules.*.apiGroups", Type::kList},
                           {"rules.*.apiGroups.*", Type::kText},
                           {"rules.*.resources", Type::kList},
                           {"rules.*.resources.*", Type::kText},
                           {"rules.*.resourceNames", Type::kList},
                           {"rules.*.resourceNames.*", Type::kText},
                           {"rules.*.verbs", Type::kList},
                           {"rules.*.verbs.*", Type::kText}};

constexpr Field kBinding[] = {
    {"roleRef", Type::kObject},       {"roleRef.kind", Type::kText},
    {"roleRef.name", Type::kText},    {"subjects", Type::kList},
    {"subjects.*", Type::kObject},    {"subjects.*.kind", Type::kText},
    {"subjects.*.name", Type::kText}, {"subjects.*.namespace", Type::kText}};

constexpr Field kLease[] = {{"spec", Type::kObject},
                            {"spec.holderIdentity", Type::kText},
                            {"spec.leaseDurationSeconds", Type::kNumber},
                            {"spec.leaseTransitions", Type::kNumber},
                            {"spec.acquireTime", Type::kText},
                            {"spec.renewTime", Type::kText}};

constexpr Field kCsr[] = {{"spec", Type::kObject},
                          {"spec.request", Type::kText},
                          {"spec.signerName", Type::kText},
                          {"spec.username", Type::kText},
                          {"spec.groups", Type::kList},
                          {"spec.groups.*", Type::kText},
                          {"spec.usages", Type::kList},
                          {"spec.usages.*", Type::kText},
                          {"status", Type::kObject},
                          {"status.certificate", Type::kText},
                          {"status.conditions", Type::kList},
                          {"status.conditions.*", Type::kObject}};

// The fields of a kind below `at`.
struct Table {
  std::string_view kind;
  std::string_view at;
  std::span<const Field> fields;
};

constexpr std::string_view kTemplate = "spec.template.spec";
constexpr Table kTables[] = {
    {"ConfigMap", "", kData},
    {"Secret", "", kData},
    {"Pod", "", kPod},
    {"Pod", "spec", kPodSpec},
    {"Pod", "spec.containers.*", kContainer},
    {"Pod", "spec.initContainers.*", kContainer},
    {"Deployment", "", kWorkload},
    {"Deployment", kTemplate, kPodSpec},
    {"Deployment", "spec.template.spec.containers.*", kContainer},
    {"Deployment", "spec.template.spec.initContainers.*", kContainer},
    {"DaemonSet", "", kWorkload},
    {"DaemonSet", kTemplate, kPodSpec},
    {"DaemonSet", "spec.template.spec.containers.*", kContainer},
    {"DaemonSet", "spec.template.spec.initContainers.*", kContainer},
    {"Job", "", kWorkload},
    {"Node", "", kNode},
    {"Service", "", kService},
    {"ServiceAccount", "", kServiceAccount},
    {"Role", "", kRole},
    {"ClusterRole", "", kRole},
    {"RoleBinding", "", kBinding},
    {"ClusterRoleBinding", "", kBinding},
    {"Lease", "", kLease},
    {"CertificateSigningRequest", "", kCsr},
};

bool Has(const json::Value& value, Type type) {
  switch (type) {
    case Type::kObject:
      return value.is_object();
    case Type::kList:
      return value.is_array();
    case Type::kText:
      return value.is_string();
    case Type::kNumber:
      return value.is_number();
    case Type::kBoolean:
      return value.is_boolean();
  }
  return false;
}

std::string_view NameOf(Type type) {
  constexpr std::string_view kNames[] = {"an object", "a list", "a string", "a number",
                                         "a boolean"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string NameOf(const json::Value& value) {
  const std::string_view kind = json::KindOf(value);
  return fmt::format("{} {}", kind == "object" ? "an" : "a", kind);
}

std::string NameOf(const Resource& resource, const json::Value& object) {
  const std::string name_space = json::TextAt(object, {"metadata", "namespace"});
  const std::string name = json::TextAt(object, {"metadata", "name"});
  return fmt::format("{} {}", resource.kind,
                     base::Quoted(name_space.empty() ? name : name_space + "/" + name));
}

// Visits all values to which `path` leads from `value`. Calls `on_wrong` for the first value of
// another type.
template <typename OnWrong>
void Check(const json::Value& value, std::string_view path, Type type, const OnWrong& on_wrong) {
  if (value.is_null()) {
    return;
  }
  if (path.empty()) {
    if (!Has(value, type)) {
      on_wrong(value);
    }
    return;
  }
  const std::size_t end = std::min(path.find('.'), path.size());
  const std::string_view name = path.substr(0, end);
  const std::string_view rest = path.substr(std::min(end + 1, path.size()));
  if (name == "*" && value.is_structured()) {
    for (const json::Value& member : value) {
      Check(member, rest, type, on_wrong);
    }
  } else if (name != "*") {
    Check(json::At(value, {name}), rest, type, on_wrong);
  }
}

void CheckFields(const Resource& resource, const json::Value& object, std::string_view at,
                 std::span<const Field> fields) {
  for (const Field& field : fields) {
    const std::string path =
        fmt::format("{}{}{}", at, at.empty() || field.path.empty() ? "" : ".", field.path);
    Check(object, path, field.type, [&](const json::Value& value) {
      throw base::Error(base::Error::Kind::kInvalid,
                        fmt::format("{}{} must be {}, not {}",
                                    path.empty() ? "" : base::ReplaceAll(path, ".*", "[]") + " of ",
                                    NameOf(resource, object), NameOf(field.type), NameOf(value)));
    });
  }
}

void EraseNulls(json::Value& value) {
  if (value.is_object()) {
    std::erase_if(value.get_ref<json::Value::object_t&>(),
                  [](const auto& member) { return member.second.is_null(); });
  } else if (value.is_array()) {
    std::erase_if(value.get_ref<json::Value::array_t&>(),
                  [](const json::Value& member) { return member.is_null(); });
  }
  if (value.is_structured()) {
    for (json::Value& member : value) {
      EraseNulls(member);
    }
  }
}

void CheckObject(const Resource& resource, const json::Value& object) {
  CheckFields(resource, object, "", kMetadata);
  for (const Table& table : kTables) {
    if (table.kind == resource.kind) {
      CheckFields(resource, object, table.at, table.fields);
    }
  }
}

void CheckList(const Resource& resource, const json::Value& list) {
  CheckFields(resource, list, "", kListFields);
  for (const json::Value& item : json::At(list, {"items"})) {
    CheckObject(resource, item);
  }
}

}  // namespace

void RequireShape(const Resource& resource, json::Value& object) {
  EraseNulls(object);
  CheckObject(resource, object);
}

void RequireShape(const Call& call, json::Value& answer) {
  if (call.verb == Verb::kDelete || !call.subresource.empty()) {
    return;  // the answer is a Status, or an object of another kind
  }
  EraseNulls(answer);
  try {
    call.verb == Verb::kList ? CheckList(call.resource, answer)
                             : CheckObject(call.resource, answer);
  } catch (base::Error& error) {
    error.Prepend(
        "the API server's answer is malformed; check which program answers at its "
        "address");
    throw;
  }
}

}  // namespace kube
