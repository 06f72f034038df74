// SPDX-License-Identifier: Apache-2.0
// What a finished handshake has shown. Only this room includes it, as it does libcurl.
#pragma once

#include <curl/curl.h>

#include <optional>
#include <string>

namespace http {

// ShownCertificate is the first certificate that the server sent, in PEM; nothing when none was
// kept
// (CURLOPT_CERTINFO was not set, or the handshake did not come so far).
std::optional<std::string> ShownCertificate(CURL* easy);

}  // namespace http
