// SPDX-License-Identifier: Apache-2.0
// JSONPath templates on one object: they are refused or print something, and always terminate.
#include "print/jsonpath.h"

#include "fuzz.h"
#include "json/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const json::Value object = json::Parse(R"({
    "kind": "Foo", "metadata": {"name": "a", "labels": {"a.b/c": "d"}}, "none": null,
    "items": [{"name": "n1", "v": 1, "tags": ["p", "q"]}, {"name": "n2", "v": 2.5, "tags": []}],
    "numbers": [3, 1, 2], "empty": {}})");
  fuzz::Refused([&] {
    const print::JsonPath path(fuzz::Text(bytes, size));
    fuzz::Refused([&] { path.Text(object, print::MissingKeys::kAllowed); });
    fuzz::Refused([&] { path.JsonText(object, print::MissingKeys::kRefused); });
  });
  return 0;
}
