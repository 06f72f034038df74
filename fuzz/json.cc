// JSON: whatever can be read can be written, and reads back as the same value.
#include "data/json.h"

#include "data/budget.h"
#include "data/json_lines.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::Text(bytes, size);
  std::size_t last = 0;
  data::ForEachLine(text, [&](std::string_view line, std::size_t number) {
    fuzz::Require(number > last && !line.empty() && line.size() <= size, "lines are counted");
    last = number;
  });
  data::Json value;
  if (fuzz::Refused([&] { value = data::ParseJson(text); })) {
    fuzz::Require(data::TryParseJson(text).is_null(), "what is refused is null when tried");
    return 0;
  }
  for (const std::string& again : {data::Compact(value), data::Pretty(value)}) {
    fuzz::Require(data::ParseJson(again) == value, "JSON we wrote means the same");
  }
  data::Budget small(data::cost::Of(value) / 4);
  fuzz::Refused([&] { data::ParseJson(text, small); });
  return 0;
}
