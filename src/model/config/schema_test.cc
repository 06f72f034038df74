// SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string Conformed(const std::string& in, std::string_view type) {
  json::DecodeProblems problems;
  const json::Value out = Conform(json::Value::parse(in), type, "", problems);
  return problems.errors.empty() ? json::Compact(out) : "error " + problems.errors.Text();
}

TEST(Schema, WritesZeroValuesAsTheApiTypesDo) {
  EXPECT_EQ(Conformed("{}", "LoggingConfiguration"),
            R"({"flushFrequency":0,"options":{"json":{"infoBufferSize":"0"},)"
            R"("text":{"infoBufferSize":"0"}},"verbosity":0})");
  EXPECT_EQ(Conformed(R"({"value":"","name":null})", "EnvVar"), R"({"name":""})");
  EXPECT_EQ(Conformed(R"({"optional":false})", "KeySelector"), R"({"key":"","optional":false})");
  EXPECT_EQ(Conformed("{}", "KubeProxyNFTablesConfiguration"),
            R"({"masqueradeAll":false,"masqueradeBit":null,"minSyncPeriod":"0s",)"
            R"("syncPeriod":"0s"})");
}

TEST(Schema, WritesValuesInTheirCanonicalForm) {
  EXPECT_EQ(Conformed(R"({"flushFrequency":"60s"})", "LoggingConfiguration").substr(0, 24),
            R"({"flushFrequency":"1m0s")");
  EXPECT_EQ(Conformed(R"({"divisor":0.5})", "ResourceFieldSelector"),
            R"({"divisor":"500m","resource":""})");
  EXPECT_EQ(Conformed(R"({"numaNode":1.0,"limits":{"memory":"1024Mi"}})", "MemoryReservation"),
            R"({"limits":{"memory":"1Gi"},"numaNode":1})");
  EXPECT_EQ(Conformed("{}", "MemoryReservation"), R"({"limits":null,"numaNode":0})");
  EXPECT_THAT(Conformed(R"({"maxOpenFiles":1.234567890123456789e18})", "KubeletConfiguration"),
              HasSubstr(R"("maxOpenFiles":1234567890123456800,)"));
  for (const auto& [qps, want] :
       std::initializer_list<std::pair<std::string, std::string>>{{"16777217", "16777216"},
                                                                  {"123456.789", "123456.79"},
                                                                  {"0.30000001", "0.3"},
                                                                  {"1e-46", "0"},
                                                                  {"5", "5"},
                                                                  {"0.5", "0.5"}}) {
    EXPECT_THAT(Conformed(R"({"qps":)" + qps + "}", "ClientConnectionConfiguration"),
                HasSubstr(R"("qps":)" + want + "}"));
  }
  EXPECT_THAT(Conformed(R"({"memoryThrottlingFactor":0.30000001})", "KubeletConfiguration"),
              HasSubstr(R"("memoryThrottlingFactor":0.30000001)"))
      << "of 64 bits";
  EXPECT_EQ(Conformed(R"({"timeAdded":"2020-01-01T00:00:00+01:00"})", "Taint"),
            R"({"effect":"","key":"","timeAdded":"2019-12-31T23:00:00Z"})");
}

TEST(Schema, SupportsPodsAndDeployments) {
  EXPECT_EQ(Conformed(R"({"metadata":{"labels":{"a":null},"generateName":""},"foo":1,)"
                      R"("spec":{"containers":[{"bar":1}],"volumes":[],"hostPID":false}})",
                      "Pod"),
            R"({"metadata":{"labels":{"a":""}},"spec":{"containers":[{"name":"","resources":{}}]},)"
            R"("status":{}})");
  EXPECT_EQ(Conformed(R"({"port":"https"})", "TCPSocketAction"), R"({"port":"https"})");
  EXPECT_EQ(Conformed(R"({"port":80})", "TCPSocketAction"), R"({"port":80})");
  EXPECT_EQ(Conformed(R"({"fieldsV1":{"f:x":{}}})", "ManagedFieldsEntry"),
            R"({"fieldsV1":{"f:x":{}}})");
  EXPECT_EQ(Conformed(R"({"spec":{"replicas":0,"strategy":{"rollingUpdate":{"maxSurge":"5%"}}}})",
                      "Deployment"),
            R"({"metadata":{},"spec":{"replicas":0,"selector":null,)"
            R"("strategy":{"rollingUpdate":{"maxSurge":"5%"}},)"
            R"("template":{"metadata":{},"spec":{"containers":null}}},"status":{}})");
}

TEST(Schema, NamesWrongTypesByTheirPath) {
  struct Case {
    std::string in;
    std::string_view type;
    std::string want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({"maxPods":"many"})", "KubeletConfiguration", "maxPods: expected a whole number"},
           {R"({"maxPods":5000000000})", "KubeletConfiguration", "maxPods: 5000000000"},
           {R"({"maxOpenFiles":9223372036854775808})", "KubeletConfiguration", "maxOpenFiles: 9"},
           {R"({"maxOpenFiles":9223372036854775808.0})", "KubeletConfiguration", "maxOpenFiles: 9"},
           {R"({"maxOpenFiles":-9223372036854775809})", "KubeletConfiguration", "maxOpenFiles: -9"},
           {R"({"maxPods":1.5})", "KubeletConfiguration", "maxPods: 1.5"},
           {R"({"failSwapOn":"no"})", "KubeletConfiguration", "failSwapOn: expected a boolean"},
           {R"({"syncFrequency":null})", "KubeletConfiguration", "syncFrequency: expected a dur"},
           {R"({"syncFrequency":"soon"})", "KubeletConfiguration", "soon"},
           {R"({"clusterDNS":"10.0.0.1"})", "KubeletConfiguration", "clusterDNS: expected a list"},
           {R"({"clusterDNS":[1]})", "KubeletConfiguration", "clusterDNS[0]: expected a string"},
           {R"({"evictionHard":{"a":1}})", "KubeletConfiguration",
            "evictionHard.a: expected a str"},
           {R"({"evictionHard":[]})", "KubeletConfiguration", "evictionHard: expected a map"},
           {R"({"authentication":5})", "KubeletConfiguration", "authentication: expected a map"},
           {R"({"memoryThrottlingFactor":"x"})", "KubeletConfiguration", "expected a number"},
           {R"({"qps":1e39})", "ClientConnectionConfiguration", "that 32 bits hold"},
           {R"({"logging":{"verbosity":-1}})", "KubeletConfiguration", "logging.verbosity: -1"},
           {R"({"logging":{"options":{"json":{"infoBufferSize":true}}}})", "KubeletConfiguration",
            "infoBufferSize: expected a quantity"},
           {R"({"port":1.5})", "TCPSocketAction", "port: 1.5"},
           {R"({"port":true})", "TCPSocketAction", "port: expected a whole number"},
           {R"({"spec":{"hostNetwork":"maybe"}})", "Pod", "spec.hostNetwork: expected a boolean"},
           {R"({"metadata":{"annotations":{"a":5}}})", "Pod", "metadata.annotations.a: expected a"},
           {R"({"spec":{"priority":2147483648}})", "Pod", "spec.priority: 2147483648"},
           {R"({"status":"x"})", "Pod", "status: expected a map"},
           {R"({"timeAdded":"then"})", "Taint", "timeAdded: expected a time"}}) {
    EXPECT_THAT(Conformed(c.in, c.type), HasSubstr(c.want)) << c.in;
  }
}

TEST(Schema, ReportsAndDropsUnknownFields) {
  json::DecodeProblems problems;
  const json::Value out =
      Conform(json::Value::parse(R"({"mode":"ipvs","ipvs":{"scheduling":"rr"}})"),
              "KubeProxyConfiguration", "", problems);
  ASSERT_EQ(problems.unknown.size(), 1U);
  EXPECT_EQ(problems.unknown.list()[0].path, "ipvs.scheduling");
  EXPECT_FALSE(out["ipvs"].contains("scheduling"));
  EXPECT_THAT(problems.errors.list(), IsEmpty());
}

// A typo in a row would otherwise show only when a user sets that field.
TEST(Schema, HasAKnownTypeInEveryRow) {
  const std::set<std::string_view> scalars{
      "bool", "int32",     "int64",    "uint32", "float32", "float64",    "string",
      "dur",  "timeordur", "quantity", "time",   "any",     "intorstring"};
  const std::vector<std::string_view> types = TypeNames();
  EXPECT_THAT(types, SizeIs(testing::Gt(100)));
  for (const std::string_view owner : types) {
    for (const SchemaRow& row : RowsOf(owner)) {
      std::string_view type = row.type;
      while (type.find_first_of("!*[") == 0 || type.starts_with("map[]")) {
        type.remove_prefix(type.starts_with("map[]") ? 5 : type[0] == '[' ? 2 : 1);
      }
      EXPECT_TRUE(scalars.contains(type) || std::ranges::binary_search(types, type))
          << owner << " " << row.name;
    }
  }
}

}  // namespace
}  // namespace config
