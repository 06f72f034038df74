// SPDX-License-Identifier: Apache-2.0
#include "host/name_servers.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/strings.h"
#include "host/descriptor.h"

namespace host {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kHeader = 12;
constexpr std::size_t kLongestLabel = 63;
constexpr unsigned char kIsAnswer = 0x80;  // in the header's third byte

// Returns a packet with one question, recursion desired (RFC 1035 §4.1).
std::string Packet(const std::string& name, RecordType type) {
  std::string packet("SW\x01\0\0\x01\0\0\0\0\0\0", kHeader);
  for (const std::string& label : base::Split(name, '.')) {
    if (!label.empty()) {
      const std::string short_label = label.substr(0, kLongestLabel);
      packet += static_cast<char>(short_label.size());
      packet += short_label;
    }
  }
  return packet + std::string("\0\0", 2) + static_cast<char>(type) + std::string("\0\x01", 2);
}

// Returns a connected socket, or -1 if the server is unreachable. A connected socket drops packets
// of other hosts and reports a closed port.
Descriptor Connect(const std::string& server, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* head = nullptr;
  if (::getaddrinfo(server.c_str(), std::to_string(port).c_str(), &hints, &head) != 0) {
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(head, &::freeaddrinfo);
  Descriptor socket(::socket(head->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid() || ::connect(socket.get(), head->ai_addr, head->ai_addrlen) != 0) {
    return {};
  }
  return socket;
}

// A queried server. Wait skips a server without a socket.
struct Asked {
  Descriptor socket;
  bool answered = false;
};

void Receive(Asked& asked, const std::string& packet) {
  std::array<char, 512> buffer{};
  const ssize_t size = ::recv(asked.socket.get(), buffer.data(), buffer.size(), 0);
  if (size < 0) {
    if (errno != EAGAIN) {
      asked.socket = {};  // refused: closed port
    }
    return;
  }
  asked.answered = size >= static_cast<ssize_t>(kHeader) &&
                   std::equal(buffer.begin(), buffer.begin() + 2, packet.begin()) &&
                   (static_cast<unsigned char>(buffer[2]) & kIsAnswer) != 0;
}

// Waits for answers until `end`, or until all have arrived.
void Wait(std::vector<Asked>& all, const std::string& packet, steady_clock::time_point end) {
  while (true) {
    std::vector<pollfd> polled;
    for (const Asked& asked : all) {
      // poll(2) skips negative descriptors.
      polled.push_back({.fd = asked.answered ? -1 : asked.socket.get(), .events = POLLIN});
    }
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now()).count();
    if (left <= 0 || std::ranges::all_of(polled, [](const pollfd& one) { return one.fd < 0; })) {
      return;
    }
    if (::poll(polled.data(), polled.size(), static_cast<int>(left)) <= 0) {
      continue;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (polled[i].revents != 0) {
        Receive(all[i], packet);
      }
    }
  }
}

}  // namespace

std::vector<std::string> NameServersIn(const Files& files, const fs::path& path) {
  std::vector<std::string> servers;
  for (const std::string& line : base::Lines(files.Find(path).value_or(""))) {
    const std::vector<std::string> fields = base::Fields(line);
    if (fields.size() > 1 && fields[0] == "nameserver") {
      servers.push_back(fields[1]);
    }
  }
  return servers;
}

std::vector<std::string> SilentNameServers(const std::vector<std::string>& servers,
                                           const Question& question) {
  const std::string packet = Packet(question.name, question.type);
  std::vector<Asked> all;
  for (const std::string& server : servers) {
    all.push_back({.socket = Connect(server, question.port)});
  }
  constexpr int kTimes = 2;
  const auto begin = steady_clock::now();
  for (int time = 1; time <= kTimes; ++time) {
    for (const Asked& asked : all) {
      if (asked.socket.valid() && !asked.answered) {
        ::send(asked.socket.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
      }
    }
    Wait(all, packet, begin + question.patience * time / kTimes);
  }
  std::vector<std::string> silent;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].answered) {
      silent.push_back(servers[i]);
    }
  }
  return silent;
}

bool AnswerIpv4Only(const std::vector<std::string>& servers, Question question) {
  question.type = RecordType::kA;
  if (SilentNameServers(servers, question).size() == servers.size()) {
    return false;
  }
  question.type = RecordType::kAaaa;
  return SilentNameServers(servers, question).size() == servers.size();
}

}  // namespace host
