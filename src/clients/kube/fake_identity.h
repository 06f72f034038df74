// SPDX-License-Identifier: Apache-2.0
// FakeIdentity: whom a FakeApiServer is when it speaks TLS. Credentials are shown to no other.
#pragma once

#include <string>

#include "http/fake_server.h"

namespace kube {

struct FakeIdentity {
  http::FakeTls tls;   // of 127.0.0.1
  std::string ca_pem;  // by which it is trusted
};

// OneFakeIdentity is made once for all tests of a program.
const FakeIdentity& OneFakeIdentity();

}  // namespace kube
