// SPDX-License-Identifier: Apache-2.0
#include "http/shown_certificate.h"

#include <string_view>

namespace http {

std::optional<std::string> ShownCertificate(CURL* easy) {
  curl_certinfo* chain = nullptr;
  if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain->num_of_certs < 1) {
    return std::nullopt;
  }
  constexpr std::string_view kName = "Cert:";
  for (const curl_slist* field = chain->certinfo[0]; field != nullptr; field = field->next) {
    const std::string_view text = field->data;
    if (text.starts_with(kName)) {
      return std::string(text.substr(kName.size()));
    }
  }
  return std::nullopt;
}

}  // namespace http
