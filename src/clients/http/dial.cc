// SPDX-License-Identifier: Apache-2.0
#include "http/dial.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "http/shown_certificate.h"
#include "net/host_port.h"

namespace http {
namespace {

using Kind = base::Error::Kind;

struct CloseEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};

// Ends the transfer on a stop request.
int OnProgress(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

Kind KindOf(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return Kind::kTimeout;
    case CURLE_URL_MALFORMAT:
      return Kind::kInvalid;
    default:
      return Kind::kUnavailable;
  }
}

}  // namespace

std::string PeerCertificateOf(const std::string& ip, std::uint16_t port,
                              const DialOptions& options) {
  const std::unique_ptr<CURL, CloseEasy> easy(curl_easy_init());
  const std::string where = net::JoinHostPort(ip, port);
  const std::string url = "https://" + where + "/";
  char message[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_CERTINFO, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(easy.get(), CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  curl_easy_setopt(easy.get(), CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  curl_easy_setopt(easy.get(), CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(easy.get(), CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, long{options.timeout.count()});
  curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, long{options.timeout.count()});
  curl_easy_setopt(easy.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFODATA, &options.stop);
  const CURLcode code = curl_easy_perform(easy.get());
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    throw base::Interrupted("interrupted while connecting to " + where);
  }
  if (code != CURLE_OK) {
    throw base::Error(KindOf(code),
                      fmt::format("no TLS connection with {}: {}", where,
                                  message[0] != '\0' ? message : curl_easy_strerror(code)));
  }
  std::optional<std::string> leaf = ShownCertificate(easy.get());
  if (!leaf) {
    throw base::Error(Kind::kUnavailable, fmt::format("{} showed no certificate", where));
  }
  return *std::move(leaf);
}

}  // namespace http
