// SPDX-License-Identifier: Apache-2.0
// Owned file descriptors and the errors of system calls. Internal to this library.
#pragma once

#include <unistd.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace host {

// Closes its descriptor. -1 means no descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Returns the result of close(2), which may be the first to report a full disk.
  int Close() { return fd_ < 0 ? 0 : ::close(std::exchange(fd_, -1)); }

 private:
  int fd_ = -1;
};

// Returns the system's message for an errno, without the number.
std::string ErrnoText(int error);

// Returns "<what>: <errno message>", with the matching Kind (kNotFound, kForbidden, …).
base::Error SystemError(std::string_view what, int error,
                        std::source_location at = std::source_location::current());

// Has a descriptor for poll(2) that becomes readable when `stop` is requested.
class WakeOnStop {
 public:
  explicit WakeOnStop(std::stop_token stop);
  int get() const { return event_.get(); }

 private:
  struct Signal {
    int fd;
    void operator()() const noexcept;
  };
  Descriptor event_;
  std::stop_callback<Signal> callback_;  // declared last: destroyed before event_
};

}  // namespace host
