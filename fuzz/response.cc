// SPDX-License-Identifier: Apache-2.0
// HTTP responses: status lines, headers, chunks, redirects, proxies. A server on the loopback
// address sends the input to every client. http::Client turns it into a bounded response or an
// error, within a second. The first byte selects how the server is queried.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <thread>
#include <vector>

#include "fuzz.h"
#include "http/client.h"
#include "http/date.h"

namespace {

constexpr std::size_t kLargest = 4096;

// Sends the same bytes to every client, then the end of the stream. Lives as long as the process.
class Speaker {
 public:
  Speaker() {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    fuzz::Require(fd_ >= 0 && bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                      listen(fd_, 16) == 0 &&
                      getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0,
                  "there is a server");
    port_ = ntohs(address.sin_port);
    std::thread([this] { Run(); }).detach();
  }
  void Say(std::string text) {
    const std::scoped_lock lock(mutex_);
    text_ = std::move(text);
    for (const int client : clients_) {
      close(client);
    }
    clients_.clear();
  }
  std::string Authority() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void Run() {
    while (true) {
      const int client = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) {
        continue;
      }
      Serve(client);
    }
  }

  void Serve(int client) {
    char piece[4096];
    recv(client, piece, sizeof piece, 0);  // a request is short
    const std::scoped_lock lock(mutex_);
    send(client, text_.data(), text_.size(), MSG_NOSIGNAL);
    shutdown(client, SHUT_WR);
    clients_.push_back(client);  // an immediate close would discard unread data
  }

  int fd_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  std::string text_;          // guarded by mutex_
  std::vector<int> clients_;  // guarded by mutex_
};

Speaker& TheSpeaker() {
  static auto* const speaker = new Speaker;
  return *speaker;
}

// Queries the speaker itself, or another server through it, so that no redirect leads anywhere
// else.
http::Request RequestOf(unsigned form) {
  const std::string speaker = "http://" + TheSpeaker().Authority();
  http::Request request{.method = form % 2 == 0 ? "POST" : "GET",
                        .url = form % 4 < 2 ? speaker + "/x" : "http://fuzz.test/x",
                        .headers = {{"Authorization", "Bearer secret"}},
                        .timeout = std::chrono::milliseconds(1000)};
  if (form % 8 >= 6) {
    request.url = "https://fuzz.test/x";  // CONNECT
  }
  request.proxy = form % 4 == 0 ? "" : speaker;
  request.largest_body = kLargest;
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  TheSpeaker().Say(std::string(fuzz::Text(bytes + 1, size - 1)));
  const http::Request request = RequestOf(bytes[0]);
  const auto begin = std::chrono::steady_clock::now();
  fuzz::Refused([&] {
    std::size_t streamed = 0;
    http::Client client(http::Tls{.skip_verify = true});
    const http::Response response =
        bytes[0] % 16 < 8 ? client.Do(request) : client.Stream(request, [&](std::string_view data) {
          streamed += data.size();
          return streamed < kLargest;
        });
    fuzz::Require(response.body.size() <= kLargest, "an answer is bounded");
    std::size_t headers = 0;
    for (const auto& [name, value] : response.headers) {
      fuzz::Require((name + value).find_first_of("\r\n") == std::string::npos,
                    "a header is a line");
      headers += name.size() + value.size();
    }
    fuzz::Require(headers <= size, "headers are what came");
    if (const auto date = response.headers.find("date"); date != response.headers.end()) {
      http::ParseDate(date->second);
    }
  });
  // A fuzzer at the lowest priority may get no processor time for many seconds.
  fuzz::Require(std::chrono::steady_clock::now() - begin < std::chrono::minutes(2),
                "an answer takes the time that it may");
  return 0;
}
