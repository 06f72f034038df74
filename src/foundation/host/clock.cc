// SPDX-License-Identifier: Apache-2.0
#include "host/clock.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <limits>
#include <mutex>

#include "host/descriptor.h"

namespace host {

std::chrono::system_clock::time_point RealClock::Now() const {
  return std::chrono::system_clock::now();
}

std::chrono::steady_clock::time_point RealClock::Steady() const {
  return std::chrono::steady_clock::now();
}

bool RealClock::Sleep(std::chrono::nanoseconds duration, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

int RealClock::Poll(std::span<pollfd> polled, std::optional<std::chrono::nanoseconds> timeout) {
  constexpr std::chrono::milliseconds kLongest{std::numeric_limits<int>::max()};
  const auto wait = [&]() -> std::chrono::milliseconds {
    if (!timeout) {
      return std::chrono::milliseconds(-1);  // poll(2): no timeout
    }
    return std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*timeout),
                      std::chrono::milliseconds(0), kLongest);
  }();
  return std::max(0, ::poll(polled.data(), polled.size(), static_cast<int>(wait.count())));
}

std::string RealRandom::Bytes(std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    const ssize_t got = ::getrandom(bytes.data() + have, count - have, 0);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      throw SystemError("cannot get random bytes", errno);
    }
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

}  // namespace host
