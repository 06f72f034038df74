// SPDX-License-Identifier: Apache-2.0
// YAML: every accepted input can be written, and reads back as the same value.
#include "yaml/yaml.h"

#include "fuzz.h"
#include "yaml/kyaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::Text(bytes, size);
  fuzz::Refused([&] {
    for (const yaml::Piece& piece : yaml::Split(text)) {
      fuzz::Require(!piece.text.empty(), "a piece has text");
    }
  });
  json::Value value;
  if (fuzz::Refused([&] { value = yaml::Parse(text).value; })) {
    return 0;
  }
  if (json::cost::Of(value) > (1 << 20)) {  // aliases expand a short input beyond the limit
    return 0;
  }
  json::Value yaml;
  json::Value kyaml;
  fuzz::Require(!fuzz::Refused([&] { yaml = yaml::Parse(yaml::Emit(value)).value; }),
                "YAML we wrote can be read");
  fuzz::Require(yaml == value, "YAML we wrote means the same");
  fuzz::Require(!fuzz::Refused([&] { kyaml = yaml::Parse(yaml::EmitKyaml(value)).value; }),
                "KYAML we wrote can be read");
  fuzz::Require(kyaml == value, "KYAML we wrote means the same");
  return 0;
}
