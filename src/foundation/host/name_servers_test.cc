// SPDX-License-Identifier: Apache-2.0
#include "host/name_servers.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "host/descriptor.h"
#include "host/fake_host.h"

namespace host {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::IsEmpty;

sockaddr_in Address(const char* address, std::uint16_t port) {
  sockaddr_in made{.sin_family = AF_INET, .sin_port = htons(port)};
  ::inet_pton(AF_INET, address, &made.sin_addr);
  return made;
}

// Returns a socket bound to an address; port 0 selects a free port.
Descriptor Bound(const char* address, std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const sockaddr_in made = Address(address, port);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&made), sizeof made), 0);
  return socket;
}

std::uint16_t PortOf(const Descriptor& socket) {
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.sin_port);
}

// Receives queries, skips the first `skipped`, and answers the next with `flags` in the third byte.
std::string AnswerOnce(const Descriptor& socket, int skipped, char flags) {
  std::string question(512, '\0');
  sockaddr_in from{};
  socklen_t size = sizeof from;
  ssize_t length = 0;
  for (int i = 0; i <= skipped; ++i) {
    length = ::recvfrom(socket.get(), question.data(), question.size(), 0,
                        reinterpret_cast<sockaddr*>(&from), &size);
  }
  question.resize(static_cast<std::size_t>(length));
  std::string answer = question;
  answer[2] = flags;
  ::sendto(socket.get(), answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
  return question;
}

TEST(SilentNameServers, AreTheServersWithoutAnAnswer) {
  const Descriptor speaks = Bound("127.0.0.1", 0);
  const std::uint16_t port = PortOf(speaks);
  const Descriptor silent = Bound("127.0.0.2", port);
  std::string question;
  {
    const std::jthread server([&] { question = AnswerOnce(speaks, 0, '\x81'); });
    EXPECT_THAT(SilentNameServers({"127.0.0.1", "127.0.0.2", "127.0.0.3", "no address"},
                                  {.name = "a.bc", .patience = milliseconds(300), .port = port}),
                ElementsAre("127.0.0.2", "127.0.0.3", "no address"));
  }
  EXPECT_EQ(question.substr(2), std::string("\x01\0\0\x01\0\0\0\0\0\0\x01"
                                            "a\x02"
                                            "bc\0\0\x01\0\x01",
                                            20));
}

TEST(SilentNameServers, DoNotIncludeAServerAfterOneLostPacket) {
  const Descriptor speaks = Bound("127.0.0.1", 0);
  const std::jthread server([&] { AnswerOnce(speaks, 1, '\x81'); });
  EXPECT_THAT(
      SilentNameServers({"127.0.0.1"},
                        {.name = "a", .patience = milliseconds(600), .port = PortOf(speaks)}),
      IsEmpty());
}

TEST(SilentNameServers, IncludeAServerThatOnlyEchoesTheQuery) {
  const Descriptor echoes = Bound("127.0.0.1", 0);
  const std::jthread server([&] { AnswerOnce(echoes, 0, '\x01'); });
  EXPECT_THAT(
      SilentNameServers({"127.0.0.1"},
                        {.name = "a", .patience = milliseconds(200), .port = PortOf(echoes)}),
      ElementsAre("127.0.0.1"));
}

TEST(SilentNameServers, DoesNotWaitForAClosedPort) {
  std::uint16_t closed = 0;
  {
    const Descriptor gone = Bound("127.0.0.1", 0);
    closed = PortOf(gone);
  }
  const auto begin = steady_clock::now();
  EXPECT_THAT(SilentNameServers({"127.0.0.1"},
                                {.name = "a", .patience = milliseconds(20'000), .port = closed}),
              ElementsAre("127.0.0.1"));
  EXPECT_LT(steady_clock::now() - begin, milliseconds(10'000));
}

// Answers queries for one type of addresses until the socket is shut down.
void AnswerOnly(const Descriptor& socket, RecordType type) {
  std::string question(512, '\0');
  while (true) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t length = ::recvfrom(socket.get(), question.data(), question.size(), 0,
                                      reinterpret_cast<sockaddr*>(&from), &size);
    if (length < 5) {
      return;
    }
    if (question[static_cast<std::size_t>(length) - 3] == static_cast<char>(type)) {
      question[2] = '\x81';
      ::sendto(socket.get(), question.data(), static_cast<std::size_t>(length), 0,
               reinterpret_cast<sockaddr*>(&from), size);
    }
  }
}

TEST(AnswerIpv4Only, IsTrueOfServersThatIgnoreIpv6) {
  for (const RecordType type : {RecordType::kA, RecordType::kAaaa}) {
    const Descriptor socket = Bound("127.0.0.1", 0);
    const std::uint16_t port = PortOf(socket);
    const std::jthread server([&] { AnswerOnly(socket, type); });
    EXPECT_EQ(AnswerIpv4Only({"127.0.0.1", "127.0.0.2"},
                             {.name = "a", .patience = milliseconds(300), .port = port}),
              type == RecordType::kA);
    const Descriptor end = Bound("127.0.0.1", 0);
    const sockaddr_in to = Address("127.0.0.1", port);
    ::sendto(end.get(), "", 0, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
}

TEST(NameServersIn, ReadsTheServersOfResolvConf) {
  FakeHost fake;
  EXPECT_THAT(NameServersIn(fake.files, "/etc/resolv.conf"), IsEmpty());
  fake.files.Write("/etc/resolv.conf", "search a\n nameserver 10.0.0.1 \nnameserver ::1\n", {});
  EXPECT_THAT(NameServersIn(fake.files, "/etc/resolv.conf"), ElementsAre("10.0.0.1", "::1"));
}

}  // namespace
}  // namespace host
