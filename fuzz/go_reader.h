// SPDX-License-Identifier: Apache-2.0
// Go's reading of certificate signing requests and of other PEM files, queried from
// tests/components/gocsr.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

// Go's answer: whether it finds a block ("none", "other" when its label is another one), and
// whether it can read it ("bad", "read"); the block's bytes; and its fields. For a PEM file: why a
// certificate cannot be read, the public half of its key, and its blocks (main.go of gocsr has the
// forms).
struct GoReading {
  std::string kind;
  std::string block;
  std::vector<std::string> fields;
};

// A running gocsr in the mode "read" or "blocks". All methods throw std::runtime_error when it ends
// too soon.
class GoReader {
 public:
  GoReader(std::string program, std::string mode);
  GoReader(const GoReader&) = delete;
  GoReader& operator=(const GoReader&) = delete;
  ~GoReader();

  GoReading Read(std::string_view text);
  // Returns `count` PEM requests as Go's kubelets create them.
  static std::vector<std::string> Made(const std::string& program, int count);

 private:
  std::string program_;
  pid_t process_ = -1;
  std::FILE* questions_ = nullptr;
  std::FILE* answers_ = nullptr;
};

}  // namespace fuzz
