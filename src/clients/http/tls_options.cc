// SPDX-License-Identifier: Apache-2.0
#include "http/tls_options.h"

#include "base/error.h"
#include "http/system_roots.h"

namespace http {
namespace {

// Returns a blob that refers to `text`. libcurl may read `text` for the client's lifetime.
curl_blob Blob(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

// The options for libcurl's default CA paths, and the option for our CAs.
struct TrustOptions {
  CURLoption file;
  CURLoption directory;
  CURLoption text;
};
constexpr TrustOptions kServerTrust{CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_CAINFO_BLOB};
constexpr TrustOptions kProxyTrust{CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH,
                                   CURLOPT_PROXY_CAINFO_BLOB};

// Makes `ca_pem` the only trusted CAs. By default libcurl also trusts the machine's CA directory,
// even with a given bundle. Then an attacker with a certificate of a public CA could impersonate a
// server whose CA is pinned.
void TrustOnly(CURL* easy, const TrustOptions& options, const std::string& ca_pem) {
  const char* const none = nullptr;
  bool set = curl_easy_setopt(easy, options.file, none) == CURLE_OK &&
             curl_easy_setopt(easy, options.directory, none) == CURLE_OK;
  if (!ca_pem.empty()) {
    curl_blob blob = Blob(ca_pem);
    set = set && curl_easy_setopt(easy, options.text, &blob) == CURLE_OK;
  }
  if (!set) {  // libcurl refuses many megabytes
    throw base::Error(base::Error::Kind::kInvalid,
                      "the CA certificates cannot be used: their text is too long");
  }
}

}  // namespace

void SetTls(CURL* easy, const Tls& tls, const net::Url& url, const std::string& proxy) {
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  // Plain HTTP, as for a kubelet's health check, does not need the system's bundle.
  const bool by_system = tls.ca_pem.empty() && !tls.skip_verify && url.scheme != "http";
  TrustOnly(easy, kServerTrust, by_system ? SystemRoots() : tls.ca_pem);
  // A TLS proxy is verified with the same CAs, as in Go's client.
  const bool proxy_by_system = tls.ca_pem.empty() && proxy.starts_with("https:");
  TrustOnly(easy, kProxyTrust, proxy_by_system ? SystemRoots() : tls.ca_pem);
  if (!tls.certificate_pem.empty()) {
    curl_blob certificate = Blob(tls.certificate_pem);
    curl_blob key = Blob(tls.key_pem);
    curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
  }
  if (tls.skip_verify) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

}  // namespace http
