// SPDX-License-Identifier: Apache-2.0
// FakeCluster: the fixture of tests that write to a small API server and check its objects.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/fake_host.h"
#include "json/value.h"
#include "kube/client.h"
#include "kube/fake_server.h"

namespace kube {

// A small API server and a client with a single attempt.
class FakeCluster : public testing::Test {
 protected:
  static RetryPolicy Once() {
    return {.limit = std::chrono::milliseconds(0), .grace = std::chrono::milliseconds(0)};
  }
  // Returns the requests that change something, as "POST secrets" or "PATCH <name>".
  std::vector<std::string> Writes() {
    std::vector<std::string> writes;
    for (const std::string& request : server_.Requests()) {
      if (!request.starts_with("GET ")) {
        const std::size_t blank = request.find(' ');
        writes.push_back(request.substr(0, blank + 1) + request.substr(request.rfind('/') + 1));
      }
    }
    return writes;
  }
  // Returns an object that the server stores; null if it does not exist.
  json::Value Stored(const Resource& resource, const std::string& name,
                     const std::string& name_space = "kube-system") {
    return server_.Find(resource, resource.namespaced ? name_space : "", name)
        .value_or(json::Value());
  }

  FakeApiServer server_;
  host::FakeClock clock_;
  Client client_{server_.NewTransport(), clock_, Once()};
};

}  // namespace kube
