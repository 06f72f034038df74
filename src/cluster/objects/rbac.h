// SPDX-License-Identifier: Apache-2.0
// RBAC objects as rows of tables (rbac.authorization.k8s.io/v1).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "json/fwd.h"
#include "kube/client.h"

namespace objects {

// The groups and users in kubeadm's rules.
inline constexpr std::string_view kBootstrappersGroup =
    "system:bootstrappers:kubeadm:default-node-token";
inline constexpr std::string_view kNodesGroup = "system:nodes";
inline constexpr std::string_view kAdminsGroup = "kubeadm:cluster-admins";

// The rows are tables in the code. Their strings must be literals, or outlive the row.

// Allows `verbs` on `resources` of the API `groups` ("" is the core group). If `names` is not
// empty, only objects with these names are allowed.
struct Rule {
  std::vector<std::string_view> groups;
  std::vector<std::string_view> resources;
  std::vector<std::string_view> names;
  std::vector<std::string_view> verbs;
};

// The holder of a role (rbac.authorization.k8s.io/v1).
struct Subject {
  std::string_view kind;  // "Group", "User", "ServiceAccount"
  std::string_view name;
  std::string_view name_space;  // of a ServiceAccount
};

// One RBAC object. With rules it is a role; with subjects it is a binding of `role`. With a
// namespace it is a Role or RoleBinding in that namespace, and a binding refers to a Role there.
struct RbacRow {
  std::string_view name;
  std::string_view name_space;
  std::vector<Rule> rules;
  std::string_view role;
  std::vector<Subject> subjects;
};

// ResourceOf returns the row's kind: Role, ClusterRole, RoleBinding or ClusterRoleBinding. ObjectOf
// builds the object.
const kube::Resource& ResourceOf(const RbacRow& row);
json::Value ObjectOf(const RbacRow& row);

// Creates or updates the rows' objects in order. Throws the errors of kube::Client.
void ApplyRbac(kube::Client& client, std::span<const RbacRow> rows);

// A Role that allows reading one object, and its binding, both called `name`.
struct ReadOne {
  std::string_view name;
  std::string_view name_space;
  std::string_view resource;  // "configmaps"
  std::string_view object;
  std::vector<Subject> subjects;
};
std::vector<RbacRow> ReadOneRows(const ReadOne& read);

}  // namespace objects
