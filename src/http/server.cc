#include "http/server.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "http/server_stream.h"

namespace http {
namespace {

using base::Error;

// So many clients that say nothing hold up nobody else; each is hung up on after seconds.
constexpr int kThreads = 16;
constexpr std::size_t kLargestRequest = 8192;

struct Socket {
  int fd = -1;
  explicit Socket(int descriptor) : fd(descriptor) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (fd >= 0) {
      close(fd);
    }
  }
};

[[noreturn]] void FailToListen(const ServerOptions& options) {
  throw Error(
      fmt::format("cannot listen on {}:{}: {}", options.host, options.port, std::strerror(errno)));
}

// AddressOf is the socket address; "" listens on all addresses of both families.
sockaddr_storage AddressOf(const ServerOptions& options) {
  sockaddr_storage storage{};
  auto* ipv4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* ipv6 = reinterpret_cast<sockaddr_in6*>(&storage);
  const auto port = htons(static_cast<std::uint16_t>(options.port));
  if (inet_pton(AF_INET, options.host.c_str(), &ipv4->sin_addr) == 1) {
    ipv4->sin_family = AF_INET;
    ipv4->sin_port = port;
    return storage;
  }
  storage = {};
  const std::string host = options.host.empty() ? "::" : options.host;
  if (inet_pton(AF_INET6, host.c_str(), &ipv6->sin6_addr) != 1) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} is no IP address to listen on", options.host));
  }
  ipv6->sin6_family = AF_INET6;
  ipv6->sin6_port = port;
  return storage;
}

int Listen(const ServerOptions& options) {
  const sockaddr_storage address = AddressOf(options);
  const int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  const int no = 0;
  if (fd < 0) {
    FailToListen(options);
  }
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.ss_family == AF_INET6) {
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  }
  const socklen_t size = address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(fd, 64) != 0) {
    const int problem = errno;
    close(fd);
    errno = problem;
    FailToListen(options);
  }
  return fd;
}

int PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&address)->sin_port
                                            : reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
}

// ReadHead reads up to the empty line that ends a request's head; "" for a client that is too slow
// or says too much.
std::string ReadHead(Stream& stream) {
  std::string head;
  std::array<char, 2048> piece{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    const std::size_t count = stream.Read(piece.data(), piece.size());
    if (count == 0 || head.size() > kLargestRequest) {
      return "";
    }
    head.append(piece.data(), count);
  }
  return head;
}

// BearerToken is the token of the head's Authorization line; "" when there is none, or several
// lines, of which nobody knows which one counts.
std::string BearerToken(const std::string& head) {
  constexpr std::string_view kName = "authorization:";
  constexpr std::string_view kScheme = "bearer ";
  std::string token;
  int count = 0;
  for (const std::string& line : base::Split(head, '\n')) {
    if (!base::ToLower(line).starts_with(kName)) {
      continue;
    }
    const std::string value(base::Trim(line.substr(kName.size())));
    if (base::ToLower(value).starts_with(kScheme)) {
      token = base::Trim(value.substr(kScheme.size()));
    }
    ++count;
  }
  return count == 1 ? token : "";
}

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

void Send(Stream& stream, const ServerReply& reply, bool with_body) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
      reply.status, ReasonOf(reply.status), reply.content_type, reply.body.size());
  text += reply.status == 401 ? "WWW-Authenticate: Bearer\r\n\r\n" : "\r\n";
  if (with_body) {
    text += reply.body;
  }
  stream.Write(text);
}

void Serve(Stream& stream, const Server::Handle& handle) {
  const std::string head = ReadHead(stream);
  const std::size_t space = head.find(' ');
  const std::size_t end = head.find_first_of(" ?\r", space + 1);
  if (space == std::string::npos || end == std::string::npos) {
    return;
  }
  const std::string method = head.substr(0, space);
  if (method != "GET" && method != "HEAD") {
    Send(stream, {.status = 405, .body = "only GET is answered\n"}, true);
    return;
  }
  Send(stream,
       handle({.path = head.substr(space + 1, end - space - 1), .bearer_token = BearerToken(head)}),
       method == "GET");
}

}  // namespace

struct Server::Impl {
  Socket listener{-1};
  Handle handle;
  std::optional<TlsGate> gate;
  std::atomic<bool> ends = false;
  std::vector<std::jthread> threads;

  void Answer(int fd) {
    const Socket owner(fd);
    try {
      const std::unique_ptr<Stream> stream = gate ? gate->Accept(fd) : NewPlainStream(fd);
      if (stream != nullptr) {
        Serve(*stream, handle);
      }
    } catch (const Error& error) {
      base::LogWarning("an HTTP request could not be answered: {}", error.message());
    }
  }

  void Accept() {
    while (!ends) {
      const int fd = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd >= 0) {
        Answer(fd);
      } else if (errno == EMFILE || errno == ENFILE) {
        std::this_thread::yield();
      }
    }
  }
};

Server::Server(const ServerOptions& options, Handle handle) : impl_(std::make_unique<Impl>()) {
  if (options.identity) {
    impl_->gate.emplace(options.identity);
    impl_->gate->Check();
  }
  impl_->listener.fd = Listen(options);
  impl_->handle = std::move(handle);
  for (int i = 0; i < kThreads; ++i) {
    impl_->threads.emplace_back([impl = impl_.get()] { impl->Accept(); });
  }
}

Server::~Server() {
  impl_->ends = true;
  shutdown(impl_->listener.fd, SHUT_RDWR);
  impl_->threads.clear();
}

int Server::port() const { return PortOf(impl_->listener.fd); }

}  // namespace http
