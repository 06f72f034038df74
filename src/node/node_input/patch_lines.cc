// SPDX-License-Identifier: Apache-2.0
#include "node_input/patch_lines.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace node_input {
namespace {

using Reason = PatchSet::Ignored::Reason;

std::string IgnoredLine(const PatchSet::Ignored& ignored) {
  switch (ignored.reason) {
    case Reason::kWrongExtension:
      return fmt::format("[patches] Ignoring file {}: its extension is not one of {}",
                         base::Quoted(ignored.file), base::QuotedList(PatchExtensions()));
    case Reason::kUnknownTarget:
      return fmt::format("[patches] Ignoring file {}: its target is not one of {}",
                         base::Quoted(ignored.file), base::QuotedList(PatchTargets()));
    case Reason::kEmpty:
      break;
  }
  return fmt::format("[patches] Ignoring file {}: it is empty", base::Quoted(ignored.file));
}

}  // namespace

std::vector<std::string> FoundLines(const PatchSet& patches) {
  std::vector<std::string> lines = {fmt::format("[patches] Reading patches from path {}",
                                                base::Quoted(patches.directory.string())),
                                    fmt::format("[patches] Found the following patch files: [{}]",
                                                base::Join(patches.found, " "))};
  for (const auto& ignored : patches.ignored) {
    lines.push_back(IgnoredLine(ignored));
  }
  return lines;
}

std::string AppliedLine(const AppliedPatch& applied) {
  return fmt::format("[patches] Applied patch of type {} to target {}",
                     base::Quoted(MimeType(applied.type)), base::Quoted(applied.target));
}

}  // namespace node_input
