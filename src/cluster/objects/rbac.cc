// SPDX-License-Identifier: Apache-2.0
#include "objects/rbac.h"

namespace objects {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kVersion = "rbac.authorization.k8s.io/v1";

json::Value RuleObject(const Rule& rule) {
  json::Value object = {
      {"apiGroups", rule.groups}, {"resources", rule.resources}, {"verbs", rule.verbs}};
  if (!rule.names.empty()) {
    object["resourceNames"] = rule.names;
  }
  return object;
}

// Leaves out the subject's API group, because the API server fills it in.
json::Value SubjectObject(const Subject& subject) {
  json::Value object = {{"kind", subject.kind}, {"name", subject.name}};
  if (!subject.name_space.empty()) {
    object["namespace"] = subject.name_space;
  }
  return object;
}

}  // namespace

const kube::Resource& ResourceOf(const RbacRow& row) {
  if (row.rules.empty()) {
    return row.name_space.empty() ? kube::resources::kClusterRoleBinding
                                  : kube::resources::kRoleBinding;
  }
  return row.name_space.empty() ? kube::resources::kClusterRole : kube::resources::kRole;
}

json::Value ObjectOf(const RbacRow& row) {
  json::Value object = {
      {"apiVersion", kVersion}, {"kind", ResourceOf(row).kind}, {"metadata", {{"name", row.name}}}};
  if (!row.name_space.empty()) {
    object["metadata"]["namespace"] = row.name_space;
  }
  if (!row.rules.empty()) {
    object["rules"] = json::Value::array();
    for (const Rule& rule : row.rules) {
      object["rules"].push_back(RuleObject(rule));
    }
    return object;
  }
  object["roleRef"] = {{"apiGroup", kGroup},
                       {"kind", row.name_space.empty() ? "ClusterRole" : "Role"},
                       {"name", row.role}};
  object["subjects"] = json::Value::array();
  for (const Subject& subject : row.subjects) {
    object["subjects"].push_back(SubjectObject(subject));
  }
  return object;
}

void ApplyRbac(kube::Client& client, std::span<const RbacRow> rows) {
  for (const RbacRow& row : rows) {
    client.CreateOrUpdate(ResourceOf(row), ObjectOf(row));
  }
}

std::vector<RbacRow> ReadOneRows(const ReadOne& read) {
  return {{.name = read.name,
           .name_space = read.name_space,
           .rules = {{.groups = {""},
                      .resources = {read.resource},
                      .names = {read.object},
                      .verbs = {"get"}}}},
          {.name = read.name,
           .name_space = read.name_space,
           .role = read.name,
           .subjects = read.subjects}};
}

}  // namespace objects
