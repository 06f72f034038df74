// SPDX-License-Identifier: Apache-2.0
// What Go reads in a certificate signing request, asked of tests/components/gocsr.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

// GoReading is Go's answer: whether it finds a block ("none", "other" when its label is another
// one), and whether it can read it ("bad", "read"); the block's bytes; and what stands in it
// (main.go of gocsr has the forms).
struct GoReading {
  std::string kind;
  std::string block;
  std::vector<std::string> fields;
};

// GoReader is a running gocsr. All of it throws std::runtime_error when that ends too soon.
class GoReader {
 public:
  explicit GoReader(std::string program);
  GoReader(const GoReader&) = delete;
  GoReader& operator=(const GoReader&) = delete;
  ~GoReader();

  GoReading Read(std::string_view text);
  // Made is `count` requests as Go's kubelets make them, PEM.
  std::vector<std::string> Made(int count) const;

 private:
  std::string program_;
  pid_t process_ = -1;
  std::FILE* questions_ = nullptr;
  std::FILE* answers_ = nullptr;
};

}  // namespace fuzz
