// SPDX-License-Identifier: Apache-2.0
// A TLS server's identity for tests whose server is another library's.
#pragma once

#include <string>

struct ssl_ctx_st;

namespace pki {

// FakeIdentity is what a server of a test shows, and whom it lets in; all PEM texts.
struct FakeIdentity {
  std::string certificate_pem;
  std::string key_pem;
  std::string client_ca_pem;  // "": clients are asked for no certificate
};

// UseFakeIdentity sets up OpenSSL's context of that server. Throws base::Error(kInvalid) for texts
// that cannot be read.
void UseFakeIdentity(const FakeIdentity& identity, ssl_ctx_st& context);

}  // namespace pki
