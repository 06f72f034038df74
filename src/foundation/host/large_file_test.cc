// SPDX-License-Identifier: Apache-2.0
#include "host/large_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace host {
namespace {

using base::Error;

Error::Kind FailureOf(const Files& files, const fs::path& path) {
  try {
    const LargeFile file(files, path);
  } catch (const Error& error) {
    return error.kind();
  }
  return Error::Kind::kOther;
}

TEST(LargeFile, IsReadPieceByPiece) {
  FakeHost fake;
  std::string content(2 * LargeFile::kPiece + 10, 'x');
  content.back() = 'y';
  fake.files.Write("/data", content, {});
  LargeFile file(fake.files, "/data");
  EXPECT_EQ(file.size(), content.size());
  std::string all;
  for (std::string_view piece = file.Read(); !piece.empty(); piece = file.Read()) {
    EXPECT_LE(piece.size(), LargeFile::kPiece);
    all += piece;
  }
  EXPECT_TRUE(all == content);
}

TEST(LargeFile, RefusesPathsThatAreNotPlainFiles) {
  FakeHost fake;
  fake.files.MakeDirectories("/directory", 0755);
  EXPECT_EQ(FailureOf(fake.files, "/directory"), Error::Kind::kInvalid);
  EXPECT_EQ(FailureOf(fake.files, "/missing"), Error::Kind::kNotFound);
  ASSERT_EQ(mkfifo(fake.files.Location("/pipe").c_str(), 0600), 0);
  EXPECT_EQ(FailureOf(fake.files, "/pipe"), Error::Kind::kInvalid);
}

}  // namespace
}  // namespace host
