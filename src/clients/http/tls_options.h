// SPDX-License-Identifier: Apache-2.0
// Which certificates a request trusts and shows. For the inside of this room.
#pragma once

#include <curl/curl.h>

#include <string>

#include "http/client.h"
#include "net/url.h"

namespace http {

// SetTls sets the options of a request to `url` through `proxy` (empty: none): whose certificates
// count, and who we are. `tls` is read until the request has ended. Throws base::Error(kInvalid)
// for CA certificates that are too long.
void SetTls(CURL* easy, const Tls& tls, const net::Url& url, const std::string& proxy);

}  // namespace http
