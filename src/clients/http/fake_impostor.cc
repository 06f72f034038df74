// SPDX-License-Identifier: Apache-2.0
#include "http/fake_impostor.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace http {

Impostor::Impostor(Words words) : words_(std::move(words)) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(fd_, 64), 0);
  socklen_t size = sizeof address;
  getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Impostor::~Impostor() {
  thread_.request_stop();
  thread_.join();
  for (const int client : kept_) {
    close(client);
  }
  close(fd_);
}

bool Impostor::Say(int client, const std::string& text) {
  const ssize_t count = send(client, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  sent_ += count > 0 ? static_cast<std::size_t>(count) : 0;
  return count >= 0 || errno == EAGAIN;
}

void Impostor::Speak(int client, const std::stop_token& stop) {
  bool goes_on = Say(client, words_.first) && !words_.hangs_up;
  while (goes_on && !stop.stop_requested()) {
    pollfd reader{.fd = client, .events = POLLRDHUP, .revents = 0};
    goes_on = poll(&reader, 1, std::max(1, static_cast<int>(words_.pause.count()))) == 0 &&
              (words_.again.empty() || Say(client, words_.again));
  }
}

void Impostor::Run(const std::stop_token& stop) {
  pollfd wanted{.fd = fd_, .events = POLLIN, .revents = 0};
  while (!stop.stop_requested()) {
    if (poll(&wanted, 1, 20) > 0) {
      const int client = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      ++connections_;
      if (words_.first.empty() && words_.again.empty() && !words_.hangs_up) {
        kept_.push_back(client);
      } else {
        Speak(client, stop);
        close(client);
      }
    }
  }
}

}  // namespace http
