// SPDX-License-Identifier: Apache-2.0
// Strings that must not remain in memory: private keys, tokens.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace base {

// Overwrites the whole capacity of a string and leaves it empty. The compiler cannot optimize the
// write away, even at the end of the string's lifetime.
void Wipe(std::string& text);

// Holds a string and overwrites the string in the destructor. Readers get a view; a reader that
// copies the string must wipe the copy.
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

// Overwrites a caller's string in the destructor. The string must outlive this object.
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
