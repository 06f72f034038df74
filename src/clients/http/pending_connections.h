// SPDX-License-Identifier: Apache-2.0
// Where connections wait until their client has said what it wants. For the files of this room
// only.
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

// Socket owns a descriptor.
struct Socket {
  int fd = -1;
  explicit Socket(int descriptor) : fd(descriptor) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();
};

// Connection is one client. Its stream ends before its socket.
struct Connection {
  Socket socket;
  std::unique_ptr<Stream> stream;
  std::string address;    // of IPv6 the network of 64 bits, which one machine may have for itself
  std::string head;       // what it has said so far
  short wanted = 0;       // what poll(2) must wait for
  bool happened = false;  // whether it has
  std::chrono::steady_clock::time_point until;  // when its patience is over

  Connection(int fd, std::string from, std::chrono::steady_clock::time_point limit);
};
// ConnectionPtr goes from PendingConnections to whoever answers.
using ConnectionPtr = std::unique_ptr<Connection>;

// PendingConnections is one thread that waits for all clients and for none: it takes connections,
// reads what comes, and hands each on when its head is whole. Who takes longer than kPatience, or
// says too much, is hung up on. When too many wait, it is the one that has waited longest that must
// go, so that who opens connections and says nothing never keeps others out.
class PendingConnections {
 public:
  static constexpr std::size_t kMost = 256;          // connections that wait
  static constexpr std::size_t kMostOfOne = 32;      // of one address
  static constexpr std::size_t kLargestHead = 8192;  // bytes

  using Accept = std::function<std::unique_ptr<Stream>(int fd)>;
  using Ready = std::function<void(ConnectionPtr)>;

  // `clock` outlives it; `listener` is a socket that listens; `accept` makes a stream of a
  // connected one, or throws base::Error; `ready` takes a connection with its whole head, and must
  // not wait.
  PendingConnections(host::Clock& clock, int listener, Accept accept, Ready ready);
  // Run returns when asked to stop.
  void Run(const std::stop_token& stop);

 private:
  using Connections = std::list<ConnectionPtr>;

  // Poll waits for something to happen, and notes to whom.
  void Poll();
  void TakeAll();
  void Take(int fd, std::string address);
  void MakeRoom(const std::string& address);
  void ReadAll();
  // Read is false when the connection is over, or was handed on.
  bool Read(ConnectionPtr& connection);

  // Patience is how long to wait at most for something to happen; nothing: for ever.
  std::optional<std::chrono::nanoseconds> Patience() const;

  host::Clock& clock_;
  int listener_;
  Socket wake_;
  Accept accept_;
  Ready ready_;
  Connections waiting_;  // the oldest first
  bool woken_ = false;
  bool full_ = false;  // no descriptors are left
};

}  // namespace http
