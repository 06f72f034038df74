// SPDX-License-Identifier: Apache-2.0
// Owned file descriptors and the errors of system calls; for the inside of this room.
#pragma once

#include <unistd.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace host {

// Descriptor closes what it holds. -1 is not a descriptor.
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
  // Close returns what close(2) does: a full disk may show only here.
  int Close() { return fd_ < 0 ? 0 : ::close(std::exchange(fd_, -1)); }

 private:
  int fd_ = -1;
};

// ErrnoText is the system's text of an errno, without the number.
std::string ErrnoText(int error);

// SystemError is "<what>: <errno text>", with the Kind that fits (kNotFound, kForbidden, …).
base::Error SystemError(std::string_view what, int error,
                        std::source_location at = std::source_location::current());

// WakeOnStop has a descriptor that becomes readable when `stop` is requested, for use in poll(2).
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
  std::stop_callback<Signal> callback_;  // last: ends before the descriptor does
};

}  // namespace host
