// SPDX-License-Identifier: Apache-2.0
// Go templates on one object: they are refused or print something, and always terminate.
#include "print/gotemplate.h"

#include "fuzz.h"
#include "json/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const json::Value object = json::Parse(R"({
    "kind": "Foo", "metadata": {"name": "a", "labels": {"a.b/c": "d"}}, "none": null,
    "items": [{"name": "n1", "v": 1, "tags": ["p", "q"]}, {"name": "n2", "v": 2.5, "tags": []}],
    "numbers": [3, 1, 2], "empty": {}})");
  fuzz::Refused([&] {
    const print::GoTemplate parsed(fuzz::Text(bytes, size));
    fuzz::Refused([&] { parsed.Execute(object, print::MissingKeys::kAllowed); });
    fuzz::Refused([&] { parsed.Execute(object, print::MissingKeys::kRefused); });
  });
  return 0;
}
