// SPDX-License-Identifier: Apache-2.0
#include "http/ipv4_names.h"

#include <mutex>
#include <set>
#include <vector>

#include "base/log.h"
#include "base/strings.h"
#include "host/files.h"
#include "host/name_servers.h"
#include "net/ip_address.h"

namespace http {
namespace {

constexpr const char* kResolvConf = "/etc/resolv.conf";

struct Names {
  std::mutex mutex;
  std::set<std::string> names;  // guarded by mutex
};

Names& Known() {
  static Names known;
  return known;
}

bool LookUpFailed(CURL* easy, CURLcode code) {
  curl_off_t looked_up = 0;
  curl_easy_getinfo(easy, CURLINFO_NAMELOOKUP_TIME_T, &looked_up);
  return code == CURLE_COULDNT_RESOLVE_HOST || (code == CURLE_OPERATION_TIMEDOUT && looked_up == 0);
}

}  // namespace

bool IsIpv4Name(const std::string& name) {
  Names& known = Known();
  const std::scoped_lock lock(known.mutex);
  return known.names.contains(name);
}

bool LearnIpv4Name(CURL* easy, CURLcode code, const std::string& name) {
  if (!LookUpFailed(easy, code) || net::IpAddress::Parse(name) || IsIpv4Name(name)) {
    return false;
  }
  std::vector<std::string> servers = host::NameServersIn(host::RealFiles(), kResolvConf);
  if (servers.empty()) {
    servers.emplace_back("127.0.0.1");  // the default of resolv.conf(5)
  }
  if (!host::AnswerIpv4Only(servers, {.name = name})) {
    return false;
  }
  Names& known = Known();
  const std::scoped_lock lock(known.mutex);
  if (known.names.insert(name).second) {
    base::LogWarning(
        "the name servers of {} ({}) do not answer the question for the IPv6 addresses (AAAA) of "
        "{}, only for its IPv4 addresses (A): these are used, after a wait; have the name servers "
        "answer both",
        kResolvConf, base::Join(servers, ", "), base::Quoted(name));
  }
  return true;
}

}  // namespace http
