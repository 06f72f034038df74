// SPDX-License-Identifier: Apache-2.0
#include "objects/rbac.h"

#include <gtest/gtest.h>

namespace objects {
namespace {

TEST(Rbac, ConvertsRowsToTheFourRbacKinds) {
  struct Case {
    RbacRow row;
    std::string want;
  };
  const Rule rule{.groups = {""}, .resources = {"nodes"}, .verbs = {"get"}};
  for (const Case& c : std::initializer_list<Case>{
           {{.name = "a", .rules = {rule}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)"
            R"("metadata":{"name":"a"},)"
            R"("rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get"]}]})"},
           {{.name = "b", .name_space = "n", .rules = {rule}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",)"
            R"("metadata":{"name":"b","namespace":"n"},)"
            R"("rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get"]}]})"},
           {{.name = "c", .role = "r", .subjects = {{.kind = "Group", .name = "g"}}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
            R"("metadata":{"name":"c"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
            R"("kind":"ClusterRole","name":"r"},"subjects":[{"kind":"Group","name":"g"}]})"},
           {{.name = "d",
             .name_space = "n",
             .role = "r",
             .subjects = {{.kind = "ServiceAccount", .name = "s", .name_space = "m"}}},
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",)"
            R"("metadata":{"name":"d","namespace":"n"},)"
            R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},)"
            R"("subjects":[{"kind":"ServiceAccount","name":"s","namespace":"m"}]})"}}) {
    EXPECT_EQ(ObjectOf(c.row).dump(), c.want);
  }
}

TEST(Rbac, GrantsReadingOfOneNamedObject) {
  const auto rows = ReadOneRows({.name = "x",
                                 .name_space = "n",
                                 .resource = "secrets",
                                 .object = "o",
                                 .subjects = {{.kind = "User", .name = "u"}}});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(
      ObjectOf(rows[0])["rules"].dump(),
      R"([{"apiGroups":[""],"resourceNames":["o"],"resources":["secrets"],"verbs":["get"]}])");
  EXPECT_EQ(rows[1].role, "x");
}

}  // namespace
}  // namespace objects
