// SPDX-License-Identifier: Apache-2.0
#include "print/quoted.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "base/error.h"
#include "base/utf8.h"

namespace print {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string Run() {
    while (!rest_.empty()) {
      if (rest_.front() == '\\') {
        ReadEscape();
      } else {
        out_ += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void Fail() const {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("unknown escape {}", rest_.substr(0, 2)));
  }

  void ReadEscape() {
    constexpr std::string_view kNames = "abfnrtv\\'\"";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
    const char name = rest_.size() > 1 ? rest_[1] : '\0';
    if (const std::size_t i = kNames.find(name); i != kNames.npos) {
      out_ += kMeanings[i];
      rest_.remove_prefix(2);
    } else if (name >= '0' && name <= '7') {
      ReadNumber({.prefix = 1, .digits = 3, .base = 8});
    } else if (name == 'x') {
      ReadNumber({.prefix = 2, .digits = 2, .base = 16});
    } else if (name == 'u') {
      ReadNumber({.prefix = 2, .digits = 4, .base = 16});
    } else if (name == 'U') {
      ReadNumber({.prefix = 2, .digits = 8, .base = 16});
    } else {
      Fail();
    }
  }

  struct Form {
    std::size_t prefix;
    std::size_t digits;
    int base;
  };

  // Two hexadecimal digits or three octal digits are a byte. More digits are a code point.
  void ReadNumber(const Form& form) {
    const std::size_t size = form.prefix + form.digits;
    if (rest_.size() < size) {
      Fail();
    }
    std::uint32_t number = 0;
    const char* begin = rest_.data() + form.prefix;
    const char* end = rest_.data() + size;
    const bool byte = form.digits < 4;
    if (std::from_chars(begin, end, number, form.base).ptr != end || (byte && number > 0xFF) ||
        number > 0x10FFFF || (number >= 0xD800 && number <= 0xDFFF)) {
      Fail();
    }
    out_ += byte ? std::string(1, static_cast<char>(number)) : base::EncodeUtf8(number);
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  std::string out_;
};

}  // namespace

std::string UnescapeGo(std::string_view text) { return Reader(text).Run(); }

}  // namespace print
