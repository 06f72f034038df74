// SPDX-License-Identifier: Apache-2.0
// The lines of a stream that comes in pieces, as a watch of the API does.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kube {

// An event holds one object. The API server takes in none of more than 3 MiB, and writes six bytes
// for each "<" in it.
inline constexpr std::size_t kLongestEvent = std::size_t{20} << 20;

// LineReader hands whole lines on, however the stream was cut. What follows the last line end is
// not a line: a stream that breaks off has told nothing by it.
class LineReader {
 public:
  // `longest` is how many bytes a line may have without its end.
  explicit LineReader(std::size_t longest = kLongestEvent) : longest_(longest) {}

  // Feed calls `on_line` for each line that is complete, without its "\n", until `on_line` returns
  // false; then it is false, too. Throws base::Error(kInvalid) for a line that is too long as soon
  // as that is known, and behind the lines before it.
  bool Feed(std::string_view data, const std::function<bool(std::string_view)>& on_line);

 private:
  void Append(std::string_view data);

  std::size_t longest_;
  std::string rest_;
};

}  // namespace kube
