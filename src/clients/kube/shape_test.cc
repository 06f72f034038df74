// SPDX-License-Identifier: Apache-2.0
#include "kube/shape.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "json/value.h"

namespace kube {
namespace {

using testing::HasSubstr;

TEST(RequireShape, NamesObjectAndField) {
  struct Case {
    Resource resource;
    std::string object;
    std::string want;  // "": it is well-formed
  };
  const Case cases[] = {
      {resources::kDeployment,
       R"({"metadata": {"name": "coredns", "namespace": "kube-system"}, "spec": {"template": 1}})",
       "spec.template of Deployment \"kube-system/coredns\" must be an object, not a number"},
      {resources::kPod,
       R"({"metadata": {"name": "a"}, "spec": {"containers": [{"command": [1]}]}})",
       "spec.containers[].command[] of Pod \"a\" must be a string, not a number"},
      {resources::kPod, R"({"metadata": {"name": "a"}, "spec": {"containers": {}}})",
       "spec.containers of Pod \"a\" must be a list, not an object"},
      {resources::kConfigMap, R"({"metadata": {"name": "a"}, "data": {"x": true}})",
       "data[] of ConfigMap \"a\" must be a string, not a boolean"},
      {resources::kNode, R"({"metadata": {"name": "a", "labels": {"x": 1}}})",
       "metadata.labels[] of Node \"a\" must be a string, not a number"},
      {resources::kNode, "[]", "Node \"\" must be an object, not a list"},
      {resources::kNode, R"({"metadata": {"name": "a"}, "spec": {"taints": [{"key": "x"}]}})", ""},
      {resources::kNode, R"({"metadata": {"name": "a"}, "status": null})", ""}};
  for (const Case& c : cases) {
    json::Value object = json::Parse(c.object);
    EXPECT_EQ(base::MessageOf([&] { RequireShape(c.resource, object); }), c.want) << c.object;
  }
}

TEST(RequireShape, ErasesNullMembers) {
  json::Value object = json::Parse(
      R"({"metadata": {"name": "a", "labels": null}, "spec": {"containers": [null, {"args": null}]}})");
  RequireShape(resources::kPod, object);
  EXPECT_EQ(json::Compact(object), R"({"metadata":{"name":"a"},"spec":{"containers":[{}]}})");
}

TEST(RequireShape, ChecksEachItemOfAList) {
  const Call list{.verb = Verb::kList, .resource = resources::kNode};
  json::Value answer = json::Parse(R"({"items": [{"metadata": {"name": "a"}}, {"spec": "x"}]})");
  EXPECT_THAT(base::MessageOf([&] { RequireShape(list, answer); }),
              HasSubstr("spec of Node \"\" must be an object, not a string"));
  answer = json::Parse(R"({"items": 1})");
  EXPECT_THAT(base::MessageOf([&] { RequireShape(list, answer); }),
              HasSubstr("items of Node \"\" must be a list, not a number"));
}

TEST(RequireShape, KeepsAnswersOfOtherKindsUnchanged) {
  json::Value status = json::Parse(R"({"kind": "Status", "status": "Success"})");
  EXPECT_NO_THROW(RequireShape({.verb = Verb::kDelete, .resource = resources::kPod}, status));
  EXPECT_NO_THROW(RequireShape(
      {.verb = Verb::kCreate, .resource = resources::kPod, .subresource = "eviction"}, status));
}

}  // namespace
}  // namespace kube
