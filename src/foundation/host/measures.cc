// SPDX-License-Identifier: Apache-2.0
#include "host/measures.h"

#include <fcntl.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/descriptor.h"

namespace host {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kWrites = 30;
constexpr std::chrono::milliseconds kEnough{500};
constexpr std::size_t kBlock = 4096;

}  // namespace

std::optional<std::chrono::microseconds> SyncTime(const std::filesystem::path& directory) {
  const Descriptor file(::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.valid()) {
    return std::nullopt;
  }
  const std::string block(kBlock, 'x');
  std::vector<steady_clock::duration> times;
  const auto begin = steady_clock::now();
  while (times.size() < kWrites && steady_clock::now() - begin < kEnough) {
    const auto before = steady_clock::now();
    if (::write(file.get(), block.data(), block.size()) != static_cast<ssize_t>(block.size()) ||
        ::fdatasync(file.get()) != 0) {
      return std::nullopt;
    }
    times.push_back(steady_clock::now() - before);
  }
  std::ranges::sort(times);
  return std::chrono::duration_cast<std::chrono::microseconds>(times[times.size() / 2]);
}

std::optional<bool> IsClockKept() {
  timex asked{};  // no mode: a query only
  if (::adjtimex(&asked) < 0) {
    return std::nullopt;
  }
  return (static_cast<unsigned>(asked.status) & STA_UNSYNC) == 0;
}

}  // namespace host
