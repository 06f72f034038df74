#include "http/server_stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "base/log.h"

namespace http {
namespace {

using base::Error;
using Clock = std::chrono::steady_clock;

// Deadline waits for a socket, all in all for kPatience.
class Deadline {
 public:
  explicit Deadline(int fd) : fd_(fd) {}
  bool Wait(short events) const {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    pollfd wanted{.fd = fd_, .events = events, .revents = 0};
    return rest > 0 && poll(&wanted, 1, static_cast<int>(rest)) > 0;
  }

 private:
  int fd_;
  Clock::time_point end_ = Clock::now() + kPatience;
};

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

class PlainStream : public Stream {
 public:
  explicit PlainStream(int fd) : fd_(fd) {}

  Some Read(char* into, std::size_t size) override {
    const ssize_t count = recv(fd_, into, size, 0);
    if (count > 0) {
      return {.count = static_cast<std::size_t>(count)};
    }
    return {.wanted = static_cast<short>(count < 0 && WouldBlock() ? POLLIN : 0)};
  }

  bool Write(std::string_view bytes) override {
    const Deadline deadline(fd_);
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
};

template <auto kFree>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using ContextPtr = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, Deleter<SSL_free>>;
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using X509Ptr = std::unique_ptr<X509, Deleter<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

BioPtr Reader(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

[[noreturn]] void Refuse(std::string_view what) {
  ERR_clear_error();
  throw Error(Error::Kind::kInvalid, "the server's certificate: " + std::string(what));
}

// NewContext serves the first certificate of the text, with those behind it as its chain.
ContextPtr NewContext(const ServerIdentity& identity) {
  ContextPtr context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  const BioPtr certificates = Reader(identity.certificate_pem);
  const X509Ptr leaf(PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr));
  if (leaf == nullptr || SSL_CTX_use_certificate(context.get(), leaf.get()) != 1) {
    Refuse("there is none that can be read");
  }
  while (X509* next = PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr)) {
    SSL_CTX_add0_chain_cert(context.get(), next);  // takes it over
  }
  const BioPtr reader = Reader(identity.key_pem);
  const KeyPtr key(PEM_read_bio_PrivateKey(reader.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    Refuse("there is no key that belongs to it");
  }
  ERR_clear_error();  // the end of the text counts as an error there
  return context;
}

class TlsStream : public Stream {
 public:
  TlsStream(SslPtr ssl, int fd) : ssl_(std::move(ssl)), fd_(fd) {}
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
    const Deadline deadline(fd_);
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
  bool broken_ = false;
};

}  // namespace

std::unique_ptr<Stream> NewPlainStream(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return std::make_unique<PlainStream>(fd);
}

struct TlsGate::Impl {
  std::function<ServerIdentity()> identity;
  std::mutex mutex;
  // Both are guarded by mutex.
  ServerIdentity served;
  ContextPtr context;

  // NewSsl uses today's identity. One that cannot be used (half of it replaced) leaves the one
  // before, if there was one.
  SslPtr NewSsl() {
    const std::lock_guard lock(mutex);
    try {
      ServerIdentity now = identity();
      if (context == nullptr || !(now == served)) {
        context = NewContext(now);
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

std::unique_ptr<Stream> TlsGate::Accept(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  SslPtr ssl = impl_->NewSsl();
  SSL_set_fd(ssl.get(), fd);
  SSL_set_accept_state(ssl.get());
  return std::make_unique<TlsStream>(std::move(ssl), fd);
}

}  // namespace http
