// SPDX-License-Identifier: Apache-2.0
// A TLS connection made only to see who is at the other end.
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

// PeerCertificate connects to an IP address, shakes hands and hangs up: the server's certificate
// (PEM, without the intermediates that it sent). The handshake proves that the server has the key;
// whether the certificate is trusted is for the caller to find out. No proxy, no client
// certificate, no request. Throws base::Error: kUnavailable, kTimeout, kCancelled, kInvalid.
std::string PeerCertificateOf(const std::string& ip, std::uint16_t port,
                              const DialOptions& options);

}  // namespace http
