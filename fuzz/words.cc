// SPDX-License-Identifier: Apache-2.0
// Arguments of a command line: a certificate's minimum remaining time, and the path of a field.
// They are refused or parsed, and the parsed value can be printed and parsed again.
#include "certs/remaining.h"
#include "config/field_tree.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::Text(bytes, size);
  fuzz::Refused([&] {
    const base::Duration remaining = certs::ParseRemaining(text);
    fuzz::Require(certs::ParseRemaining(base::FormatDuration(remaining)) == remaining,
                  "a length of time reads back as itself");
  });
  for (const config::FoundField& found : config::FindFields(text)) {
    const std::string path =
        found.path.empty() ? found.kind->root.name : found.kind->root.name + "." + found.path;
    const auto again = config::FindFields(path);
    fuzz::Require(again.size() == 1 && again.front().node == found.node,
                  "a field is found by its own path");
  }
  return 0;
}
