// SPDX-License-Identifier: Apache-2.0
#include "node_input/patch_lines.h"

#include <gmock/gmock.h>

namespace node_input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Reason = PatchSet::Ignored::Reason;

TEST(FoundLines, NameEachFileAndWhyItIsIgnored) {
  const PatchSet patches{.directory = "/patches",
                         .found = {"etcd.json", "kube-scheduler+merge.yaml"},
                         .ignored = {{.reason = Reason::kWrongExtension, .file = "a.txt"},
                                     {.reason = Reason::kUnknownTarget, .file = "b.yaml"},
                                     {.reason = Reason::kEmpty, .file = "etcd.yaml"}},
                         .patches = {}};
  EXPECT_THAT(
      FoundLines(patches),
      ElementsAre(
          "[patches] Reading patches from path \"/patches\"",
          "[patches] Found the following patch files: [etcd.json kube-scheduler+merge.yaml]",
          HasSubstr("Ignoring file \"a.txt\": its extension is not one of"),
          HasSubstr("Ignoring file \"b.yaml\": its target is not one of"),
          "[patches] Ignoring file \"etcd.yaml\": it is empty"));
}

TEST(AppliedLine, NamesTypeAndTarget) {
  EXPECT_EQ(AppliedLine({.type = PatchType::kMerge, .target = "etcd"}),
            "[patches] Applied patch of type \"application/merge-patch+json\" to target \"etcd\"");
}

}  // namespace
}  // namespace node_input
