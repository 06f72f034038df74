// SPDX-License-Identifier: Apache-2.0
#include "dns/fake_name_server.h"

#include <ares.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "base/error.h"

namespace dns {
namespace {

constexpr int kPollMilliseconds = 20;

void AddAddress(ares_dns_record_t* answer, const std::string& owner, const std::string& text) {
  ares_dns_rr_t* record = nullptr;
  const bool v4 = text.find(':') == std::string::npos;
  ares_dns_record_rr_add(&record, answer, ARES_SECTION_ANSWER, owner.c_str(),
                         v4 ? ARES_REC_TYPE_A : ARES_REC_TYPE_AAAA, ARES_CLASS_IN, 60);
  if (v4) {
    in_addr address{};
    ::inet_pton(AF_INET, text.c_str(), &address);
    ares_dns_rr_set_addr(record, ARES_RR_A_ADDR, &address);
  } else {
    ares_in6_addr address{};
    ::inet_pton(AF_INET6, text.c_str(), &address);
    ares_dns_rr_set_addr6(record, ARES_RR_AAAA_ADDR, &address);
  }
}

void AddAlias(ares_dns_record_t* answer, const std::string& owner, const std::string& target) {
  ares_dns_rr_t* record = nullptr;
  ares_dns_record_rr_add(&record, answer, ARES_SECTION_ANSWER, owner.c_str(), ARES_REC_TYPE_CNAME,
                         ARES_CLASS_IN, 60);
  ares_dns_rr_set_str(record, ARES_RR_CNAME_CNAME, target.c_str());
}

std::string AnswerTo(const FakeAnswer& zone, const std::string& query) {
  ares_dns_record_t* question = nullptr;
  const auto* bytes = reinterpret_cast<const unsigned char*>(query.data());
  if (ares_dns_parse(bytes, query.size(), 0, &question) != ARES_SUCCESS) {
    return "";
  }
  const char* name = nullptr;
  ares_dns_rec_type_t type{};
  ares_dns_class_t in{};
  ares_dns_record_query_get(question, 0, &name, &type, &in);
  const bool v6 = type == ARES_REC_TYPE_AAAA;
  ares_dns_record_t* answer = nullptr;
  const unsigned id = ares_dns_record_get_id(question) + (zone.other_id ? 1U : 0U);
  const ResponseCode code = v6 ? zone.aaaa_code.value_or(zone.code) : zone.code;
  ares_dns_record_create(&answer, static_cast<unsigned short>(id), ARES_FLAG_QR, ARES_OPCODE_QUERY,
                         static_cast<ares_dns_rcode_t>(code));
  ares_dns_record_query_add(answer, name, type, in);
  if (!zone.alias.empty()) {
    AddAlias(answer, name, zone.alias);
  }
  for (const std::string& address : v6 ? zone.aaaa : zone.a) {
    AddAddress(answer, zone.owner.empty() ? name : zone.owner, address);
  }
  unsigned char* written = nullptr;
  std::size_t size = 0;
  ares_dns_write(answer, &written, &size);
  std::string text(reinterpret_cast<const char*>(written), size);
  ares_free_string(written);
  ares_dns_record_destroy(answer);
  ares_dns_record_destroy(question);
  return text;
}

}  // namespace

FakeNameServer::FakeNameServer(FakeAnswer answer)
    : answer_(std::move(answer)), socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw base::Error("no port for a name server");
  }
  place_ = {.host = "127.0.0.1", .port = std::to_string(ntohs(address.sin_port))};
  thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
}

void FakeNameServer::Serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waits{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waits, 1, kPollMilliseconds) <= 0) {
      continue;
    }
    std::array<char, 4096> buffer{};
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t length = ::recvfrom(socket_.get(), buffer.data(), buffer.size(), 0,
                                      reinterpret_cast<sockaddr*>(&from), &size);
    if (length > 0 && !answer_.silent) {
      const std::string text = AnswerTo(answer_, {buffer.data(), static_cast<std::size_t>(length)});
      ::sendto(socket_.get(), text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&from),
               size);
    }
  }
}

}  // namespace dns
