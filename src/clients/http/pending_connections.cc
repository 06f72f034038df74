// SPDX-License-Identifier: Apache-2.0
#include "http/pending_connections.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "base/log.h"
#include "http/server_request.h"

namespace http {
namespace {

// The pause before the next accept when no file descriptor is free.
constexpr std::chrono::milliseconds kFull{100};
constexpr int kMostAtOnce = 64;
constexpr std::size_t kNetworkBytes = 8;

std::string AddressOf(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(storage);
    return {reinterpret_cast<const char*>(&ipv4.sin_addr), sizeof ipv4.sin_addr};
  }
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(storage);
  const std::string bytes(reinterpret_cast<const char*>(&ipv6.sin6_addr), sizeof ipv6.sin6_addr);
  return IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr) ? bytes.substr(12) : bytes.substr(0, kNetworkBytes);
}

}  // namespace

Socket::~Socket() {
  if (fd >= 0) {
    close(fd);
  }
}

Connection::Connection(int fd, std::string from, std::chrono::steady_clock::time_point limit)
    : socket(fd), address(std::move(from)), until(limit) {}

PendingConnections::PendingConnections(host::Clock& clock, int listener, Accept accept, Ready ready,
                                       std::size_t largest_body)
    : clock_(clock),
      listener_(listener),
      wake_(eventfd(0, EFD_CLOEXEC)),
      accept_(std::move(accept)),
      ready_(std::move(ready)),
      largest_body_(largest_body) {}

void PendingConnections::Run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { eventfd_write(wake_.fd, 1); });
  while (!stop.stop_requested()) {
    Poll();
    ReadAll();  // evict silent connections before active ones
    if (woken_) {
      TakeAll();
    }
  }
}

std::optional<std::chrono::nanoseconds> PendingConnections::Patience() const {
  std::optional<std::chrono::nanoseconds> most;
  if (full_) {
    most = kFull;
  }
  if (!waiting_.empty()) {
    const std::chrono::nanoseconds first = waiting_.front()->until - clock_.Steady();
    most = most ? std::min(*most, first) : first;
  }
  return most;
}

void PendingConnections::Poll() {
  std::vector<pollfd> all = {{.fd = wake_.fd, .events = POLLIN, .revents = 0},
                             {.fd = full_ ? -1 : listener_, .events = POLLIN, .revents = 0}};
  for (const ConnectionPtr& connection : waiting_) {
    all.push_back({.fd = connection->socket.fd, .events = connection->wanted, .revents = 0});
  }
  const int count = clock_.Poll(all, Patience());
  full_ = false;
  woken_ = count > 0 && all[1].revents != 0;
  std::size_t at = 2;
  for (const ConnectionPtr& connection : waiting_) {
    connection->happened = count > 0 && all[at++].revents != 0;
  }
}

void PendingConnections::TakeAll() {
  // limited, because clients that were already accepted may have sent data
  for (int taken = 0; taken < kMostAtOnce; ++taken) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const int fd =
        accept4(listener_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      Take(fd, AddressOf(from));
    } else if (errno == EMFILE || errno == ENFILE) {
      full_ = true;
      if (!waiting_.empty()) {
        waiting_.pop_front();
      }
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void PendingConnections::Take(int fd, std::string address) {
  auto connection =
      std::make_unique<Connection>(fd, std::move(address), clock_.Steady() + kPatience);
  try {
    connection->stream = accept_(fd);
  } catch (const std::exception& error) {  // other connections are still accepted
    base::LogWarning("an HTTP request could not be answered: {}", error.what());
    return;
  }
  if (Read(connection)) {
    MakeRoom(connection->address);
    waiting_.push_back(std::move(connection));
  }
}

void PendingConnections::MakeRoom(const std::string& address) {
  const auto is_its = [&](const ConnectionPtr& other) { return other->address == address; };
  const auto its = static_cast<std::size_t>(std::ranges::count_if(waiting_, is_its));
  if (its >= kMostOfOne) {
    waiting_.erase(std::ranges::find_if(waiting_, is_its));
  } else if (waiting_.size() >= kMost) {
    waiting_.pop_front();
  }
}

void PendingConnections::ReadAll() {
  const auto now = clock_.Steady();
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const bool stays = !(*at)->happened || Read(*at);
    const bool late = stays && now >= (*at)->until;
    at = !stays || late ? waiting_.erase(at) : std::next(at);
  }
}

std::optional<bool> PendingConnections::IsComplete(const std::string& data) const {
  const std::optional<std::size_t> size = SizeOfRequest(data);
  if (!size) {
    return data.size() > kLargestHead ? std::nullopt : std::optional(false);
  }
  if (largest_body_ == 0) {
    return true;
  }
  return *size > kLargestHead + largest_body_ ? std::nullopt : std::optional(data.size() >= *size);
}

bool PendingConnections::Read(ConnectionPtr& connection) {
  std::array<char, 2048> piece{};
  while (true) {
    const Stream::Some some = connection->stream->Read(piece.data(), piece.size());
    if (some.count == 0) {
      connection->wanted = some.wanted;
      return some.wanted != 0;
    }
    connection->data.append(piece.data(), some.count);
    const std::optional<bool> complete = IsComplete(connection->data);
    if (!complete) {
      return false;
    }
    if (*complete) {
      ready_(std::move(connection));
      return false;
    }
  }
}

}  // namespace http
