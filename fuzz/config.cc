// SPDX-License-Identifier: Apache-2.0
// Configuration files: loading any input ends in a configuration or an Error, and a migrated
// configuration is valid and migrates to itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "config/load.h"
#include "config/marshal.h"

namespace {

config::Facts Facts() {
  config::Facts facts;
  facts.hostname = "host";
  facts.random = [](std::size_t count) { return std::string(count, '\1'); };
  return facts;
}

// Migration replaces the API server's timeout field, which is 0s from then on.
std::string Migrated(const std::string& text) {
  return config::Migrate({.text = text, .name = "fuzz"}, Facts());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  try {
    config::LoadInit({.text = text, .name = "fuzz"}, Facts());
  } catch (const base::Error&) {
  }
  std::string once;
  try {
    once = Migrated(Migrated(text));
  } catch (const base::Error&) {
    return 0;
  }
  if (Migrated(once) != once) {
    std::abort();
  }
  return 0;
}
