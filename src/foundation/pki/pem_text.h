// SPDX-License-Identifier: Apache-2.0
// The PEM blocks of an input (RFC 7468), as Go's encoding/pem finds them. The API server, etcd and
// the kubelet read the same files, and must find the same keys and certificates.
#pragma once

#include <functional>
#include <string_view>

namespace pki {

// The longest PEM input, in bytes. The bundle of all public CAs has a sixteenth of it.
inline constexpr std::size_t kLongestPem = std::size_t{4} << 20;

struct PemBlock {
  std::string_view label;
  bool has_headers = false;  // lines "name: value" after BEGIN, as in an encrypted key
  std::string_view bytes;    // wiped after the visit
};

// Passes each block of an input to `visit` until `visit` returns false. Skips content between
// blocks, and damaged blocks. A block ends at the first END line and begins at the last BEGIN line
// before it. The base64 may contain blanks and line breaks anywhere. Throws base::Error(kInvalid)
// for an input longer than kLongestPem.
using VisitPemBlock = std::function<bool(const PemBlock& block)>;
void ForEachPemBlock(std::string_view text, const VisitPemBlock& visit);

// Removes the first line and its end (LF or CRLF) from an input. Returns the line without its end.
// A CR at the end of the input belongs to the line.
std::string_view TakePemLine(std::string_view& text);

}  // namespace pki
