// SPDX-License-Identifier: Apache-2.0
// The lines of a stream that arrives in pieces, such as a watch of the API.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kube {

// An event contains one object. The API server accepts at most 3 MiB, and writes six bytes for each
// "<" in it.
inline constexpr std::size_t kLongestEvent = std::size_t{20} << 20;

// Passes whole lines on, however the stream was split. Data after the last line end is dropped: a
// broken stream must not report half an object.
class LineReader {
 public:
  // `longest` is the limit of a line in bytes, without its end.
  explicit LineReader(std::size_t longest = kLongestEvent) : longest_(longest) {}

  // Calls `on_line` for each complete line, without its " ", until `on_line` returns false; then it
  // returns false, too. Throws base::Error(kInvalid) as soon as a line is too long, after passing
  // on the lines before it.
  bool Feed(std::string_view data, const std::function<bool(std::string_view)>& on_line);

 private:
  void Append(std::string_view data);

  std::size_t longest_;
  std::string rest_;
};

}  // namespace kube
