// SPDX-License-Identifier: Apache-2.0
#include "host/network.h"

#include <fmt/core.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/route.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

#include "base/strings.h"
#include "host/descriptor.h"
#include "host/files.h"
#include "host/routes.h"
#include "net/ip_address.h"

namespace host {
namespace {

// Returns an IPv4 or IPv6 address as text, without its scope; "" for other families.
std::string AddressText(const sockaddr* address) {
  std::string_view bytes;
  if (address != nullptr && address->sa_family == AF_INET) {
    const auto* in = reinterpret_cast<const sockaddr_in*>(address);
    bytes = {reinterpret_cast<const char*>(&in->sin_addr), sizeof in->sin_addr};
  } else if (address != nullptr && address->sa_family == AF_INET6) {
    const auto* in = reinterpret_cast<const sockaddr_in6*>(address);
    bytes = {reinterpret_cast<const char*>(&in->sin6_addr), sizeof in->sin6_addr};
  }
  const auto read = net::IpAddress::FromBytes(bytes);
  return read ? read->Text() : "";
}

// Returns 0 if a socket can listen at the address, or else the errno.
int TryListen(int family, const sockaddr& address, socklen_t length) {
  const Descriptor fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return errno;
  }
  const int on = 1;
  const int off = 0;
  // Ignores connections in TIME_WAIT. Lets [::] include all IPv4 addresses.
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (::bind(fd.get(), &address, length) != 0 || ::listen(fd.get(), 1) != 0) {
    return errno;
  }
  return 0;
}

// Checks one address, in any form that the resolver reads.
std::optional<std::string> PortProblemAt(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* head = nullptr;
  const int failure = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &head);
  if (failure != 0) {
    return fmt::format("{} is not an address: {}", base::Quoted(address), ::gai_strerror(failure));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(head, &::freeaddrinfo);
  const int error = TryListen(head->ai_family, *head->ai_addr, head->ai_addrlen);
  if (error == EADDRNOTAVAIL) {
    return fmt::format("no interface of this machine has the address {}", address);
  }
  return error == 0 ? std::nullopt
                    : std::optional(fmt::format("{} at {}", ErrnoText(error), address));
}

}  // namespace

std::vector<Interface> RealNetwork::Interfaces() const {
  ifaddrs* head = nullptr;
  if (::getifaddrs(&head) != 0) {
    throw SystemError("cannot list network interfaces", errno);
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(head, &::freeifaddrs);
  std::vector<Interface> interfaces;
  for (const ifaddrs* entry = head; entry != nullptr; entry = entry->ifa_next) {
    auto found = std::ranges::find(interfaces, entry->ifa_name, &Interface::name);
    if (found == interfaces.end()) {
      interfaces.push_back({.name = entry->ifa_name,
                            .up = (entry->ifa_flags & IFF_UP) != 0U,
                            .loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0U});
      found = std::prev(interfaces.end());
    }
    if (std::string text = AddressText(entry->ifa_addr); !text.empty()) {
      found->addresses.push_back(std::move(text));
    }
  }
  return interfaces;
}

std::vector<DefaultRoute> RealNetwork::DefaultRoutes() const {
  const RealFiles files;
  return ParseDefaultRoutes(files.Find("/proc/net/route").value_or(""),
                            files.Find("/proc/net/ipv6_route").value_or(""));
}

std::optional<std::string> RealNetwork::PortProblem(const std::string& address,
                                                    std::uint16_t port) const {
  if (!address.empty()) {
    return PortProblemAt(address, port);
  }
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  any6.sin6_port = htons(port);
  int error = TryListen(AF_INET6, reinterpret_cast<const sockaddr&>(any6), sizeof any6);
  if (error == EAFNOSUPPORT || error == EADDRNOTAVAIL || error == EPROTONOSUPPORT) {
    sockaddr_in any4{};
    any4.sin_family = AF_INET;
    any4.sin_port = htons(port);
    error = TryListen(AF_INET, reinterpret_cast<const sockaddr&>(any4), sizeof any4);
  }
  return error == 0 ? std::nullopt : std::optional(ErrnoText(error));
}

bool RealNetwork::Listens(const std::string& socket) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) {
    return false;
  }
  std::ranges::copy(socket, address.sun_path);
  const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto* at = reinterpret_cast<const sockaddr*>(&address);
  // EAGAIN: the listener has not accepted earlier connections yet.
  return fd.valid() && (::connect(fd.get(), at, sizeof address) == 0 || errno == EAGAIN);
}

std::vector<std::string> RealNetwork::Resolve(const std::string& name) const {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* head = nullptr;
  int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &head);
  if (error == EAI_AGAIN) {  // possibly from a name server that ignores queries for IPv6 addresses
    hints.ai_family = AF_INET;
    error = ::getaddrinfo(name.c_str(), nullptr, &hints, &head);
  }
  if (error != 0) {
    throw base::Error(
        error == EAI_NONAME ? base::Error::Kind::kNotFound : base::Error::Kind::kOther,
        fmt::format("cannot look up {}: {}", base::Quoted(name),
                    error == EAI_SYSTEM ? ErrnoText(errno) : ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(head, &::freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = head; entry != nullptr; entry = entry->ai_next) {
    std::string text = AddressText(entry->ai_addr);
    if (!text.empty() && std::ranges::find(addresses, text) == addresses.end()) {
      addresses.push_back(std::move(text));
    }
  }
  return addresses;
}

}  // namespace host
