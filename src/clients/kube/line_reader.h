// SPDX-License-Identifier: Apache-2.0
// The lines of a stream that arrives in pieces, such as a watch of the API.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kube {

// The longest line of a watch: one event with one object. The API server accepts objects up to 3
// MiB, and writes six bytes for each "<" in an object.
inline constexpr std::size_t kLongestEvent = std::size_t{20} << 20;

// Splits a stream into lines, however the stream's data arrive in pieces. Drops data after the last
// line end, so that a broken stream never reports half an object.
class LineReader {
 public:
  // `longest` is the limit of a line in bytes, without its end.
  explicit LineReader(std::size_t longest = kLongestEvent) : longest_(longest) {}

  // Calls `on_line` for each complete line, without its "\n". If `on_line` returns false, stops and
  // returns false. Throws base::Error(kInvalid) as soon as a line is too long, after passing the
  // lines before it to `on_line`.
  bool Feed(std::string_view data, const std::function<bool(std::string_view)>& on_line);

 private:
  void Append(std::string_view data);

  std::size_t longest_;
  std::string rest_;
};

}  // namespace kube
