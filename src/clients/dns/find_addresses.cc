// SPDX-License-Identifier: Apache-2.0
#include "dns/find_addresses.h"

#include <ares.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"

namespace dns {
namespace {

using base::Error;
using net::IpAddress;
using std::chrono::milliseconds;

constexpr int kTries = 3;                   // attempts per server
constexpr milliseconds kStopInterval{100};  // the longest delay of a stop request

struct DestroyChannel {
  void operator()(ares_channel_t* channel) const { ares_destroy(channel); }
};

// The answer to the query for one type of record.
struct Reply {
  ares_dns_rec_type_t type;
  std::string name;  // the queried name
  bool received = false;
  ares_status_t status = ARES_SUCCESS;
  bool alias = false;
  bool truncated = false;
  std::vector<IpAddress> addresses;

  bool Missing() const { return status == ARES_ENOTFOUND; }
  bool Valid() const { return status == ARES_SUCCESS || status == ARES_ENODATA || Missing(); }
};

template <typename Bytes>
std::string_view BytesOf(const Bytes* bytes) {
  return {reinterpret_cast<const char*>(bytes), sizeof(Bytes)};
}

std::optional<IpAddress> AddressIn(const ares_dns_rr_t* record) {
  if (ares_dns_rr_get_type(record) == ARES_REC_TYPE_A) {
    return IpAddress::FromBytes(BytesOf(ares_dns_rr_get_addr(record, ARES_RR_A_ADDR)));
  }
  return IpAddress::FromBytes(BytesOf(ares_dns_rr_get_addr6(record, ARES_RR_AAAA_ADDR)));
}

// Records addresses of the name itself only, and whether the name is an alias. A DNAME record comes
// with a CNAME record (RFC 6672 §3.1).
void TakeRecord(const ares_dns_rr_t* record, Reply& reply) {
  const ares_dns_rec_type_t type = ares_dns_rr_get_type(record);
  reply.alias = reply.alias || type == ARES_REC_TYPE_CNAME;
  if (type != reply.type || ares_dns_rr_get_class(record) != ARES_CLASS_IN ||
      base::ToLower(ares_dns_rr_get_name(record)) != reply.name) {
    return;
  }
  if (const auto address = AddressIn(record)) {
    reply.addresses.push_back(*address);
  }
}

void OnReply(void* argument, ares_status_t status, std::size_t,
             const ares_dns_record_t* message) noexcept {
  Reply& reply = *static_cast<Reply*>(argument);
  reply.received = true;
  reply.status = status;
  // c-ares reports a truncated answer only after it has repeated the query by TCP.
  reply.truncated = message != nullptr && (ares_dns_record_get_flags(message) & ARES_FLAG_TC) != 0;
  // Checks answers without addresses, too, because the name may be an alias.
  const std::size_t records =
      message == nullptr ? 0 : ares_dns_record_rr_cnt(message, ARES_SECTION_ANSWER);
  for (std::size_t i = 0; i < records; ++i) {
    TakeRecord(ares_dns_record_rr_get_const(message, ARES_SECTION_ANSWER, i), reply);
  }
}

// The sockets of a channel, with the events that c-ares waits for.
using Sockets = std::map<ares_socket_t, short>;

void OnSocket(void* argument, ares_socket_t socket, int readable, int writable) noexcept {
  Sockets& sockets = *static_cast<Sockets*>(argument);
  const int events = (readable != 0 ? POLLIN : 0) | (writable != 0 ? POLLOUT : 0);
  if (events == 0) {
    sockets.erase(socket);
  } else {
    sockets[socket] = static_cast<short>(events);
  }
}

void RequireSuccess(int status, std::string_view what) {
  if (status != ARES_SUCCESS) {
    throw Error(fmt::format("{}: {}", what, ares_strerror(status)));
  }
}

using Channel = std::unique_ptr<ares_channel_t, DestroyChannel>;

Channel Open(const Resolver& resolver, Sockets& sockets) {
  static const int initialized = ares_library_init(ARES_LIB_INIT_ALL);
  RequireSuccess(initialized, "no DNS library");
  std::string nowhere = "/dev/null";
  ares_options options{};
  options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS | ARES_FLAG_DNS0x20;
  options.ednspsz = 1232;  // bytes: DNS flag day 2020
  options.tries = kTries;
  const auto attempts = static_cast<long>(kTries * resolver.servers.size());
  options.timeout = static_cast<int>(std::max<long>(1, resolver.timeout.count() / attempts));
  options.maxtimeout = options.timeout;
  options.sock_state_cb = OnSocket;
  options.sock_state_cb_data = &sockets;
  options.resolvconf_path = nowhere.data();
  options.hosts_path = nowhere.data();
  options.qcache_max_ttl = 0;
  ares_channel_t* opened = nullptr;
  RequireSuccess(
      ares_init_options(&opened, &options,
                        ARES_OPT_FLAGS | ARES_OPT_EDNSPSZ | ARES_OPT_TRIES | ARES_OPT_TIMEOUTMS |
                            ARES_OPT_MAXTIMEOUTMS | ARES_OPT_SOCK_STATE_CB | ARES_OPT_RESOLVCONF |
                            ARES_OPT_HOSTS_FILE | ARES_OPT_QUERY_CACHE | ARES_OPT_NOROTATE),
      "no DNS channel");
  Channel channel(opened);
  std::vector<std::string> servers;
  for (const net::HostPort& server : resolver.servers) {
    servers.push_back(server.Text());
  }
  RequireSuccess(ares_set_servers_csv(channel.get(), base::Join(servers, ",").c_str()),
                 "name servers");
  return channel;
}

// Waits for one event, for at most `limit`.
void WaitOnce(ares_channel_t* channel, const Sockets& sockets, milliseconds limit) {
  timeval longest{.tv_sec = 0, .tv_usec = static_cast<suseconds_t>(limit.count() * 1'000)};
  timeval next{};
  const timeval* wait = ares_timeout(channel, &longest, &next);
  std::vector<pollfd> polled;
  for (const auto& [socket, events] : sockets) {
    polled.push_back({.fd = socket, .events = events, .revents = 0});
  }
  ::poll(polled.data(), polled.size(),
         static_cast<int>((wait->tv_sec * 1'000) + ((wait->tv_usec + 999) / 1'000)));
  std::vector<ares_fd_events_t> events;
  for (const pollfd& one : polled) {
    const unsigned readable = (one.revents & ~POLLOUT) != 0 ? ARES_FD_EVENT_READ : 0U;
    const unsigned writable = (one.revents & POLLOUT) != 0 ? ARES_FD_EVENT_WRITE : 0U;
    if ((readable | writable) != 0) {
      events.push_back({.fd = one.fd, .events = readable | writable});
    }
  }
  ares_process_fds(channel, events.data(), events.size(), ARES_PROCESS_FLAG_NONE);
}

void RequireUsable(const Reply& reply) {
  if (reply.status == ARES_ETIMEOUT) {
    throw Error(Error::Kind::kTimeout, fmt::format("no DNS server answers for {}", reply.name));
  }
  if (!reply.Valid()) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("DNS does not answer for {}: {}", reply.name,
                            ares_strerror(static_cast<int>(reply.status))));
  }
  if (reply.truncated) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("the DNS answer for {} is truncated, also by TCP", reply.name));
  }
  if (reply.alias) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} is an alias in DNS (CNAME or DNAME), which is not followed: give "
                            "it address records",
                            reply.name));
  }
}

std::vector<IpAddress> Merge(std::array<Reply, 2>& replies) {
  std::vector<IpAddress> addresses = std::move(replies[0].addresses);
  addresses.insert(addresses.end(), replies[1].addresses.begin(), replies[1].addresses.end());
  std::ranges::sort(addresses);
  const auto repeated = std::ranges::unique(addresses);
  addresses.erase(repeated.begin(), repeated.end());
  if (addresses.size() > kMostAddresses) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} has {} addresses in DNS, more than {}", replies[0].name,
                            addresses.size(), kMostAddresses));
  }
  return addresses;
}

}  // namespace

bool IsHostName(std::string_view text) {
  return base::IsDns1123Subdomain(text) &&
         std::ranges::all_of(base::Split(text, '.'), base::IsDns1123Label);
}

std::optional<std::vector<IpAddress>> FindAddresses(const Resolver& resolver,
                                                    const std::string& name,
                                                    const host::Clock& clock,
                                                    const std::stop_token& stop) {
  // Other names are refused because c-ares decodes escapes such as "\046" in them.
  if (!IsHostName(name)) {
    throw Error(Error::Kind::kInvalid, base::Quoted(name) + " is not a host's name");
  }
  const auto end = clock.Steady() + resolver.timeout;
  // The destructor of the channel runs callbacks, so it must run before the destructors of these
  // objects.
  std::array<Reply, 2> replies{Reply{.type = ARES_REC_TYPE_A, .name = name, .addresses = {}},
                               Reply{.type = ARES_REC_TYPE_AAAA, .name = name, .addresses = {}}};
  Sockets sockets;
  const Channel channel = Open(resolver, sockets);
  for (Reply& reply : replies) {
    ares_query_dnsrec(channel.get(), name.c_str(), ARES_CLASS_IN, reply.type, OnReply, &reply,
                      nullptr);
  }
  while (!std::ranges::all_of(replies, &Reply::received)) {
    if (stop.stop_requested()) {
      throw base::Interrupted("interrupted while looking up " + name);
    }
    if (clock.Steady() >= end) {
      throw Error(Error::Kind::kTimeout, fmt::format("no DNS server answers for {}", name));
    }
    WaitOnce(channel.get(), sockets, kStopInterval);
  }
  std::ranges::for_each(replies, RequireUsable);
  std::vector<IpAddress> addresses = Merge(replies);
  if (std::ranges::any_of(replies, &Reply::Missing) && !addresses.empty()) {
    throw Error(Error::Kind::kUnavailable,
                fmt::format("DNS says both that {} exists and that it does not", name));
  }
  return addresses.empty() ? std::nullopt : std::optional(std::move(addresses));
}

}  // namespace dns
