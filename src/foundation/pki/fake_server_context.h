// SPDX-License-Identifier: Apache-2.0
// A TLS server's identity, for tests whose TLS server belongs to another library.
#pragma once

#include <string>

struct ssl_ctx_st;

namespace pki {

// The certificate of a test's server, and the clients it accepts; all in PEM.
struct FakeIdentity {
  std::string certificate_pem;
  std::string key_pem;
  std::string client_ca_pem;  // "": no client certificate is requested
};

// Configures OpenSSL's context of that server. Throws base::Error(kInvalid) for malformed PEM.
void UseFakeIdentity(const FakeIdentity& identity, ssl_ctx_st& context);

}  // namespace pki
