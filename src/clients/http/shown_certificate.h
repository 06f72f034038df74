// SPDX-License-Identifier: Apache-2.0
// The certificate of a finished handshake. Internal to this library, since it includes libcurl.
#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

namespace http {

// Returns the first certificate that the server sent, in PEM. Returns std::nullopt if libcurl
// recorded none, because CURLOPT_CERTINFO was not set or the handshake failed earlier.
std::optional<std::string> ShownCertificate(CURL* easy);

}  // namespace http
