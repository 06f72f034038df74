// SPDX-License-Identifier: Apache-2.0
#include "inventories/entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "base/error.h"

namespace inventories {
namespace {

using testing::SizeIs;

TEST(ReadEntries, ReadsHosts) {
  const auto entries = ReadEntries(
      "- hostname: a\n  addresses: [10.0.0.1, a.b]\n  providerID: x://1\n  use: once\n- hostname: "
      "b\n",
      judgement::Source::kFile);
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_TRUE(entries[0].one_time);
  EXPECT_THAT(entries[0].addresses, SizeIs(3));
  EXPECT_EQ(entries[0].addresses[0].type, "InternalIP");
  EXPECT_EQ(entries[0].addresses[1].type, "Hostname");
  EXPECT_FALSE(entries[1].one_time);
  for (const char* bad : {"a: b", "- a", "- {}", "- hostname: A_B", "- hostname: a\n  more: 1",
                          "- hostname: a\n  use: twice", "- hostname: a\n- hostname: a",
                          "- hostname: a\n  addresses: x", "- hostname: a\n  addresses: [1]"}) {
    EXPECT_THROW(ReadEntries(bad, judgement::Source::kFile), base::Error) << bad;
  }
}

TEST(ReadEntries, ReadsTheEndorsementKeyOfATpm) {
  const std::string key = "sha256:" + std::string(64, 'a');
  const auto read = [](const std::string& text) {
    return ReadEntries("[{hostname: a, endorsementKey: '" + text + "'}]", judgement::Source::kFile);
  };
  EXPECT_EQ(read(key).at(0).endorsement_key, key);
  for (const std::string& bad :
       {std::string(64, 'a'), key + "a", key.substr(0, 70), "sha256:" + std::string(64, 'A'),
        "sha1:" + std::string(64, 'a')}) {
    EXPECT_THROW(read(bad), base::Error) << bad;
  }
}

TEST(SameEntry, ComparesEveryPropertyOfAnEntry) {
  const judgement::Machine entry =
      ReadEntries("[{hostname: a, addresses: [10.0.0.5]}]", judgement::Source::kFile).at(0);
  EXPECT_TRUE(SameEntry(entry, entry));
  const std::vector<std::function<void(judgement::Machine&)>> changes{
      [](judgement::Machine& m) { m.name = "b"; },
      [](judgement::Machine& m) { m.addresses[0].address = "10.0.0.6"; },
      [](judgement::Machine& m) { m.addresses[0].type = "Hostname"; },
      [](judgement::Machine& m) { m.addresses.pop_back(); },
      [](judgement::Machine& m) { m.one_time = true; },
      [](judgement::Machine& m) { m.created = judgement::Time{}; },
      [](judgement::Machine& m) { m.provider_id = "x"; },
      [](judgement::Machine& m) { m.endorsement_key = "x"; }};
  for (const auto& change : changes) {
    judgement::Machine other = entry;
    change(other);
    EXPECT_FALSE(SameEntry(entry, other));
  }
}

}  // namespace
}  // namespace inventories
