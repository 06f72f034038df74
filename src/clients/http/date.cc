// SPDX-License-Identifier: Apache-2.0
#include "http/date.h"

#include <curl/curl.h>

namespace http {

std::optional<std::chrono::sys_seconds> ParseDate(const std::string& text) {
  const std::time_t seconds = curl_getdate(text.c_str(), nullptr);
  if (seconds < 0) {
    return std::nullopt;
  }
  return std::chrono::sys_seconds(std::chrono::seconds(seconds));
}

}  // namespace http
