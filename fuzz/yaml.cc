// YAML: whatever can be read can be written, and reads back as the same value.
#include "data/yaml.h"

#include "data/kyaml.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::Text(bytes, size);
  fuzz::Refused([&] {
    for (const data::YamlPiece& piece : data::SplitYaml(text)) {
      fuzz::Require(!piece.text.empty(), "a piece has text");
    }
  });
  data::Json value;
  if (fuzz::Refused([&] { value = data::ParseYaml(text).value; })) {
    return 0;
  }
  if (data::cost::Of(value) > (1 << 20)) {  // aliases make much of little, more than is read
    return 0;
  }
  data::Json yaml;
  data::Json kyaml;
  fuzz::Require(!fuzz::Refused([&] { yaml = data::ParseYaml(data::EmitYaml(value)).value; }),
                "YAML we wrote can be read");
  fuzz::Require(yaml == value, "YAML we wrote means the same");
  fuzz::Require(!fuzz::Refused([&] { kyaml = data::ParseYaml(data::EmitKyaml(value)).value; }),
                "KYAML we wrote can be read");
  fuzz::Require(kyaml == value, "KYAML we wrote means the same");
  return 0;
}
