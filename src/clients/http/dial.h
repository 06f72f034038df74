// SPDX-License-Identifier: Apache-2.0
// A TLS connection made only to see the server's certificate.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace http {

// DialOptions of PeerCertificateOf.
struct DialOptions {
  std::chrono::milliseconds timeout{5'000};  // for connection and handshake together
  std::stop_token stop;
};

// Connects to an IP address, performs the TLS handshake and closes the connection. Returns the
// server's certificate (PEM, without intermediates). The handshake proves that the server has the
// key; the caller must verify the certificate. Uses neither a proxy nor a client certificate, and
// sends no request. Throws base::Error: kUnavailable, kTimeout or kInvalid. Throws
// base::Interrupted on a stop request.
std::string PeerCertificateOf(const std::string& ip, std::uint16_t port,
                              const DialOptions& options);

}  // namespace http
