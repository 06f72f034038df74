// SPDX-License-Identifier: Apache-2.0
#include "cli/colors.h"

#include <fmt/core.h>

#include <algorithm>
#include <streambuf>
#include <utility>

#include "base/error.h"
#include "base/log_colors.h"
#include "base/strings.h"

namespace cli {
namespace {

constexpr std::string_view kRed = "1;31";
constexpr std::string_view kGreen = "32";
constexpr std::string_view kYellow = "1;33";
constexpr std::string_view kCyan = "36";
constexpr std::string_view kBold = "1";

// A line that begins so is painted to the end of the beginning, or to the next `until`.
struct Beginning {
  std::string_view text;
  std::string_view color;
  char until = 0;
};
constexpr Beginning kBeginnings[] = {
    {"error:", kRed},          {"broken:", kRed},           {"\t[ERROR ", kRed, ']'},
    {"[ERROR ", kRed, ']'},    {"warning:", kYellow},       {"\t[WARNING ", kYellow, ']'},
    {"Warning:", kYellow},     {"[WARNING ", kYellow, ']'}, {"note:", kCyan},
    {"  remedy:", kGreen},     {"  should be:", kGreen},    {"  on disk:", kYellow},
    {"  runs with:", kYellow}, {"  passed ", kGreen},       {"  FAILED ", kRed},
};

// A validity that has ended, in tables.
constexpr std::string_view kOver = "<invalid>";

std::string InColor(std::string_view text, std::string_view color) {
  return fmt::format("\x1b[{}m{}\x1b[0m", color, text);
}

// "CERTIFICATE   EXPIRES": capitals in columns.
bool IsTableHead(std::string_view line) {
  const auto in_head = [](char c) { return (c >= 'A' && c <= 'Z') || c == ' '; };
  return line.contains("  ") && line.front() != ' ' && std::ranges::all_of(line, in_head);
}

std::string_view DiffColor(std::string_view line) {
  switch (line.front()) {
    case '+':
      return kGreen;
    case '-':
      return kRed;
    case '@':
      return kCyan;
    default:
      return "";
  }
}

std::string PaintWords(std::string_view line) {
  return base::ReplaceAll(std::string(line), std::string(kOver), InColor(kOver, kRed));
}

}  // namespace

std::string LinePainter::Paint(std::string_view text) {
  if (text.empty()) {
    in_diff_ = false;
    return "";
  }
  in_diff_ = text.starts_with("@@ ") || (in_diff_ && std::string_view("+- @\\").contains(text[0]));
  if (in_diff_) {
    const std::string_view color = DiffColor(text);
    return color.empty() ? std::string(text) : InColor(text, color);
  }
  for (const Beginning& row : kBeginnings) {
    if (text.starts_with(row.text)) {
      const std::size_t end = row.until == 0 ? row.text.size() : text.find(row.until) + 1;
      if (end != 0) {
        return InColor(text.substr(0, end), row.color) + PaintWords(text.substr(end));
      }
    }
  }
  return IsTableHead(text) ? InColor(text, kBold) : PaintWords(text);
}

// Lines are held until they end or are flushed: standard error is flushed after each piece of one.
class Colors::Painted : public std::streambuf {
 public:
  explicit Painted(std::ostream& stream) : stream_(stream), own_(stream.rdbuf(this)) {}
  Painted(const Painted&) = delete;
  Painted& operator=(const Painted&) = delete;
  ~Painted() override {
    PutHeld();
    stream_.rdbuf(own_);
  }

 protected:
  int_type overflow(int_type character) override {
    const char byte = traits_type::to_char_type(character);
    return xsputn(&byte, 1) == 1 ? character : traits_type::eof();
  }

  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    std::string_view rest(bytes, static_cast<std::size_t>(count));
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      held_ += rest.substr(0, end);
      rest.remove_prefix(end + 1);
      const bool put = begun_ && held_.empty() ? true : PutHeld();
      begun_ = false;
      if (!put || own_->sputc('\n') == traits_type::eof()) {
        return 0;
      }
    }
    held_ += rest;
    return count;
  }

  int sync() override {
    if (!held_.empty()) {
      if (!PutHeld()) {
        return -1;
      }
      begun_ = true;
    }
    return own_->pubsync();
  }

 private:
  // The rest of a line of which a part is on the terminal is not a beginning of a line.
  bool PutHeld() {
    const std::string text = begun_ ? std::exchange(held_, {}) : painter_.Paint(held_);
    held_.clear();
    return own_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
           static_cast<std::streamsize>(text.size());
  }

  std::ostream& stream_;
  std::streambuf* own_;
  LinePainter painter_;
  std::string held_;
  bool begun_ = false;  // a part of this line was put already
};

Colors::Colors(std::ostream& out, std::ostream& err, Facts facts)
    : out_(out), err_(err), facts_(std::move(facts)) {
  Choose("auto");
}

Colors::~Colors() = default;

void Colors::Choose(std::string_view when) {
  if (when != "auto" && when != "always" && when != "never") {
    throw base::Error(base::Error::Kind::kUsage,
                      base::Quoted(when) + " is none of auto, always, never");
  }
  const bool wanted = facts_.no_color.empty() && facts_.terminal != "dumb";
  const auto on = [&](bool is_terminal) {
    return when == "always" || (when == "auto" && wanted && is_terminal);
  };
  Set(painted_out_, out_, on(facts_.out_is_terminal));
  Set(painted_err_, err_, on(facts_.err_is_terminal));
  base::SetLogColors(on(facts_.err_is_terminal));
}

void Colors::Set(std::unique_ptr<Painted>& painted, std::ostream& stream, bool on) {
  if (on != (painted != nullptr)) {
    painted = on ? std::make_unique<Painted>(stream) : nullptr;
  }
}

}  // namespace cli
