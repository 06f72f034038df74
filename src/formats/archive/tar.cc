// SPDX-License-Identifier: Apache-2.0
#include "archive/tar.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"

namespace archive {
namespace {

using base::Error;

constexpr std::size_t kBlock = 512;
constexpr std::uint64_t kLargestOctal = 077777777777;  // the largest value of the size field
constexpr std::size_t kNameSize = 100;
constexpr std::size_t kLargestExtended = 64 << 10;

// A field of the ustar header.
struct Span {
  std::size_t at;
  std::size_t size;
};
constexpr Span kName{0, kNameSize};
constexpr Span kMode{100, 8};
constexpr Span kUid{108, 8};
constexpr Span kGid{116, 8};
constexpr Span kSize{124, 12};
constexpr Span kModified{136, 12};
constexpr Span kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Span kMagic{257, 6};
constexpr Span kVersion{263, 2};
constexpr Span kPrefix{345, 155};

[[noreturn]] void FailDamaged(const std::string& why) {
  throw Error(Error::Kind::kInvalid, "the archive is damaged: " + why);
}

void Put(std::string& header, Span span, std::string_view text) {
  header.replace(span.at, text.size(), text);
}

void PutOctal(std::string& header, Span span, std::uint64_t number) {
  Put(header, span, fmt::format("{:0{}o}", number, span.size - 1));
}

std::string_view Get(std::string_view header, Span span) {
  const std::string_view field = header.substr(span.at, span.size);
  return field.substr(0, field.find('\0'));
}

std::uint64_t GetOctal(std::string_view header, Span span) {
  std::uint64_t number = 0;
  for (const char c : base::Trim(Get(header, span))) {
    if (c < '0' || c > '7' || number > kLargestOctal) {
      FailDamaged("a header has a malformed number");
    }
    number = number * 8 + static_cast<unsigned>(c - '0');
  }
  return number;
}

std::uint64_t ChecksumOf(std::string_view header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
    sum += own ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

// Returns a record of an extended header: its whole length, a space, KEY=VALUE, a line end.
std::string Record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + std::to_string(rest).size();
  length = rest + std::to_string(length).size();
  return fmt::format("{} {}={}\n", length, key, value);
}

unsigned PaddingOf(std::uint64_t size) {
  return static_cast<unsigned>((kBlock - size % kBlock) % kBlock);
}

}  // namespace

void RequireSafeName(std::string_view name) {
  const auto unsafe = [](const std::string& part) {
    return part.empty() || part == "." || part == "..";
  };
  if (name.size() >= PATH_MAX || name.contains('\0') ||
      std::ranges::any_of(base::Split(name, '/'), unsafe)) {
    throw Error(Error::Kind::kInvalid, fmt::format("the archive has a file with the unsafe name {}",
                                                   base::Quoted(name.substr(0, 200))));
  }
}

void TarWriter::RequireComplete() const {
  if (left_ > 0) {
    throw Error(Error::Kind::kInvalid, fmt::format("{} became shorter while it was read: {} bytes "
                                                   "of {} are missing",
                                                   name_, left_, size_));
  }
}

void TarWriter::Header(const TarFile& file, char type) {
  std::string header(kBlock, '\0');
  Put(header, kName, file.name.substr(0, kNameSize));
  PutOctal(header, kMode, file.mode);
  PutOctal(header, kUid, 0);
  PutOctal(header, kGid, 0);
  PutOctal(header, kSize, std::min(file.size, kLargestOctal));
  PutOctal(header, kModified, static_cast<std::uint64_t>(std::max<std::int64_t>(file.modified, 0)));
  header[kType] = type;
  Put(header, kMagic, std::string_view("ustar\0", 6));
  Put(header, kVersion, "00");
  Put(header, kChecksum, fmt::format("{:06o}{} ", ChecksumOf(header), '\0'));
  next_(header);
}

void TarWriter::Begin(const TarFile& file) {
  RequireComplete();
  RequireSafeName(file.name);
  std::string records;
  if (file.name.size() > kNameSize) {
    records += Record("path", file.name);
  }
  if (file.size > kLargestOctal) {
    records += Record("size", std::to_string(file.size));
  }
  if (!records.empty()) {
    Header({.name = "pax", .size = records.size(), .modified = file.modified}, 'x');
    next_(records);
    next_(std::string(PaddingOf(records.size()), '\0'));
  }
  Header(file, '0');
  name_ = file.name;
  left_ = size_ = file.size;
}

void TarWriter::Add(std::string_view bytes) {
  if (bytes.size() > left_) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} became longer than {} bytes while it was read", name_, size_));
  }
  if (bytes.empty()) {
    return;
  }
  next_(bytes);
  left_ -= bytes.size();
  if (left_ == 0) {
    next_(std::string(PaddingOf(size_), '\0'));
  }
}

void TarWriter::End() {
  RequireComplete();
  next_(std::string(2 * kBlock, '\0'));
}

void TarReader::BeginFile(TarFile file) {
  if (!path_.empty()) {
    file.name = std::exchange(path_, {});
  }
  if (long_size_ >= 0) {
    file.size = static_cast<std::uint64_t>(std::exchange(long_size_, -1));
  }
  RequireSafeName(file.name);
  handler_.on_file(file);
  left_ = file.size;
  padding_ = PaddingOf(file.size);
  state_ = State::kContent;
  if (left_ == 0) {
    EndFile();
  }
}

void TarReader::EndFile() {
  handler_.on_end();
  state_ = padding_ > 0 ? State::kPadding : State::kHeader;
}

void TarReader::OnBlock(std::string_view block) {
  if (block.find_first_not_of('\0') == std::string_view::npos) {
    state_ = std::exchange(one_zero_block_, true) ? State::kEnd : State::kHeader;
    return;
  }
  if (one_zero_block_ || Get(block, kMagic) != "ustar" ||
      GetOctal(block, kChecksum) != ChecksumOf(block)) {
    FailDamaged("a header is not one of POSIX's tar");
  }
  const std::string prefix(Get(block, kPrefix));
  TarFile file{.name = (prefix.empty() ? "" : prefix + "/") + std::string(Get(block, kName)),
               .size = GetOctal(block, kSize),
               .mode = static_cast<unsigned>(GetOctal(block, kMode)) & 07777U,
               .modified = static_cast<std::int64_t>(GetOctal(block, kModified))};
  const char type = block[kType];
  if (type == 'x' && file.size <= kLargestExtended && extended_.empty()) {
    left_ = file.size;
    padding_ = PaddingOf(file.size);
    state_ = left_ > 0 ? State::kExtended : State::kHeader;
  } else if (type == '0' || type == '\0') {
    BeginFile(std::move(file));
  } else {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the archive has an entry that is not a plain file: {}",
                            base::Quoted(file.name)));
  }
}

// Skips the records that are not needed here, as POSIX requires.
void TarReader::ReadExtended() {
  std::string_view rest = extended_;
  while (!rest.empty()) {
    const std::size_t blank = rest.find(' ');
    const auto length = base::ParseNumber<std::size_t>(rest.substr(0, blank));
    if (blank == std::string_view::npos || !length || *length <= blank + 1 ||
        *length > rest.size() || rest[*length - 1] != '\n') {
      FailDamaged("an extended header is malformed");
    }
    const std::string_view record = rest.substr(blank + 1, *length - blank - 2);
    const std::size_t sign = record.find('=');
    const std::string_view key = record.substr(0, sign);
    const std::string_view value = sign == std::string_view::npos ? "" : record.substr(sign + 1);
    if (key == "path") {
      path_ = value;
    } else if (key == "size") {
      const auto size = base::ParseNumber<std::int64_t>(value);
      if (!size || *size < 0) {
        FailDamaged("an extended header has a malformed size");
      }
      long_size_ = *size;
    }
    rest.remove_prefix(*length);
  }
  extended_.clear();
}

std::string_view TarReader::TakeContent(std::string_view bytes) {
  const std::string_view part =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  left_ -= part.size();
  if (state_ == State::kExtended) {
    extended_ += part;
    if (left_ == 0) {
      ReadExtended();
      state_ = padding_ > 0 ? State::kPadding : State::kHeader;
    }
  } else {
    handler_.on_bytes(part);
    if (left_ == 0) {
      EndFile();
    }
  }
  return bytes.substr(part.size());
}

void TarReader::Add(std::string_view bytes) {
  while (!bytes.empty() && state_ != State::kEnd) {
    if (state_ == State::kContent || state_ == State::kExtended) {
      bytes = TakeContent(bytes);
    } else if (state_ == State::kPadding) {
      const auto part = std::min<std::size_t>(padding_, bytes.size());
      padding_ -= static_cast<unsigned>(part);
      bytes.remove_prefix(part);
      state_ = padding_ > 0 ? State::kPadding : State::kHeader;
    } else {
      const std::string_view part = bytes.substr(0, kBlock - block_.size());
      block_ += part;
      bytes.remove_prefix(part.size());
      if (block_.size() == kBlock) {
        OnBlock(std::exchange(block_, {}));
      }
    }
  }
  if (bytes.find_first_not_of('\0') != std::string_view::npos) {
    FailDamaged("data follow its end");
  }
}

void TarReader::End() const {
  if (state_ != State::kEnd) {
    FailDamaged("it is truncated");
  }
}

}  // namespace archive
