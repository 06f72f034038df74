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
  // If set, the body consists of its results, piece by piece, until it returns "". It may block.
  std::function<std::string()> stream;
};

// Makes the server speak TLS. If `client_ca_pem` is not empty, the server refuses clients without a
// certificate of this CA.
struct FakeTls {
  std::string certificate_pem;
  std::string key_pem;
  std::string client_ca_pem;
};

class FakeServer {
 public:
  // `handler` is called concurrently from several threads.
  using Handler = std::function<FakeReply(const FakeRequest&)>;

  explicit FakeServer(Handler handler, const FakeTls& tls = {});
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  int port() const;
  std::string Url() const;  // "https://127.0.0.1:<port>"

  // Closes the port; later connections are refused. Streams must end by themselves.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace http
