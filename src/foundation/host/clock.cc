#include "host/clock.h"

#include <sys/random.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>

#include "host/descriptor.h"

namespace host {

std::chrono::system_clock::time_point RealClock::Now() const {
  return std::chrono::system_clock::now();
}

std::chrono::steady_clock::time_point RealClock::Steady() const {
  return std::chrono::steady_clock::now();
}

void RealClock::Sleep(std::chrono::nanoseconds duration, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, std::move(stop), duration, [] { return false; });
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
