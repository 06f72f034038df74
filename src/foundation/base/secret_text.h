// SPDX-License-Identifier: Apache-2.0
// Texts that must not lie around in memory: private keys, tokens.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace base {

// Wipe overwrites a text, all that it has room for, and leaves it empty. The compiler does not drop
// it, however soon the text's life ends.
void Wipe(std::string& text);

// SecretText holds a text that is overwritten when its life ends. What reads it gets a view: copies
// are the reader's to wipe.
class SecretText {
 public:
  explicit SecretText(std::string text) : text_(std::move(text)) { Wipe(text); }
  ~SecretText() { Wipe(text_); }
  SecretText(const SecretText&) = delete;
  SecretText& operator=(const SecretText&) = delete;

  const std::string& text() const { return text_; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is handed on as the text that it holds.
  operator std::string_view() const { return text_; }

 private:
  std::string text_;
};

// Wiper overwrites somebody else's text when its own life ends, whichever way that comes.
class Wiper {
 public:
  explicit Wiper(std::string& text) : text_(text) {}
  ~Wiper() { Wipe(text_); }
  Wiper(const Wiper&) = delete;
  Wiper& operator=(const Wiper&) = delete;

 private:
  std::string& text_;
};

}  // namespace base
