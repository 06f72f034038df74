// SPDX-License-Identifier: Apache-2.0
// FakeIdentity: the identity of a FakeApiServer with TLS. Credentials are sent to no other server.
#pragma once

#include <string>

#include "http/fake_server.h"

namespace kube {

struct FakeIdentity {
  http::FakeTls tls;   // of 127.0.0.1
  std::string ca_pem;  // the CA that signed its certificate
};

// Returns an identity that is created once for all tests of a program.
const FakeIdentity& OneFakeIdentity();

}  // namespace kube
