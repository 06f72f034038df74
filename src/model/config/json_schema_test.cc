#include "config/json_schema.h"

#include <gmock/gmock.h>

namespace config {
namespace {

using data::OrderedJson;

TEST(JsonSchema, DescribesEveryKind) {
  const OrderedJson schema = JsonSchema();
  EXPECT_EQ(schema["oneOf"].size(), 8);
  EXPECT_EQ(schema["$defs"].size(), 8);
  for (const OrderedJson& choice : schema["oneOf"]) {
    const auto reference = choice["$ref"].get<std::string>();
    EXPECT_TRUE(schema.contains(OrderedJson::json_pointer(reference.substr(1)))) << reference;
  }
}

TEST(JsonSchema, GivesTypesAsTheDecoderTakesThem) {
  const OrderedJson schema = JsonSchema();
  const auto at = [&](const std::string& kind, const std::string& pointer) {
    return data::Compact(
        schema["$defs"][kind].at(OrderedJson::json_pointer("/properties" + pointer)));
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
