// SPDX-License-Identifier: Apache-2.0
// Addresses, networks, host:port strings and URLs: parsing does not crash, the output parses to the
// same value, and printed values contain no credential.
#include "etcd/answers.h"
#include "fuzz.h"
#include "http/escape.h"
#include "http/proxy.h"
#include "net/cidr.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "net/url.h"

namespace {

void CheckAddress(const std::string& text) {
  const auto strict = net::IpAddress::Parse(text);
  const auto sloppy = net::IpAddress::ParseSloppy(text);
  fuzz::Require(!strict || strict == sloppy, "what is read strictly is read sloppily, too");
  if (sloppy) {
    fuzz::Require(net::IpAddress::Parse(sloppy->Text()) == sloppy, "an address is read as itself");
    fuzz::Require(net::IpAddress::FromBytes(sloppy->Octets()) == sloppy, "so are its bytes");
    fuzz::Require(sloppy->IsIpv4() == (sloppy->Octets().size() == 4), "IPv4 has four bytes");
  }
}

void CheckNetworks(const std::string& first, const std::string& second) {
  const auto a = net::Cidr::ParseSloppy(first);
  const auto b = net::Cidr::ParseSloppy(second);
  for (const auto& each : {a, b}) {
    if (!each) {
      return;
    }
    fuzz::Require(net::Cidr::Parse(each->Text()) == each, "a network is read as itself");
    fuzz::Require(each->Contains(each->network()) && each->Overlaps(*each), "it holds itself");
    fuzz::Require(each->Nth(0) == each->network(), "its first address is its own");
    const auto far = each->Nth(0x12345678);
    fuzz::Require(!far || each->Contains(*far), "it holds its addresses");
  }
  fuzz::Require(a->Overlaps(*b) == b->Overlaps(*a), "to overlap is mutual");
  fuzz::Require(a->Overlaps(*b) == (a->Contains(b->network()) || b->Contains(a->network())),
                "what overlaps holds the other");
  const bool wider = a->PrefixLength() <= b->PrefixLength();
  fuzz::Require(!a->Overlaps(*b) || (wider ? *a : *b).Contains((wider ? *b : *a).network()),
                "the wider one holds the narrower one");
}

void CheckHostPort(const std::string& text) {
  if (const auto read = net::HostPort::Parse(text)) {
    fuzz::Require(net::HostPort::Parse(read->Text()) == read,
                  "host and port are read as themselves");
    fuzz::Require(net::HostPort::ParsePortOptional(text).has_value() ||
                      net::IpAddress::ParseSloppy(text).has_value(),
                  "a port is not refused where it may be left out");
  }
  const auto optional = net::HostPort::ParsePortOptional(text);
  fuzz::Require(!optional || optional->host.size() + optional->port.size() <= text.size(),
                "nothing is added");
}

void CheckUrl(const std::string& text) {
  const auto url = net::Url::Parse(text);
  if (!url) {
    return;
  }
  const std::string shown = url->Authority();
  fuzz::Require(shown.size() <= text.size() + 10, "an authority is a part of its URL");
  fuzz::Require(text.ends_with(url->target), "a target is the end of its URL");
  fuzz::Require(url->port.find_first_not_of("0123456789") == url->port.npos, "a port is digits");
  // An unescaped host may need its escapes: then it is not a substring of the printed URL.
  if (url->host.find_first_of("%:[]") == url->host.npos || net::IpAddress::Parse(url->host)) {
    const auto again = net::Url::Parse("https://" + shown + "/");
    fuzz::Require(again && again->host == url->host, "an authority is read as itself");
    fuzz::Require(!again->user, "an authority names no user");
  }
}

void CheckProxies(const std::string& first, const std::string& second) {
  for (const char* name : {"HTTPS_PROXY", "NO_PROXY"}) {
    fuzz::Refused([&] {
      http::ProxyFor(
          [&](std::string_view asked) {
            return asked == name ? first : asked == "HTTPS_PROXY" ? "p:1" : "";
          },
          second.empty() ? "https://10.0.0.1:6443/x" : second);
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(fuzz::Text(bytes, size));
  const auto split = text.find('\n');
  const std::string first = text.substr(0, split);
  const std::string second = split == text.npos ? "" : text.substr(split + 1);
  for (const std::string& each : {text, first, second}) {
    CheckAddress(each);
    CheckHostPort(each);
    CheckUrl(each);
  }
  CheckNetworks(first, second);
  CheckProxies(first, second);
  fuzz::Refused([&] { etcd::Origin(text); });
  if (text == "." || text == "..") {
    return 0;
  }
  for (const std::string& escaped : {http::EscapeSegment(text), http::EscapeQuery(text)}) {
    fuzz::Require(escaped.find_first_of("/?# \"<>\r\n") == escaped.npos,
                  "an escaped text stays where it is put");
  }
  return 0;
}
