// The first PEM block of a text (RFC 7468), with the tolerance of Go's encoding/pem, by which the
// Kubernetes API server reads requests: both must see the same block.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pki {

struct PemText {
  std::string label;
  std::string bytes;
};

// FirstPemBlock passes over blocks whose base64 is broken or whose END line does not fit. Header
// lines, CRLF, blanks at line ends, long lines and a missing last line end are fine; indented BEGIN
// and END lines are not.
std::optional<PemText> FirstPemBlock(std::string_view text);

}  // namespace pki
