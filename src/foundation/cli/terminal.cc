// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <streambuf>
#include <utility>

#include "base/error.h"
#include "base/log_colors.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/colors.h"

namespace cli {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

// Returns the length of an incomplete code point at the end of `text`. Returns 0 if `text` ends
// with a complete code point or with an invalid byte.
std::size_t UnfinishedTail(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t length = 1; length < kLongest && length <= text.size(); ++length) {
    const auto lead = static_cast<unsigned char>(text[text.size() - length]);
    if ((lead & 0xC0U) != 0x80) {
      const std::size_t whole = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
      return whole > length ? length : 0;
    }
  }
  return 0;
}

}  // namespace

// Buffers an incomplete code point until its remaining bytes arrive. With colours, also buffers a
// line until the line ends or is flushed. Standard error is flushed after each piece of a line.
class Terminal::Guard : public std::streambuf {
 public:
  Guard(std::ostream& stream, bool is_terminal)
      : stream_(stream), own_(stream.rdbuf(this)), is_terminal_(is_terminal) {}
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() override {
    PutHeld(held_.size());
    stream_.rdbuf(own_);
  }

  // Calls `put` with the guard of `out`, or writes `text` unchanged if `out` has none.
  template <typename Put>
  static std::ostream& Write(std::ostream& out, std::string_view text, Put put) {
    auto* const guard = dynamic_cast<Guard*>(out.rdbuf());
    if (guard == nullptr) {
      return out << text;
    }
    const std::ostream::sentry ready(out);
    if (ready && !put(*guard)) {
      out.setstate(std::ios::badbit);
    }
    return out;
  }

  void SetPainting(bool on) { paints_ = on; }

  // PutExact and PutCodes return false if the text was not written completely.
  bool PutExact(std::string_view text) {
    if (is_terminal_) {
      // JSON and YAML have no escape \x7f.
      return Take(base::ReplaceAll(std::string(text), "\x7f", "\\u007f"));
    }
    const bool put = PutHeld(held_.size()) && Put(text);
    begun_ = !text.empty() && !text.ends_with('\n');
    return put;
  }

  bool PutCodes(std::string_view codes) {
    const bool put = PutHeld(held_.size()) && Put(codes);
    begun_ = false;
    return put;
  }

 protected:
  int_type overflow(int_type character) override {
    const char byte = traits_type::to_char_type(character);
    return Take({&byte, 1}) ? traits_type::not_eof(character) : traits_type::eof();
  }

  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    return Take({bytes, static_cast<std::size_t>(count)}) ? count : 0;
  }

  int sync() override {
    const bool put = PutHeld(held_.size() - UnfinishedTail(held_));
    return own_->pubsync() == 0 && put ? 0 : -1;
  }

 private:
  bool Take(std::string_view text) {
    held_ += text;
    if (!paints_) {
      return PutHeld(held_.size() - UnfinishedTail(held_));
    }
    bool put = true;
    std::size_t done = 0;
    for (std::size_t end = held_.find('\n'); end != held_.npos; end = held_.find('\n', done)) {
      put = put && PutText(std::string_view(held_).substr(done, end - done)) && Put("\n");
      begun_ = false;
      done = end + 1;
    }
    held_.erase(0, done);
    return put;
  }

  // Writes the first `size` of the buffered bytes.
  bool PutHeld(std::size_t size) {
    if (size == 0) {
      return true;
    }
    const bool put = PutText(std::string_view(held_).substr(0, size));
    begun_ = held_[size - 1] != '\n';
    held_.erase(0, size);
    return put;
  }

  // The rest of a partly written line is not the beginning of a line.
  bool PutText(std::string_view text) {
    const std::string visible = base::Visible(text, "\n\t");
    return Put(paints_ && !begun_ ? painter_.Paint(visible) : visible);
  }

  bool Put(std::string_view text) {
    return own_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
           static_cast<std::streamsize>(text.size());
  }

  std::ostream& stream_;
  std::streambuf* own_;
  const bool is_terminal_;
  bool paints_ = false;
  bool begun_ = false;  // with colours: a part of this line was written already
  LinePainter painter_;
  std::string held_;
};

Terminal::Terminal(std::ostream& out, std::ostream& err, Facts facts)
    : facts_(std::move(facts)),
      out_(std::make_unique<Guard>(out, facts_.out_is_terminal)),
      err_(std::make_unique<Guard>(err, facts_.err_is_terminal)) {
  ChooseColors("auto");
}

Terminal::~Terminal() = default;

void Terminal::ChooseColors(std::string_view when) {
  if (when != "auto" && when != "always" && when != "never") {
    throw base::Error(base::Error::Kind::kUsage,
                      base::Quoted(when) + " is not auto, always or never");
  }
  const bool wanted = facts_.no_color.empty() && facts_.terminal != "dumb";
  const auto on = [&](bool is_terminal) {
    return when == "always" || (when == "auto" && wanted && is_terminal);
  };
  out_->SetPainting(on(facts_.out_is_terminal));
  err_->SetPainting(on(facts_.err_is_terminal));
  base::SetLogColors(on(facts_.err_is_terminal));
}

std::ostream& operator<<(std::ostream& out, Exact exact) {
  return Terminal::Guard::Write(out, exact.text,
                                [&](Terminal::Guard& guard) { return guard.PutExact(exact.text); });
}

std::ostream& operator<<(std::ostream& out, ClearLine) {
  return Terminal::Guard::Write(out, kClearLine,
                                [](Terminal::Guard& guard) { return guard.PutCodes(kClearLine); });
}

std::ostream& operator<<(std::ostream& out, ClearLines clear) {
  const std::string codes =
      (clear.above > 0 ? "\x1b[" + std::to_string(clear.above) + "A" : "") + "\r\x1b[J";
  return Terminal::Guard::Write(out, codes,
                                [&](Terminal::Guard& guard) { return guard.PutCodes(codes); });
}

}  // namespace cli
