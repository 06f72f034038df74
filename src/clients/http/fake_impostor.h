// SPDX-License-Identifier: Apache-2.0
// A server that speaks neither TLS nor HTTP properly.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace http {

// A server that does not speak HTTP. Accepts connections at 127.0.0.1, one after the other. Sends
// `first`, and closes the connection if `hangs_up` is set. Otherwise sends `again` forever, each
// time after a pause. If no member of Words is set, accepts connections concurrently and sends
// nothing.
class Impostor {
 public:
  struct Words {
    std::string first, again;
    std::chrono::milliseconds pause{0};
    bool hangs_up = false;
  };

  explicit Impostor(Words words);
  ~Impostor();
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;

  int port() const { return port_; }
  int connections() const { return connections_; }
  std::size_t sent() const { return sent_; }

 private:
  void Run(const std::stop_token& stop);
  void Speak(int client, const std::stop_token& stop);
  bool Say(int client, const std::string& text);

  Words words_;
  int fd_ = -1;
  int port_ = 0;
  std::vector<int> kept_;  // used only by the thread that accepts without answering
  std::atomic<int> connections_ = 0;
  std::atomic<std::size_t> sent_ = 0;
  std::jthread thread_;
};

}  // namespace http
