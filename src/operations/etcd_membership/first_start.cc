// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/first_start.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "etcd_membership/local_etcd.h"

namespace etcd_membership {
namespace {

constexpr std::string_view kFirstSegment = "0000000000000000-0000000000000000.wal";

// A frame of the log is an 8-byte length, little endian, followed by a record. The upper byte of
// the length describes padding: if its highest bit is set, its lowest three bits are the number of
// padding bytes.
constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kRecordLength = 0x00FF'FFFF'FFFF'FFFF;
constexpr unsigned kPaddingShift = 56;
constexpr std::uint64_t kHasPadding = 0x80;
constexpr std::uint64_t kPadding = 0x07;

// A record is a protocol buffer that begins with its type, field 1 as a varint.
constexpr char kTypeTag = 0x08;
constexpr char kEntry = 2;

std::uint64_t LengthAt(std::string_view text) {
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i > 0; --i) {
    length = length << 8U | static_cast<unsigned char>(text[i - 1]);
  }
  return length;
}

// Removes the next record from the text and returns it. Returns std::nullopt at the end of the
// text, or at the zeros that etcd reserves for future records.
std::optional<std::string_view> TakeRecord(std::string_view& text) {
  if (text.size() < kLengthBytes) {
    return std::nullopt;
  }
  const std::uint64_t length = LengthAt(text);
  text.remove_prefix(kLengthBytes);
  const std::uint64_t size = length & kRecordLength;
  if (size == 0 || size > text.size()) {
    return std::nullopt;
  }
  const std::uint64_t upper = length >> kPaddingShift;
  const std::uint64_t padding = (upper & kHasPadding) != 0 ? upper & kPadding : 0;
  const std::string_view record = text.substr(0, size);
  text.remove_prefix(std::min<std::uint64_t>(size + padding, text.size()));
  return record;
}

}  // namespace

bool HasEmptyLog(const host::Files& files, const fs::path& data_dir) {
  const fs::path directory = data_dir / kMemberDirectory / "wal";
  if (!files.Exists(directory)) {
    return false;
  }
  const std::vector<std::string> names = files.List(directory);
  const auto segments =
      std::ranges::count_if(names, [](const std::string& name) { return name.ends_with(".wal"); });
  if (segments != 1) {  // a new segment is created only when the previous one is full
    return false;
  }
  const std::optional<std::string> log = files.Find(directory / kFirstSegment);
  std::string_view rest = log ? std::string_view(*log) : std::string_view();
  while (const auto record = TakeRecord(rest)) {
    if (record->starts_with(std::string{kTypeTag, kEntry})) {
      return false;
    }
  }
  return log.has_value();
}

}  // namespace etcd_membership
