// SPDX-License-Identifier: Apache-2.0
// JSON: every accepted input can be written, and reads back as the same value.
#include "fuzz.h"
#include "json/budget.h"
#include "json/lines.h"
#include "json/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::Text(bytes, size);
  std::size_t last = 0;
  json::ForEachLine(text, [&](std::string_view line, std::size_t number) {
    fuzz::Require(number > last && !line.empty() && line.size() <= size, "lines are counted");
    last = number;
  });
  json::Value value;
  if (fuzz::Refused([&] { value = json::Parse(text); })) {
    fuzz::Require(json::TryParse(text).is_null(), "what is refused is null when tried");
    return 0;
  }
  for (const std::string& again : {json::Compact(value), json::Pretty(value)}) {
    fuzz::Require(json::Parse(again) == value, "JSON we wrote means the same");
  }
  json::Budget small(json::cost::Of(value) / 4);
  fuzz::Refused([&] { json::Parse(text, small); });
  return 0;
}
