// SPDX-License-Identifier: Apache-2.0
#include "archive/tar.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/error.h"

namespace archive {
namespace {

using base::Error;
using testing::HasSubstr;

using Content = std::pair<TarFile, std::string>;

std::string Written(const std::vector<Content>& files) {
  std::string archive;
  const base::TakeBytes take = [&](std::string_view bytes) { archive += bytes; };
  TarWriter writer(take);
  for (const auto& [file, content] : files) {
    writer.Begin(file);
    writer.Add(std::string_view(content).substr(0, content.size() / 2));
    writer.Add(std::string_view(content).substr(content.size() / 2));
  }
  writer.End();
  return archive;
}

std::vector<Content> Read(std::string_view archive, std::size_t piece = 1000) {
  std::vector<Content> files;
  int open = 0;
  const TarHandler handler{
      .on_file =
          [&](const TarFile& file) {
            files.emplace_back(file, "");
            ++open;
          },
      .on_bytes = [&](std::string_view bytes) { files.back().second += bytes; },
      .on_end = [&] { --open; }};
  TarReader reader(handler);
  for (; !archive.empty(); archive.remove_prefix(std::min(archive.size(), piece))) {
    reader.Add(archive.substr(0, piece));
  }
  reader.End();
  EXPECT_EQ(open, 0);
  return files;
}

std::string Failure(std::string_view archive) {
  try {
    Read(archive);
  } catch (const Error& error) {
    return error.message();
  }
  return "read";
}

Content FileOf(std::string name, std::string content) {
  const std::uint64_t size = content.size();
  return {{.name = std::move(name), .size = size, .mode = 0640, .modified = 1'700'000'000},
          std::move(content)};
}

// Returns the archive with `text` at the offset `at` of the first header, whose checksum is
// corrected.
std::string Changed(std::string archive, std::size_t at, std::string_view text) {
  archive.replace(at, text.size(), text);
  unsigned sum = 8 * ' ';
  for (std::size_t i = 0; i < 512; ++i) {
    sum += i >= 148 && i < 156 ? 0 : static_cast<unsigned char>(archive[i]);
  }
  return archive.replace(148, 6, fmt::format("{:06o}", sum));
}

TEST(Tar, ReadsWhatItWrote) {
  const std::vector<Content> files = {
      FileOf("manifest.json", "{}"), FileOf("empty", ""), FileOf("block", std::string(512, 'x')),
      FileOf("files/" + std::string(120, 'd') + "/" + std::string(150, 'n'),
             std::string(1025, 'y'))};
  for (const std::size_t piece : {1UL, 511UL, 512UL, 100'000UL}) {
    EXPECT_EQ(Read(Written(files), piece), files) << piece;
  }
}

TEST(Tar, WritesSizesBeyondTheHeadersField) {
  std::string archive;
  const base::TakeBytes take = [&](std::string_view bytes) { archive += bytes; };
  TarWriter(take).Begin({.name = "big", .size = 9'000'000'000});
  std::uint64_t size = 0;
  const TarHandler handler{.on_file = [&](const TarFile& file) { size = file.size; },
                           .on_bytes = [](std::string_view) {},
                           .on_end = [] {}};
  TarReader(handler).Add(archive);
  EXPECT_EQ(size, 9'000'000'000U);
}

TEST(Tar, RefusesUnsafeNames) {
  for (const char* name : {"/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/.", ""}) {
    EXPECT_THROW(RequireSafeName(name), Error) << name;
    EXPECT_THROW(Written({FileOf(name, "")}), Error) << name;
  }
  EXPECT_THAT(Failure(Changed(Written({FileOf("xx/a", "")}), 0, "..")), HasSubstr("unsafe name"));
}

TEST(Tar, RefusesEntriesThatAreNotPlainFiles) {
  for (const char type : {'1', '2', '3', '4', '5', '6', '7', 'L', 'K', 'S', 'g'}) {
    EXPECT_THAT(Failure(Changed(Written({FileOf("a", "")}), 156, {&type, 1})),
                HasSubstr("not a plain file"))
        << type;
  }
}

TEST(Tar, RefusesATruncatedArchive) {
  const std::string archive = Written({FileOf("a", std::string(700, 'x'))});
  for (std::size_t size = 0; size < archive.size(); size += 100) {
    EXPECT_THAT(Failure(archive.substr(0, size)), HasSubstr("truncated")) << size;
  }
}

TEST(Tar, RefusesADamagedHeader) {
  const std::string archive = Written({FileOf("a", "content")});
  for (std::size_t i = 0; i < 512 && i != 155; ++i) {  // 155: the end of the checksum's field
    std::string changed = archive;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_NE(Failure(changed), "read") << i;
  }
  EXPECT_THAT(Failure(archive + "text"), HasSubstr("data follow its end"));
}

TEST(Tar, RefusesAFileThatChangesItsSize) {
  const base::TakeBytes take = [](std::string_view) {};
  TarWriter writer(take);
  writer.Begin({.name = "a", .size = 3});
  EXPECT_THROW(writer.Add("four"), Error);
  EXPECT_THROW(writer.Begin({.name = "b"}), Error);
  EXPECT_THROW(writer.End(), Error);
}

}  // namespace
}  // namespace archive
