// SPDX-License-Identifier: Apache-2.0
#include "http/fake_server.h"

#include <httplib.h>

#include <thread>

#include "base/strings.h"
#include "pki/fake_server_context.h"

namespace http {
namespace {

// The number of threads. Each stream occupies a thread for its lifetime, and each kept-alive
// connection for a second.
constexpr std::size_t kThreads = 48;

std::unique_ptr<httplib::Server> NewServer(const FakeTls& tls) {
  if (tls.certificate_pem.empty()) {
    return std::make_unique<httplib::Server>();
  }
  return std::make_unique<httplib::SSLServer>([&](SSL_CTX& context) {
    pki::UseFakeIdentity({.certificate_pem = tls.certificate_pem,
                          .key_pem = tls.key_pem,
                          .client_ca_pem = tls.client_ca_pem},
                         context);
    return true;
  });
}

FakeRequest Convert(const httplib::Request& from) {
  FakeRequest request{.method = from.method, .path = from.path, .body = from.body};
  for (const auto& [name, value] : from.params) {
    request.query[name] = value;
  }
  for (const auto& [name, value] : from.headers) {
    request.headers[base::ToLower(name)] = value;
  }
  return request;
}

void Answer(const FakeReply& reply, httplib::Response& to) {
  to.status = reply.status;
  for (const auto& [name, value] : reply.headers) {
    to.set_header(name, value);
  }
  if (!reply.stream) {
    to.set_content(reply.body, reply.content_type);
    return;
  }
  to.set_chunked_content_provider(reply.content_type,
                                  [next = reply.stream](std::size_t, httplib::DataSink& sink) {
                                    const std::string piece = next();
                                    if (piece.empty()) {
                                      sink.done();
                                      return true;
                                    }
                                    return sink.write(piece.data(), piece.size());
                                  });
}

}  // namespace

struct FakeServer::Impl {
  std::unique_ptr<httplib::Server> server;
  bool tls = false;
  int port = 0;
  std::jthread thread;
};

FakeServer::FakeServer(Handler handler, const FakeTls& tls) : impl_(std::make_unique<Impl>()) {
  impl_->tls = !tls.certificate_pem.empty();
  impl_->server = NewServer(tls);
  auto serve = [handler = std::move(handler)](const httplib::Request& request,
                                              httplib::Response& response) {
    Answer(handler(Convert(request)), response);
  };
  auto& server = *impl_->server;
  server.Get(".*", serve).Post(".*", serve).Put(".*", serve).Patch(".*", serve);
  server.Delete(".*", serve);
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_timeout(1);  // bounds how long Stop waits for idle connections
  impl_->port = server.bind_to_any_port("127.0.0.1");
  impl_->thread = std::jthread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) {
    std::this_thread::yield();
  }
}

FakeServer::~FakeServer() { Stop(); }

int FakeServer::port() const { return impl_->port; }

std::string FakeServer::Url() const {
  return (impl_->tls ? "https" : "http") + std::string("://127.0.0.1:") +
         std::to_string(impl_->port);
}

void FakeServer::Stop() {
  impl_->server->stop();
  if (impl_->thread.joinable()) {
    impl_->thread.join();
  }
}

}  // namespace http
