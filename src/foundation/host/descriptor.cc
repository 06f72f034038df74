// SPDX-License-Identifier: Apache-2.0
#include "host/descriptor.h"

#include <fmt/core.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace host {

std::string ErrnoText(int error) { return std::generic_category().message(error); }

base::Error SystemError(std::string_view what, int error, std::source_location at) {
  using Kind = base::Error::Kind;
  Kind kind = Kind::kOther;
  switch (error) {
    case ENOENT:
      kind = Kind::kNotFound;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      kind = Kind::kForbidden;
      break;
    case EEXIST:
      kind = Kind::kAlreadyExists;
      break;
    case ETIMEDOUT:
      kind = Kind::kTimeout;
      break;
    default:
      break;
  }
  return base::Error(kind, fmt::format("{}: {}", what, ErrnoText(error)), at);
}

WakeOnStop::WakeOnStop(std::stop_token stop)
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      callback_(std::move(stop), Signal{event_.get()}) {}

void WakeOnStop::Signal::operator()() const noexcept {
  const std::uint64_t one = 1;
  // The write fails only if the counter is full. The descriptor is readable then, too.
  [[maybe_unused]] const ssize_t written = ::write(fd, &one, sizeof one);
}

}  // namespace host
