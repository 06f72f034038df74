// SPDX-License-Identifier: Apache-2.0
// What Go reads in a certificate signing request and in other PEM texts, asked of
// tests/components/gocsr.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

// GoReading is Go's answer: whether it finds a block ("none", "other" when its label is another
// one), and whether it can read it ("bad", "read"); the block's bytes; and what stands in it. Of a
// PEM text: why a certificate cannot be read, the public half of its key, and its blocks (main.go
// of gocsr has the forms).
struct GoReading {
  std::string kind;
  std::string block;
  std::vector<std::string> fields;
};

// GoReader is a running gocsr in the mode "read" or "blocks". All of it throws std::runtime_error
// when that ends too soon.
class GoReader {
 public:
  GoReader(std::string program, std::string mode);
  GoReader(const GoReader&) = delete;
  GoReader& operator=(const GoReader&) = delete;
  ~GoReader();

  GoReading Read(std::string_view text);
  // Made is `count` requests as Go's kubelets make them, PEM.
  static std::vector<std::string> Made(const std::string& program, int count);

 private:
  std::string program_;
  pid_t process_ = -1;
  std::FILE* questions_ = nullptr;
  std::FILE* answers_ = nullptr;
};

}  // namespace fuzz
