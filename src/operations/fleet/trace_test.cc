// SPDX-License-Identifier: Apache-2.0
#include "fleet/trace.h"

#include <gmock/gmock.h>

#include "fleet/fake_fleet.h"
#include "host/fake_host.h"

namespace fleet {
namespace {

constexpr const char* kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceSettingsFrom, PassesTheEndpointAndNoCredentialsOn) {
  host::FakeEnvironment environment;
  environment.variables = {{"OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret"}};
  EXPECT_TRUE(TraceSettingsFrom(environment, "s").environment.empty());
  environment.variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://c";
  const TraceSettings settings = TraceSettingsFrom(environment, "s");
  EXPECT_THAT(settings.environment,
              testing::ElementsAre(testing::Pair("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c")));
}

TEST(ContextOf, DependsOnTheUidOrElseTheSeed) {
  ClusterOperation operation = FakeUpgrade();
  const auto trace = [&](const std::string& seed) {
    return ContextOf(operation, {.seed = seed}).trace_id;
  };
  EXPECT_NE(trace("a"), trace("b"));
  operation.uid = "u";
  EXPECT_EQ(trace("a"), trace("b")) << "another operator continues it";
}

TEST(ContextOf, ContinuesTheTraceOfTheAnnotation) {
  json::Value object = FakeOperation({{"renewCertificates", json::Value::object()}});
  object["metadata"]["annotations"][std::string(kTraceAnnotation)] = kParent;
  object["metadata"]["annotations"]["other"] = "x";
  const json::Value kept = WithoutUnusedParts(object);
  EXPECT_EQ(kept.at("metadata").at("annotations").size(), 1);
  EXPECT_EQ(ContextOf(ParseOperation(kept), {}).trace_id, "0af7651916cd43dd8448eb211c80319c");
  object["metadata"]["annotations"][std::string(kTraceAnnotation)] = "text";
  EXPECT_NE(ContextOf(ParseOperation(object), {}).trace_id, "") << "a trace of its own";
  object["metadata"]["annotations"][std::string(kTraceAnnotation)] = std::string(1000, 'a');
  EXPECT_FALSE(WithoutUnusedParts(object).at("metadata").contains("annotations"));
}

json::Value Ended() {
  return {{"status",
           {{"phase", "Failed"},
            {"message", "w: no disk"},
            {"startTime", "2026-01-31T00:00:00Z"},
            {"completionTime", "2026-01-31T00:05:00Z"},
            {"nodes", json::Value::array({{{"name", "cp"},
                                           {"step", "v1-36"},
                                           {"stage", "Done"},
                                           {"startTime", "2026-01-31T00:00:01Z"},
                                           {"completionTime", "2026-01-31T00:01:00Z"}},
                                          {{"name", "w"},
                                           {"stage", "Failed"},
                                           {"message", "no disk"},
                                           {"startTime", "2026-01-31T00:01:00Z"}},
                                          {{"name", "x"}, {"stage", "Pending"}}})}}}};
}

TEST(SpansOf, HasASpanForEachNodeThatHasBegun) {
  ClusterOperation operation = FakeUpgrade();
  operation.uid = "u";
  const std::vector<otlp::Span> spans = SpansOf(Ended(), operation, {});
  ASSERT_EQ(spans.size(), 3);
  EXPECT_EQ(spans[0].name, "upgrade");
  EXPECT_EQ(spans[0].parent_id, "");
  EXPECT_TRUE(spans[0].failed);
  EXPECT_EQ(spans[0].end - spans[0].begin, std::chrono::minutes(5));
  EXPECT_EQ(spans[1].name, "cp (v1-36)");
  EXPECT_FALSE(spans[1].failed);
  EXPECT_EQ(spans[1].context.span_id, ContextOf(ContextOf(operation, {}), "cp", "v1-36").span_id)
      << "the parent of kubeadm's spans";
  EXPECT_TRUE(spans[2].failed);
  EXPECT_EQ(spans[2].end, spans[0].end);
  operation.traceparent = kParent;
  EXPECT_EQ(SpansOf(Ended(), operation, {})[0].parent_id, "b7ad6b7169203331");
}

TEST(SpansOf, HasNoValueOfTheSpec) {
  const ClusterOperation operation =
      ParseOperation(FakeOperation({{"configApply", {{"set", {"apiServer.extraArgs.x=hidden"}}}}}));
  const std::vector<otlp::Span> spans = SpansOf(Ended(), operation, {});
  EXPECT_EQ(spans[0].name, "configApply");
  EXPECT_THAT(json::Compact(otlp::ToRequest(spans, {})),
              testing::Not(testing::HasSubstr("hidden")));
}

TEST(SpansOf, IsEmptyForAnOperationThatHasNotBegun) {
  EXPECT_TRUE(SpansOf(FakeOperation({}), FakeUpgrade(), {}).empty());
}

}  // namespace
}  // namespace fleet
