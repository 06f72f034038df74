// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <thread>

#include "base/error.h"
#include "host/descriptor.h"
#include "host/fake_host.h"
#include "host/routes.h"

namespace host {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

TEST(RealHostTest, ReportsFactsOfThisHost) {
  const RealMachine machine;
  EXPECT_EQ(machine.KernelName(), "Linux");
  EXPECT_FALSE(machine.KernelRelease().empty());
  EXPECT_FALSE(machine.Hostname().empty());
  EXPECT_GE(machine.Processors(), 1U);
  EXPECT_GT(machine.MemoryBytes(), 1U << 20U);
  EXPECT_EQ(machine.EffectiveUser(), ::geteuid());
  EXPECT_TRUE(machine.FreeDiskBytes("/"));
  EXPECT_EQ(machine.FreeDiskBytes("/no/such/directory"), std::nullopt);
}

TEST(RealHostTest, FindsTheLoopbackInterface) {
  const std::vector<Interface> interfaces = RealNetwork().Interfaces();
  EXPECT_THAT(interfaces, Contains(testing::AllOf(
                              testing::Field(&Interface::loopback, true),
                              testing::Field(&Interface::addresses, Contains("127.0.0.1")))));
}

TEST(RealHostTest, ReportsOnlyPortsInUse) {
  const Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::uint16_t port = ntohs(address.sin_port);
  ASSERT_EQ(::listen(fd.get(), 1), 0);
  EXPECT_EQ(RealNetwork().PortProblem("", port), "Address already in use");
  EXPECT_EQ(RealNetwork().PortProblem("", 0), std::nullopt) << "any free port";
  EXPECT_EQ(RealNetwork().PortProblem("192.0.2.1", port),
            "no interface of this machine has the address 192.0.2.1");
}

TEST(RealHostTest, ASocketFileAloneIsNotAListener) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() / "runtime.sock";
  EXPECT_FALSE(RealNetwork().Listens(path)) << "not there";
  const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(path, address.sun_path);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_FALSE(RealNetwork().Listens(path)) << "left by who is gone";
  ASSERT_EQ(::listen(fd.get(), 0), 0);
  EXPECT_TRUE(RealNetwork().Listens(path));
  EXPECT_TRUE(RealNetwork().Listens(path)) << "busy";
  EXPECT_FALSE(RealNetwork().Listens(std::string(200, '/'))) << "longer than a socket's name";
}

TEST(RealHostTest, ResolvesValidNamesAndRefusesInvalidNames) {
  EXPECT_THAT(RealNetwork().Resolve("127.0.0.1"), Contains("127.0.0.1"));
  EXPECT_THROW(RealNetwork().Resolve("not a name"), base::Error);
}

TEST(RealHostTest, ReadsTheEnvironment) {
  ::setenv("SLIPWAY_TEST", "a=b", 1);
  const RealEnvironment environment;
  EXPECT_EQ(environment.Get("SLIPWAY_TEST"), "a=b");
  EXPECT_EQ(environment.All().at("SLIPWAY_TEST"), "a=b");
  ::unsetenv("SLIPWAY_TEST");
  EXPECT_EQ(environment.Get("SLIPWAY_TEST"), "");
}

TEST(RealHostTest, RandomBytesDiffer) {
  RealRandom random;
  EXPECT_EQ(random.Bytes(33).size(), 33U);
  EXPECT_NE(random.Bytes(16), random.Bytes(16));
  EXPECT_EQ(random.Bytes(0), "");
}

TEST(RealHostTest, AStopEndsSleep) {
  std::stop_source source;
  const std::jthread stopper([&] { source.request_stop(); });
  RealHost real;
  EXPECT_FALSE(real.clock.Sleep(1h, source.get_token()));
  EXPECT_TRUE(real.clock.Sleep(0ns, {}));
  EXPECT_TRUE(source.stop_requested());
}

TEST(RoutesTest, IncludeOnlyUsableDefaultRoutes) {
  constexpr std::string_view kIpv4 =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
      "eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
      "eth0\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
      "wg0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0\n"
      "down\t00000000\t010200C0\t0002\t0\t0\t0\t00000000\t0\t0\t0\n"
      "ban\t00000000\t010200C0\t0201\t0\t0\t0\t00000000\t0\t0\t0\n"
      "short\t00000000\n";
  constexpr std::string_view kIpv6 =
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
      "fe800000000000000000000000000001 00000400 00000001 00000000 00450003     eth1\n"
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
      "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n"
      "fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "
      "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1\n";
  const std::vector<DefaultRoute> routes = ParseDefaultRoutes(kIpv4, kIpv6);
  ASSERT_EQ(routes.size(), 2U);
  EXPECT_EQ(routes[0].interface, "eth0");
  EXPECT_FALSE(routes[0].ipv6);
  EXPECT_EQ(routes[1].interface, "eth1");
  EXPECT_TRUE(routes[1].ipv6);
  EXPECT_TRUE(ParseDefaultRoutes("", "").empty());
}

TEST(FakeHostTest, IsIndependentOfTheRealHost) {
  FakeHost fake;
  fake.files.Write("/etc/hostname", "x", {});
  EXPECT_TRUE(fs::exists(fake.directory.path() / "etc/hostname"));
  EXPECT_EQ(fake.host.clock.Now(), FakeClock::kStart);
  fake.host.clock.Sleep(90s);
  EXPECT_EQ(fake.clock.Now(), FakeClock::kStart + 90s);
  EXPECT_EQ(fake.clock.Steady().time_since_epoch(), 90s);
  fake.clock.Set(FakeClock::kStart);
  EXPECT_EQ(fake.clock.Now(), FakeClock::kStart);
  EXPECT_NE(fake.random.Bytes(16), fake.random.Bytes(16));
  EXPECT_EQ(FakeRandom().Bytes(20), FakeRandom().Bytes(20));
  EXPECT_THROW(fake.network.Resolve("nobody"), base::Error);
  fake.machine.memory_bytes.reset();
  EXPECT_THROW(fake.machine.MemoryBytes(), base::Error);
}

}  // namespace
}  // namespace host
