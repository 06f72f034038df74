// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "http/pending_connections.h"
#include "http/server_request.h"
#include "net/ip_address.h"

namespace http {
namespace {

using base::Error;

// The pause before a failed thread continues. Without it, a lack of memory would cause a storm of
// log lines.
constexpr std::chrono::milliseconds kBeginsAgain{100};

[[noreturn]] void FailToListen(const ServerOptions& options) {
  throw Error(
      fmt::format("cannot listen on {}:{}: {}", options.host, options.port, std::strerror(errno)));
}

// Returns whether the kernel supports IPv6.
bool HasIpv6() {
  const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    close(fd);
  }
  return fd >= 0 || errno != EAFNOSUPPORT;
}

// Returns the socket address; "" listens on all addresses of both families.
sockaddr_storage AddressOf(const ServerOptions& options) {
  sockaddr_storage storage{};
  auto* ipv4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* ipv6 = reinterpret_cast<sockaddr_in6*>(&storage);
  const auto port = htons(static_cast<std::uint16_t>(options.port));
  const std::string everywhere = HasIpv6() ? "::" : "0.0.0.0";
  std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  if (host.starts_with('[') && host.ends_with(']')) {  // in brackets, as before a port
    host = host.substr(1, host.size() - 2);
  }
  const auto address = net::IpAddress::Parse(host.empty() ? everywhere : host);
  if (!address) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} is not an IP address to listen on", options.host));
  }
  if (address->IsIpv4()) {
    ipv4->sin_family = AF_INET;
    ipv4->sin_port = port;
    std::ranges::copy(address->Octets(), reinterpret_cast<char*>(&ipv4->sin_addr));
  } else {
    ipv6->sin6_family = AF_INET6;
    ipv6->sin6_port = port;
    std::ranges::copy(address->Octets(), reinterpret_cast<char*>(&ipv6->sin6_addr));
  }
  return storage;
}

int Listen(const ServerOptions& options) {
  const sockaddr_storage address = AddressOf(options);
  const int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
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
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(fd, 512) != 0) {
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

// Blocks SIGPIPE in this thread, because OpenSSL writes to sockets without MSG_NOSIGNAL.
void IgnoreBrokenPipes() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

// Answers connections with its own threads. Excess connections are closed.
class Pool {
 public:
  struct Limits {
    int threads;
    std::size_t most;         // waiting or active connections
    std::size_t most_of_one;  // per address
  };

  using Handle = std::function<ServerReply(const ParsedRequest& request)>;

  Pool(const Limits& limits, Handle handle) : limits_(limits), handle_(std::move(handle)) {
    for (int i = 0; i < limits.threads; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
    }
  }

  void Add(ConnectionPtr connection, ParsedRequest request) {
    const std::lock_guard lock(mutex_);
    if (count_ >= limits_.most || of_address_[connection->address] >= limits_.most_of_one) {
      base::LogInfo(2, "too many HTTP requests wait for an answer: one is not answered");
      return;
    }
    ++count_;
    ++of_address_[connection->address];
    waiting_.emplace_back(std::move(connection), std::move(request));
    changed_.notify_one();
  }

 private:
  using Item = std::pair<ConnectionPtr, ParsedRequest>;

  void Work(const std::stop_token& stop) {
    IgnoreBrokenPipes();
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
      Item item = std::move(waiting_.front());
      waiting_.pop_front();
      const std::string address = item.first->address;
      lock.unlock();
      Answer(std::move(item));
      lock.lock();
      --count_;
      if (--of_address_[address] == 0) {
        of_address_.erase(address);
      }
    }
  }

  void Answer(Item item) const {
    const auto& [connection, parsed] = item;
    try {
      connection->stream->Write(ReplyText(handle_(parsed), parsed.method != "HEAD"));
    } catch (const std::exception& error) {  // the server continues
      base::LogWarning("an HTTP request could not be answered: {}", error.what());
    }
  }

  const Limits limits_;
  const Handle handle_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // The next three members are guarded by mutex_.
  std::deque<Item> waiting_;
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> of_address_;
  std::vector<std::jthread> threads_;  // last: they use the other members
};

constexpr Pool::Limits kProbeLimits{.threads = 2, .most = 64, .most_of_one = 64};
constexpr int kOtherThreads = 8;
constexpr std::size_t kMostOthers = 32;

}  // namespace

struct Server::Impl {
  host::Clock& clock;
  Handle handle;
  std::size_t largest_body = 0;
  std::size_t most_of_one = 0;
  std::vector<std::string> probes;
  std::optional<TlsGate> gate;
  Socket listener{-1};
  // The threads. A member comes after the members that its threads use.
  Pool for_probes{kProbeLimits, [this](const ParsedRequest& parsed) { return Answer(parsed); }};
  Pool for_others{{.threads = kOtherThreads, .most = kMostOthers, .most_of_one = most_of_one},
                  [this](const ParsedRequest& parsed) { return Answer(parsed); }};
  std::jthread pending;

  Impl(const ServerOptions& options, Handle its_handle)
      : clock(options.clock),
        handle(std::move(its_handle)),
        largest_body(options.largest_body),
        most_of_one(options.most_of_one),
        probes(options.probes) {}

  std::unique_ptr<Stream> NewStream(int fd) {
    return gate ? gate->Accept(fd, clock) : NewPlainStream(fd, clock);
  }

  ServerReply Answer(const ParsedRequest& parsed) const {
    const bool known = parsed.method == "GET" || parsed.method == "HEAD" ||
                       (parsed.method == "POST" && largest_body > 0);
    return known ? handle(parsed.request)
                 : ServerReply{.status = 405, .body = "this method is not answered\n"};
  }

  void Take(ConnectionPtr connection) {
    auto parsed = ParseRequest(connection->data);
    if (!parsed) {
      return;
    }
    const bool is_probe = std::ranges::find(probes, parsed->request.path) != probes.end();
    (is_probe ? for_probes : for_others).Add(std::move(connection), *std::move(parsed));
  }

  void Run(const std::stop_token& stop) {
    IgnoreBrokenPipes();
    while (!stop.stop_requested()) {
      try {
        PendingConnections(
            clock, listener.fd, [this](int fd) { return NewStream(fd); },
            [this](ConnectionPtr connection) { Take(std::move(connection)); }, largest_body)
            .Run(stop);
      } catch (const std::exception& error) {  // the accepted client must reconnect
        base::LogError("the HTTP server begins again: {}", error.what());
        clock.Sleep(kBeginsAgain, stop);
      }
    }
  }
};

Server::Server(const ServerOptions& options, Handle handle)
    : impl_(std::make_unique<Impl>(options, std::move(handle))) {
  if (options.identity) {
    impl_->gate.emplace(options.identity);
    impl_->gate->Check();
  }
  impl_->listener.fd = Listen(options);
  impl_->pending =
      std::jthread([impl = impl_.get()](const std::stop_token& stop) { impl->Run(stop); });
}

Server::~Server() = default;

int Server::port() const { return PortOf(impl_->listener.fd); }

}  // namespace http
