// SPDX-License-Identifier: Apache-2.0
#include "readdress/journal.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace readdress {
namespace {

net::IpAddress Ip(const char* text) { return net::IpAddress::Parse(text).value(); }

TEST(Journal, ComesBackAsItWas) {
  host::FakeHost fake;
  EXPECT_EQ(LoadJournal(fake.files), std::nullopt);
  SaveJournal(fake.files, {.move = {.from = Ip("fd00::1"), .to = Ip("fd00::2")},
                           .directory = "/etc/kubernetes/tmp/x",
                           .moves_pods = false,
                           .pods_serve = true,
                           .peers_know = false});
  const std::optional<Journal> journal = LoadJournal(fake.files);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->move.from, Ip("fd00::1"));
  EXPECT_EQ(journal->move.to, Ip("fd00::2"));
  EXPECT_EQ(journal->directory, "/etc/kubernetes/tmp/x");
  EXPECT_FALSE(journal->moves_pods);
  EXPECT_TRUE(journal->pods_serve);
  EXPECT_FALSE(journal->peers_know);
  RemoveJournal(fake.files);
  EXPECT_EQ(LoadJournal(fake.files), std::nullopt);
}

TEST(Journal, IsNothingElse) {
  for (const char* text : {"", "{}", "[1]",
                           R"({"from":"x","to":"10.0.0.1","directory":"/d",)"
                           R"("podsServe":true,"peersKnow":true})"}) {
    host::FakeHost fake;
    fake.files.Write(kJournalFile, text, {});
    const base::Error error = base::Thrown([&] { LoadJournal(fake.files); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
    EXPECT_THAT(error.message(), testing::HasSubstr("is not a journal of a new address"));
    EXPECT_THAT(error.message(), testing::Not(testing::ContainsRegex("exception|optional")));
  }
}

}  // namespace
}  // namespace readdress
