// SPDX-License-Identifier: Apache-2.0
// The PEM blocks of a text (RFC 7468), as Go's encoding/pem finds them: the API server, etcd and
// the kubelet read the same files, and what is a key or a certificate for them has to be one here.
#pragma once

#include <functional>
#include <string_view>

namespace pki {

// kLongestPem is the longest text that is read as PEM, in bytes. The bundle of all public CAs has a
// sixteenth of it.
inline constexpr std::size_t kLongestPem = std::size_t{4} << 20;

struct PemBlock {
  std::string_view label;
  bool has_headers = false;  // lines "name: value" behind BEGIN, as an encrypted key has them
  std::string_view bytes;    // wiped when the visit is over
};

// ForEachPemBlock shows `visit` each block of a text until it returns false. What lies between
// blocks is skipped, and so are damaged blocks: a block ends at the first END line and begins at
// the last BEGIN before it. Blanks and line breaks may stand anywhere in its base64. Throws
// base::Error(kInvalid) for a text that is longer than kLongestPem.
using VisitPemBlock = std::function<bool(const PemBlock& block)>;
void ForEachPemBlock(std::string_view text, const VisitPemBlock& visit);

// TakePemLine takes a line and what ends it (LF or CRLF) off the front of a text. A CR that ends
// the text belongs to the line.
std::string_view TakePemLine(std::string_view& text);

}  // namespace pki
