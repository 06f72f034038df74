// SPDX-License-Identifier: Apache-2.0
// FakeServer: a small HTTP(S) server on the loopback address for tests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace http {

struct FakeRequest {
  std::string method;
  std::string path;                            // decoded, without the query
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

struct FakeReply {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::map<std::string, std::string> headers;
  // When set, the body is what it returns, piece by piece, until it returns "". It may block.
  std::function<std::string()> stream;
};

// FakeTls makes the server speak TLS; with `client_ca_pem` it refuses who has no certificate of it.
struct FakeTls {
  std::string certificate_pem;
  std::string key_pem;
  std::string client_ca_pem;
};

class FakeServer {
 public:
  // `handler` is called from several threads at once.
  using Handler = std::function<FakeReply(const FakeRequest&)>;

  explicit FakeServer(Handler handler, const FakeTls& tls = {});
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  int port() const;
  std::string Url() const;  // "https://127.0.0.1:<port>"

  // Stop closes the port; whoever connects afterwards is refused. Streams must end by themselves.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
