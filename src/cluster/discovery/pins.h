// SPDX-License-Identifier: Apache-2.0
// Pins of CA certificates: "sha256:" and the hash of the public key (RFC 7469's idea).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pki/certificate.h"

namespace discovery {

// Converts pins to the form of pki::Pin. Accepts hex digits in upper and lower case. Throws
// base::Error(kInvalid), naming the invalid pin.
std::vector<std::string> ParsePins(std::span<const std::string> texts);

// Returns the certificates that match one of the pins.
std::vector<pki::Certificate> Pinned(std::span<const pki::Certificate> certificates,
                                     std::span<const std::string> pins);

}  // namespace discovery
