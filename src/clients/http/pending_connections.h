// SPDX-License-Identifier: Apache-2.0
// The queue of connections whose request is incomplete. Internal to this library.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "host/clock.h"
#include "http/server_stream.h"

namespace http {

// Owns a file descriptor.
struct Socket {
  int fd = -1;
  explicit Socket(int descriptor) : fd(descriptor) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();
};

// A connection to one client. Its stream ends before its socket.
struct Connection {
  Socket socket;
  std::unique_ptr<Stream> stream;
  // For IPv6, the /64 network, because one machine may own all addresses in it.
  std::string address;
  std::string data;                             // received so far
  short wanted = 0;                             // the events for poll(2)
  bool happened = false;                        // whether one of these events occurred
  std::chrono::steady_clock::time_point until;  // its deadline

  Connection(int fd, std::string from, std::chrono::steady_clock::time_point limit);
};
// Passed from PendingConnections to the responder.
using ConnectionPtr = std::unique_ptr<Connection>;

// One thread that waits for all clients without blocking on any of them. It accepts connections,
// reads their data, and passes each connection on when its request is complete. It disconnects a
// client that takes longer than kPatience or sends too much. If there are too many connections it
// evicts the oldest one, so that silent clients cannot lock others out.
class PendingConnections {
 public:
  static constexpr std::size_t kMost = 256;          // waiting connections
  static constexpr std::size_t kMostOfOne = 32;      // per address
  static constexpr std::size_t kLargestHead = 8192;  // bytes

  using Accept = std::function<std::unique_ptr<Stream>(int fd)>;
  using Ready = std::function<void(ConnectionPtr)>;

  // `clock` must outlive the object. `listener` is a listening socket. `accept` creates a stream
  // for a connected socket, or throws base::Error of any kind. `ready` takes over a connection
  // whose request is complete, and must not block. If `largest_body` is 0, the request is complete
  // with its head, and a body is not read.
  PendingConnections(host::Clock& clock, int listener, Accept accept, Ready ready,
                     std::size_t largest_body);
  // Returns on a stop request.
  void Run(const std::stop_token& stop);

 private:
  using Connections = std::list<ConnectionPtr>;

  // Waits for events, and records them.
  void Poll();
  void TakeAll();
  void Take(int fd, std::string address);
  void MakeRoom(const std::string& address);
  void ReadAll();
  // Returns whether the request is complete, or std::nullopt if it is larger than allowed.
  std::optional<bool> IsComplete(const std::string& data) const;
  // Returns false if the connection has ended, or was passed on.
  bool Read(ConnectionPtr& connection);

  // Returns the longest wait for an event. std::nullopt means no limit.
  std::optional<std::chrono::nanoseconds> Patience() const;

  host::Clock& clock_;
  int listener_;
  Socket wake_;
  Accept accept_;
  Ready ready_;
  std::size_t largest_body_;
  Connections waiting_;  // oldest first
  bool woken_ = false;
  bool full_ = false;  // no file descriptor is free
};

}  // namespace http
