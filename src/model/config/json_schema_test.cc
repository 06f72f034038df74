// SPDX-License-Identifier: Apache-2.0
#include "config/json_schema.h"

#include <gmock/gmock.h>

#include "json/value.h"

namespace config {
namespace {

TEST(JsonSchema, DescribesEveryKind) {
  const json::Ordered schema = JsonSchema();
  EXPECT_EQ(schema["oneOf"].size(), 8);
  EXPECT_EQ(schema["$defs"].size(), 8);
  for (const json::Ordered& choice : schema["oneOf"]) {
    const auto reference = choice["$ref"].get<std::string>();
    EXPECT_TRUE(schema.contains(json::Ordered::json_pointer(reference.substr(1)))) << reference;
  }
}

TEST(JsonSchema, GivesTheTypesThatTheDecoderAccepts) {
  const json::Ordered schema = JsonSchema();
  const auto at = [&](const std::string& kind, const std::string& pointer) {
    return json::Compact(
        schema["$defs"][kind].at(json::Ordered::json_pointer("/properties" + pointer)));
  };
  EXPECT_EQ(at("ClusterConfiguration", "/kind"), R"({"const":"ClusterConfiguration"})");
  EXPECT_EQ(at("ClusterConfiguration", "/networking/properties/podSubnet/type"), R"("string")");
  EXPECT_EQ(at("InitConfiguration", "/localAPIEndpoint/properties/bindPort/maximum"), "2147483647");
  EXPECT_EQ(at("ClusterConfiguration", "/featureGates/additionalProperties"),
            R"({"type":"boolean"})");
  EXPECT_EQ(at("ClusterConfiguration",
               "/apiServer/properties/extraArgs/items/"
               "properties/name/type"),
            R"("string")");
  EXPECT_EQ(at("ClusterConfiguration", "/networking/additionalProperties"), "false");
  EXPECT_EQ(at("KubeletConfiguration", "/logging/properties/flushFrequency/oneOf/0"),
            R"({"type":"integer"})");
}

}  // namespace
}  // namespace config
