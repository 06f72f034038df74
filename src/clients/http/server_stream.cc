// SPDX-License-Identifier: Apache-2.0
#include "http/server_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <mutex>

#include "base/log.h"
#include "pki/server_context.h"

namespace http {
namespace {

// Deadline waits for a socket, all in all for kPatience.
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

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslPtr = std::unique_ptr<SSL, FreeSsl>;

class TlsStream : public Stream {
 public:
  TlsStream(SslPtr ssl, int fd, host::Clock& clock)
      : ssl_(std::move(ssl)), fd_(fd), clock_(clock) {}
  ~TlsStream() override {
    if (!broken_ && SSL_is_init_finished(ssl_.get()) == 1) {
      SSL_shutdown(ssl_.get());  // tells the other side, waits for nothing
    }
    ERR_clear_error();
  }
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  Some Read(char* into, std::size_t size) override {
    ERR_clear_error();
    const int count = SSL_read(ssl_.get(), into, static_cast<int>(size));
    return count > 0 ? Some{.count = static_cast<std::size_t>(count)}
                     : Some{.wanted = WantedAfter(count)};
  }
  bool Write(std::string_view bytes) override {
    const Deadline deadline(fd_, clock_);
    while (!bytes.empty()) {
      ERR_clear_error();
      const int count = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (count > 0) {
        return true;  // it writes all or nothing
      }
      const short wanted = WantedAfter(count);
      if (wanted == 0 || !deadline.Wait(wanted)) {
        broken_ = true;
        return false;
      }
    }
    return true;
  }

 private:
  // WantedAfter is what a call that has done nothing waits for; 0: nothing will come.
  short WantedAfter(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return POLLIN;
      case SSL_ERROR_WANT_WRITE:
        return POLLOUT;
      case SSL_ERROR_ZERO_RETURN:
        return 0;
      default:
        broken_ = true;
        return 0;
    }
  }

  SslPtr ssl_;
  int fd_;
  host::Clock& clock_;
  bool broken_ = false;
};

}  // namespace

std::unique_ptr<Stream> NewPlainStream(int fd, host::Clock& clock) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return std::make_unique<PlainStream>(fd, clock);
}

struct TlsGate::Impl {
  std::function<ServerIdentity()> identity;
  std::mutex mutex;
  // Both are guarded by mutex.
  ServerIdentity served;
  pki::SslContextPtr context;

  // NewSsl uses today's identity. One that cannot be used (half of it replaced) leaves the one
  // before, if there was one.
  SslPtr NewSsl() {
    const std::lock_guard lock(mutex);
    try {
      ServerIdentity now = identity();
      if (context == nullptr || !(now == served)) {
        context = pki::NewServerContext(now.certificate_pem, now.key_pem);
        served = std::move(now);
      }
    } catch (const std::exception& error) {
      if (context == nullptr) {
        throw;
      }
      base::LogWarning("{}; the one from before is served", error.what());
    }
    return SslPtr(SSL_new(context.get()));
  }
};

TlsGate::TlsGate(std::function<ServerIdentity()> identity) : impl_(std::make_unique<Impl>()) {
  impl_->identity = std::move(identity);
}
TlsGate::~TlsGate() = default;

void TlsGate::Check() { impl_->NewSsl(); }

std::unique_ptr<Stream> TlsGate::Accept(int fd, host::Clock& clock) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  SslPtr ssl = impl_->NewSsl();
  SSL_set_fd(ssl.get(), fd);
  SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsStream>(std::move(ssl), fd, clock);
}

}  // namespace http
