// SPDX-License-Identifier: Apache-2.0
#include "kube/line_reader.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/growth.h"

namespace kube {

bool LineReader::Feed(std::string_view data, const std::function<bool(std::string_view)>& on_line) {
  for (auto end = data.find('\n'); end != data.npos; end = data.find('\n')) {
    Append(data.substr(0, end));
    const std::string line = std::exchange(rest_, {});
    if (!on_line(line)) {
      return false;
    }
    data.remove_prefix(end + 1);
  }
  Append(data);
  return true;
}

void LineReader::Append(std::string_view data) {
  if (rest_.size() + data.size() > longest_) {
    throw base::Error(base::Error::Kind::kInvalid,
                      longest_ >= (1U << 20)
                          ? fmt::format("an event of a watch is longer than {} MiB", longest_ >> 20)
                          : fmt::format("an event of a watch is longer than {} bytes", longest_));
  }
  base::AppendWithin(longest_, rest_, data);
}

}  // namespace kube
