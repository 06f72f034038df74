// SPDX-License-Identifier: Apache-2.0
// The trusted and the own certificates of a request. Internal to this library.
#pragma once

#include <curl/curl.h>

#include <string>

#include "http/client.h"
#include "net/url.h"

namespace http {

// Sets the TLS options of a request to `url` through `proxy` (empty: none). `tls` must live until
// the request has ended. Throws base::Error(kInvalid) for CA certificates that are too long.
void SetTls(CURL* easy, const Tls& tls, const net::Url& url, const std::string& proxy);

}  // namespace http
