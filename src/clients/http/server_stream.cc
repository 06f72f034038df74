// SPDX-License-Identifier: Apache-2.0
#include "http/server_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "pki/tls_server.h"

namespace http {
namespace {

// Waits for events of a socket, for kPatience in total.
class Deadline {
 public:
  Deadline(int fd, host::Clock& clock) : fd_(fd), clock_(clock), end_(clock.Steady() + kPatience) {}
  bool Wait(short events) const {
    const std::chrono::nanoseconds rest = end_ - clock_.Steady();
    pollfd wanted{.fd = fd_, .events = events, .revents = 0};
    return rest.count() > 0 && clock_.Poll({&wanted, 1}, rest) > 0;
  }

 private:
  int fd_;
  host::Clock& clock_;
  std::chrono::steady_clock::time_point end_;
};

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

class PlainStream : public Stream {
 public:
  PlainStream(int fd, host::Clock& clock) : fd_(fd), clock_(clock) {}

  Some Read(char* into, std::size_t size) override {
    const ssize_t count = recv(fd_, into, size, 0);
    if (count > 0) {
      return {.count = static_cast<std::size_t>(count)};
    }
    return {.wanted = static_cast<short>(count < 0 && WouldBlock() ? POLLIN : 0)};
  }

  bool Write(std::string_view bytes) override {
    const Deadline deadline(fd_, clock_);
    while (!bytes.empty()) {
      const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
      } else if (!WouldBlock() || !deadline.Wait(POLLOUT)) {
        return false;
      }
    }
    return true;
  }

 private:
  int fd_;
  host::Clock& clock_;
};

class TlsStream : public Stream {
 public:
  TlsStream(std::unique_ptr<pki::TlsConnection> connection, int fd, host::Clock& clock)
      : connection_(std::move(connection)), fd_(fd), clock_(clock) {}

  Some Read(char* into, std::size_t size) override {
    const auto some = connection_->Read(into, size);
    return {.count = some.count, .wanted = some.wanted};
  }
  bool Write(std::string_view bytes) override {
    const Deadline deadline(fd_, clock_);
    while (!bytes.empty()) {
      const auto some = connection_->Write(bytes);
      if (some.count > 0) {
        return true;  // a TLS write is complete or has no effect
      }
      if (some.wanted == 0 || !deadline.Wait(some.wanted)) {
        connection_->GiveUp();
        return false;
      }
    }
    return true;
  }

 private:
  const std::unique_ptr<pki::TlsConnection> connection_;
  int fd_;
  host::Clock& clock_;
};

}  // namespace

std::unique_ptr<Stream> NewPlainStream(int fd, host::Clock& clock) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return std::make_unique<PlainStream>(fd, clock);
}

struct TlsGate::Impl {
  std::function<ServerIdentity()> identity;
  std::mutex mutex;
  // The next two members are guarded by mutex.
  ServerIdentity served;
  std::shared_ptr<const pki::TlsServer> server;

  // Returns the TLS server with the current identity. If the current identity is unusable, for
  // example because its files are half replaced, returns the TLS server with the previous identity,
  // if one exists.
  std::shared_ptr<const pki::TlsServer> Today() {
    const std::lock_guard lock(mutex);
    try {
      ServerIdentity now = identity();
      if (server == nullptr || !(now == served)) {
        server = std::make_shared<pki::TlsServer>(now.certificate_pem, now.key_pem);
        served = std::move(now);
      }
    } catch (const std::exception& error) {
      if (server == nullptr) {
        throw;
      }
      base::LogWarning("{}; the previous one is served", error.what());
    }
    return server;
  }
};

TlsGate::TlsGate(std::function<ServerIdentity()> identity) : impl_(std::make_unique<Impl>()) {
  impl_->identity = std::move(identity);
}
TlsGate::~TlsGate() = default;

void TlsGate::Check() { impl_->Today(); }

std::unique_ptr<Stream> TlsGate::Accept(int fd, host::Clock& clock) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return std::make_unique<TlsStream>(impl_->Today()->Accept(fd), fd, clock);
}

}  // namespace http
