// SPDX-License-Identifier: Apache-2.0
#include "kube/call.h"

#include <gtest/gtest.h>

namespace kube {
namespace {

using Kind = base::Error::Kind;

TEST(Call, HasThePathOfItsResource) {
  struct Case {
    Call call;
    std::string method, path;
  };
  const Resource& map = resources::kConfigMap;
  for (const Case& c : std::initializer_list<Case>{
           {{.resource = map, .name_space = "ns", .name = "n"},
            "GET",
            "/api/v1/namespaces/ns/configmaps/n"},
           {{.verb = Verb::kCreate, .resource = map, .name_space = "ns", .name = "n"},
            "POST",
            "/api/v1/namespaces/ns/configmaps"},
           {{.verb = Verb::kCreate,
             .resource = resources::kPod,
             .name_space = "ns",
             .name = "p",
             .subresource = "eviction"},
            "POST",
            "/api/v1/namespaces/ns/pods/p/eviction"},
           {{.verb = Verb::kUpdate, .resource = map, .name_space = "ns", .name = "n"},
            "PUT",
            "/api/v1/namespaces/ns/configmaps/n"},
           {{.verb = Verb::kList, .resource = resources::kPod}, "GET", "/api/v1/pods"},
           {{.verb = Verb::kList,
             .resource = resources::kPod,
             .name_space = "kube-system",
             .label_selector = "a=b,c",
             .limit = 5,
             .continue_token = "x/y"},
            "GET",
            "/api/v1/namespaces/kube-system/pods?labelSelector=a%3Db%2Cc&limit=5&continue=x%2Fy"},
           {{.resource = resources::kNode, .name_space = "ignored", .name = "n1"},
            "GET",
            "/api/v1/nodes/n1"},
           {{.verb = Verb::kDelete,
             .resource = resources::kClusterRole,
             .name = "kubeadm:get-nodes"},
            "DELETE",
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/kubeadm:get-nodes"},
           {{.verb = Verb::kPatch,
             .resource = resources::kNode,
             .name = "n",
             .subresource = "status"},
            "PATCH",
            "/api/v1/nodes/n/status"}}) {
    EXPECT_EQ(PathOf(c.call), c.path);
    EXPECT_EQ(MethodOf(c.call.verb), c.method) << c.path;
  }
}

TEST(Call, WatchesACollectionOrOneObjectOfIt) {
  EXPECT_EQ(
      WatchPathOf({.verb = Verb::kList, .resource = resources::kPod}, "7"),
      "/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=7");
  EXPECT_EQ(WatchPathOf({.resource = resources::kPod, .name_space = "ns", .name = "p"}, ""),
            "/api/v1/namespaces/ns/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=300"
            "&fieldSelector=metadata.name%3Dp");
}

TEST(Call, TakesNameAndNamespaceFromTheObject) {
  const json::Value object = {{"metadata", {{"name", "n"}, {"namespace", "ns"}}}};
  const Call call = CallOn(Verb::kUpdate, resources::kSecret, object);
  EXPECT_EQ(call.name, "n");
  EXPECT_EQ(call.name_space, "ns");
  EXPECT_EQ(call.body, object);
}

std::string StatusText(const std::string& reason, int code) {
  const json::Value status = {
      {"kind", "Status"}, {"reason", reason}, {"message", "why"}, {"code", code}};
  return json::Compact(status);
}

TEST(StatusError, HasTheKindOfItsReason) {
  struct Case {
    int code;
    std::string reason;
    Kind kind;
  };
  for (const Case& c : std::initializer_list<Case>{{404, "NotFound", Kind::kNotFound},
                                                   {409, "AlreadyExists", Kind::kAlreadyExists},
                                                   {409, "Conflict", Kind::kConflict},
                                                   {409, "", Kind::kConflict},
                                                   {410, "Expired", Kind::kConflict},
                                                   {403, "Forbidden", Kind::kForbidden},
                                                   {401, "Unauthorized", Kind::kUnauthorized},
                                                   {422, "Invalid", Kind::kInvalid},
                                                   {500, "ServerTimeout", Kind::kUnavailable},
                                                   {504, "Timeout", Kind::kTimeout},
                                                   {429, "TooManyRequests", Kind::kUnavailable},
                                                   {500, "InternalError", Kind::kUnavailable},
                                                   {503, "SomethingNew", Kind::kUnavailable},
                                                   {418, "SomethingNew", Kind::kOther}}) {
    const base::Error error = StatusError(c.code, StatusText(c.reason, c.code), "host:1");
    EXPECT_EQ(error.kind(), c.kind) << c.code << " " << c.reason;
    EXPECT_EQ(error.message(), "why");
  }
}

TEST(StatusError, EscapesControlCharactersOfTheServer) {
  const auto shown = [](const std::string& message) {
    return StatusError(403, json::Compact(json::Value{{"kind", "Status"}, {"message", message}}),
                       "h")
        .message();
  };
  EXPECT_EQ(shown("a\x1b[2Jb\rc\nd"), "a\\x1b[2Jb\\rc\nd");
  EXPECT_EQ(shown("caf\xC3\xA9 \xE2\x80\xAE"), "caf\xC3\xA9 \\u202e");
  EXPECT_LT(shown(std::string(1 << 20, 'x')).size(), 5'000U);
  EXPECT_EQ(StatusError(500, "\x1b]0;x\x07", "h").message(),
            "h answered with status 500: \\x1b]0;x\\a");
}

TEST(StatusError, QuotesAnAnswerThatIsNotAStatus) {
  const base::Error error = StatusError(502, "<html>bad gateway</html>\n", "host:1");
  EXPECT_EQ(error.kind(), Kind::kUnavailable);
  EXPECT_EQ(error.message(), "host:1 answered with status 502: <html>bad gateway</html>");
  EXPECT_EQ(StatusError(404, "", "host:1").message(), "host:1 answered with status 404");
  EXPECT_LT(StatusError(500, std::string(5000, 'x'), "h").message().size(), 300U);
}

TEST(FlawOf, RefusesPartsThatAreNotObjects) {
  struct Case {
    const char* answer;
    std::optional<std::string> flaw;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({})", std::nullopt},
           {R"({"metadata": {"labels": null}, "spec": null, "data": {"a": "b"}})", std::nullopt},
           {R"({"kind": "Status", "status": "Failure", "metadata": {}})", std::nullopt},
           {R"({"kind": "Pod", "status": "Failure"})", "its status is of type string"},
           {"null", "it is of type null"},
           {"[]", "it is of type list"},
           {R"({"metadata": []})", "its metadata is of type list"},
           {R"({"spec": 3})", "its spec is of type number"},
           {R"({"data": [1]})", "its data is of type list"},
           {R"({"metadata": {"labels": "x"}})", "its labels are of type string"},
           {R"({"metadata": {"annotations": [1]}})", "its annotations are of type list"}}) {
    EXPECT_EQ(FlawOf(json::Parse(c.answer)), c.flaw) << c.answer;
  }
}

}  // namespace
}  // namespace kube
