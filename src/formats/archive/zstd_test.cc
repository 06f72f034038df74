// SPDX-License-Identifier: Apache-2.0
#include "archive/zstd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace archive {
namespace {

using base::Error;

std::string Compressed(std::string_view text) {
  std::string frame;
  const base::TakeBytes take = [&](std::string_view bytes) { frame += bytes; };
  Compressor compressor(take);
  compressor.Add(text.substr(0, text.size() / 2));
  compressor.Add(text.substr(text.size() / 2));
  compressor.End();
  return frame;
}

std::string Decompressed(std::string_view frame, std::size_t piece = 1000) {
  std::string text;
  const base::TakeBytes take = [&](std::string_view bytes) { text += bytes; };
  Decompressor decompressor(take);
  for (; !frame.empty(); frame.remove_prefix(std::min(frame.size(), piece))) {
    decompressor.Add(frame.substr(0, piece));
  }
  decompressor.End();
  return text;
}

// Bytes that do not compress well.
std::string Noise(std::size_t size) {
  std::string text;
  for (unsigned state = 1; text.size() < size;) {
    state = state * 1'103'515'245U + 12'345U;
    text += static_cast<char>(state >> 16U);
  }
  return text;
}

TEST(Zstd, DecompressesWhatItCompressed) {
  for (const std::string& text :
       {std::string(), std::string("text"), std::string(3'000'000, 'x'), Noise(1'000'000)}) {
    const std::string frame = Compressed(text);
    EXPECT_TRUE(frame.starts_with(kZstdMagic));
    EXPECT_TRUE(Decompressed(frame) == text);
    EXPECT_TRUE(Decompressed(frame, 10'000'000) == text);
  }
  EXPECT_LT(Compressed(std::string(3'000'000, 'x')).size(), 1000U);
}

TEST(Zstd, RefusesATruncatedFrame) {
  const std::string frame = Compressed(Noise(1000));
  for (std::size_t size = 0; size < frame.size(); size += 50) {
    EXPECT_THROW(Decompressed(frame.substr(0, size)), Error) << size;
  }
}

TEST(Zstd, RefusesADamagedFrame) {
  std::string frame = Compressed(Noise(1000));
  frame[500] = static_cast<char>(frame[500] ^ 1);
  EXPECT_THROW(Decompressed(frame), Error);
  EXPECT_THROW(Decompressed("not a frame of zstd"), Error);
}

}  // namespace
}  // namespace archive
