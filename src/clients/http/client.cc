// SPDX-License-Identifier: Apache-2.0
#include "http/client.h"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>

#include "base/error.h"
#include "base/growth.h"
#include "base/log.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "host/environment.h"
#include "http/escape.h"
#include "http/failure.h"
#include "http/ipv4_names.h"
#include "http/proxy.h"
#include "http/shown_certificate.h"
#include "http/signed_client.h"
#include "http/tls_options.h"
#include "net/url.h"

namespace http {
namespace {

using Kind = base::Error::Kind;
using Steady = std::chrono::steady_clock;

constexpr long kMostRedirects = 10;
// The longest sleep of the loop. A stop request wakes the loop up.
constexpr int kPollMs = 1000;

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* handle) const {
    Free(handle);
  }
};
using EasyPtr = std::unique_ptr<CURL, Deleter<curl_easy_cleanup>>;
using MultiPtr = std::unique_ptr<CURLM, Deleter<curl_multi_cleanup>>;

// Overwrites and frees headers, because they may contain a token or a password.
void FreeWiped(curl_slist* list) {
  for (const curl_slist* line = list; line != nullptr; line = line->next) {
    ::explicit_bzero(line->data, std::strlen(line->data));
  }
  curl_slist_free_all(list);
}
using SlistPtr = std::unique_ptr<curl_slist, Deleter<FreeWiped>>;

// One handle with its own kept-alive connections; one request uses it at a time.
struct Session {
  EasyPtr easy;
  MultiPtr multi;
  char message[CURL_ERROR_SIZE] = "";

  Session() : easy(curl_easy_init()), multi(curl_multi_init()) {}
};

// Collects the answer of one request.
struct Exchange {
  Response response;
  const std::function<bool(std::string_view)>* on_data = nullptr;
  std::size_t largest_body = kLargestBody;
  std::size_t header_bytes = 0;              // of all answers, including redirects
  Steady::time_point heard = Steady::now();  // time of the last data
  bool ended_by_reader = false;              // or enough of an error's body was read
  bool too_large = false;
  std::exception_ptr thrown;
};

// Calls `take` from a C callback of libcurl, which must not throw: stores an exception of `take` in
// exchange.thrown. Returns `size`, or libcurl's error value if `take` returns false or throws.
template <typename Take>
std::size_t Guarded(Exchange& exchange, std::size_t size, const Take& take) noexcept {
  try {
    return take() ? size : CURL_WRITEFUNC_ERROR;
  } catch (...) {
    exchange.thrown = std::current_exception();
    return CURL_WRITEFUNC_ERROR;
  }
}

bool TakeHeader(Exchange& exchange, std::string_view text) {
  exchange.heard = Steady::now();
  exchange.header_bytes += text.size();
  if (exchange.header_bytes > kLargestHeaders) {
    exchange.too_large = true;
    return false;
  }
  const std::string_view line = base::Trim(text);
  if (line.starts_with("HTTP/")) {  // discards the headers of a redirect or interim answer
    exchange.response.headers.clear();
    return true;
  }
  const auto colon = line.find(':');
  if (colon != std::string_view::npos && !HasControl(line)) {
    exchange.response.headers[base::ToLower(line.substr(0, colon))] =
        base::Trim(line.substr(colon + 1));
  }
  return true;
}

std::size_t OnHeader(char* text, std::size_t, std::size_t size, void* target) noexcept {
  auto& exchange = *static_cast<Exchange*>(target);
  return Guarded(exchange, size, [&] { return TakeHeader(exchange, {text, size}); });
}

bool Take(CURL* easy, Exchange& exchange, std::string_view data) {
  exchange.heard = Steady::now();
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (exchange.on_data != nullptr && status < 300) {
    exchange.ended_by_reader = !(*exchange.on_data)(data);
    return !exchange.ended_by_reader;
  }
  std::string& body = exchange.response.body;
  if (status >= 300 && exchange.largest_body > kLargestErrorBody) {
    // The body of an error is truncated, because the status is decisive.
    body.append(data.substr(0, kLargestErrorBody - body.size()));
    exchange.ended_by_reader = body.size() == kLargestErrorBody;
    return !exchange.ended_by_reader;
  }
  exchange.too_large = body.size() + data.size() > exchange.largest_body;
  if (!exchange.too_large) {
    base::AppendWithin(exchange.largest_body, body, data);
  }
  return !exchange.too_large;
}

struct Sink {
  CURL* easy;
  Exchange* exchange;
};

std::size_t OnBody(char* data, std::size_t, std::size_t size, void* target) noexcept {
  const auto& sink = *static_cast<Sink*>(target);
  return Guarded(*sink.exchange, size,
                 [&] { return Take(sink.easy, *sink.exchange, {data, size}); });
}

// Sets the options that are the same for every request.
void SetDefaults(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);  // a stop need not wait for a name server
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, kMostRedirects);
  curl_easy_setopt(easy, CURLOPT_SOCKS5_AUTH, long{CURLAUTH_BASIC});
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 15L);
}

// With TLS the version is negotiated (ALPN, RFC 7301). Without TLS, the client must know that the
// server speaks HTTP/2.
void SetVersion(CURL* easy, const Request& request, const net::Url& url) {
  long version = CURL_HTTP_VERSION_1_1;
  if (request.version == Version::kHttp2) {
    version = url.scheme == "https" ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
  }
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, version);
}

void SetMethod(CURL* easy, const Request& request) {
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  }
  if (request.follow_redirects && (request.method == "GET" || request.method == "HEAD")) {
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  }
  const bool writes = request.method == "POST" || request.method == "PUT";
  if (!request.body.empty() || writes) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
  }
}

// Returns the proxy of the request, or else the proxy that the environment names.
std::optional<Proxy> ProxyOf(const Request& request) {
  if (request.proxy) {
    return request.proxy->empty()
               ? std::nullopt
               : std::optional(
                     Proxy{.url = *request.proxy, .source = "proxy-url", .exceptions = ""});
  }
  const host::RealEnvironment environment;
  const auto proxy =
      ProxyFor([&](std::string_view name) { return environment.Get(name); }, request.url);
  if (proxy) {
    RequireProxy(proxy->url, proxy->source);
  }
  return proxy;
}

Route RouteOf(const Request& request, const net::Url& url) {
  if (!request.unix_socket.empty()) {
    return {.server = request.unix_socket, .host = {}, .proxy = {}, .tunnel = false};
  }
  return {.server = url.Authority(),
          .host = url.host,
          .proxy = ProxyOf(request),
          .tunnel = url.scheme == "https"};
}

void SetReaders(CURL* easy, Sink& sink) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, sink.exchange);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &sink);
}

// Owns the lists to which libcurl only keeps pointers.
struct Prepared {
  SlistPtr headers;
  SlistPtr connect_to;
};

void Append(SlistPtr& list, const std::string& line) {
  list.reset(curl_slist_append(list.release(), line.c_str()));
}

net::Url ReadUrl(const std::string& text) {
  RequireOneLine(text, "the URL");
  auto url = net::Url::Parse(text);
  if (!url) {
    throw base::Error(Kind::kInvalid, url.error());
  }
  return *std::move(url);
}

// Settings of one request. Its references must outlive it.
struct Settings {
  const Request& request;
  const net::Url& url;
  const std::string& proxy;  // empty: no proxy, whatever the environment says
  const Tls& tls;
  bool signs = false;  // the request has a signature
};

// Sets URL and headers. If the TLS settings have a server name, the URL gets this name as its host.
// libcurl then sends the name in the handshake (RFC 6066 §3) and verifies it. The connection and
// the Host header still use the real server.
Prepared SetTarget(CURL* easy, const Settings& settings) {
  const auto& [request, url, proxy, tls, signs] = settings;
  Prepared prepared;
  std::string target = request.url;
  if (!tls.server_name.empty() && url.scheme == "https") {
    net::Url renamed = url;
    renamed.host = tls.server_name;
    target = fmt::format("{}://{}{}", renamed.scheme, renamed.Authority(), renamed.target);
    Append(prepared.connect_to, "::" + url.Authority());
    Append(prepared.headers, "Host: " + url.Authority());
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, prepared.connect_to.get());
  }
  RequireOneLine(target, "the server's name for TLS");
  curl_easy_setopt(easy, CURLOPT_URL, target.c_str());
  if (!request.unix_socket.empty()) {
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, request.unix_socket.c_str());
  }
  // Only without a signature: libcurl would sign the removed header.
  if (!signs) {
    Append(prepared.headers, "Expect:");  // no interim answer before a large body
  }
  bool typed = signs;
  for (const auto& [name, value] : request.headers) {
    RequireOneLine(value, "header " + name);
    Append(prepared.headers, base::SecretText(name + ": " + value).text());
    typed = typed || base::ToLower(name) == "content-type";
  }
  if (!typed) {
    Append(prepared.headers, "Content-Type:");  // libcurl would call any body a form
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, prepared.headers.get());
  return prepared;
}

// Returns the path of a URL without the query, which may contain a secret.
std::string PathOf(const net::Url& url) { return url.target.substr(0, url.target.find('?')); }

// Returns the longest time, in milliseconds, that the loop may sleep. Throws kTimeout if no data
// have arrived for the request's idle_timeout.
int PollMs(const Request& request, const Exchange& exchange, const std::string& where) {
  if (request.idle_timeout.count() <= 0) {
    return kPollMs;
  }
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(
      exchange.heard + request.idle_timeout - Steady::now());
  if (rest.count() <= 0) {
    throw base::Error(Kind::kTimeout, fmt::format("no data for {} ms from {}",
                                                  request.idle_timeout.count(), where));
  }
  return static_cast<int>(std::min<std::chrono::milliseconds::rep>(rest.count(), kPollMs));
}

// Drives the transfer until it ends or must be stopped.
CURLcode Turn(Session& session, const Request& request, const Exchange& exchange,
              const std::string& where) {
  const std::stop_callback wake(request.stop, [&] { curl_multi_wakeup(session.multi.get()); });
  int running = 1;
  while (running != 0) {
    if (request.stop.stop_requested()) {
      throw base::Interrupted("interrupted while waiting for " + where);
    }
    if (curl_multi_perform(session.multi.get(), &running) != CURLM_OK) {
      throw base::Error("cannot drive the connection to " + where);
    }
    if (running != 0) {
      curl_multi_poll(session.multi.get(), nullptr, 0, PollMs(request, exchange, where), nullptr);
    }
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(session.multi.get(), &left);
  return message != nullptr ? message->data.result : CURLE_FAILED_INIT;
}

[[noreturn]] void ThrowTooLarge(const Request& request, const Exchange& exchange,
                                const std::string& where) {
  const bool headers = exchange.header_bytes > kLargestHeaders;
  throw base::Error(
      Kind::kInvalid,
      fmt::format("the answer{} larger than {} KiB from {}", headers ? "'s headers are" : " is",
                  (headers ? kLargestHeaders : request.largest_body) >> 10U, where));
}

void SetOptions(CURL* easy, const Settings& settings) {
  const auto& [request, url, proxy, tls, signs] = settings;
  SetDefaults(easy);
  SetTls(easy, tls, url, proxy);
  SetVersion(easy, request, url);
  SetMethod(easy, request);
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(request.connect_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_CERTINFO,
                   long{request.peer_certificate == PeerCertificate::kReported});
  if (url.scheme == "https") {  // never follow an https→http redirect
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  }
  if (IsIpv4Name(url.host)) {
    curl_easy_setopt(easy, CURLOPT_IPRESOLVE, CURL_IPRESOLVE_V4);
  }
}

// libcurl signs with the user's name and password as the keys.
void SetSigner(CURL* easy, const AwsSigner& signer) {
  const std::string provider = fmt::format("aws:amz:{}:{}", signer.region, signer.service);
  curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, provider.c_str());
  curl_easy_setopt(easy, CURLOPT_USERNAME, signer.access_key.c_str());
  curl_easy_setopt(easy, CURLOPT_PASSWORD, signer.secret_key.c_str());
}

// The sessions of one client.
struct Sessions {
  Tls tls;
  std::optional<AwsSigner> signer;
  std::mutex mutex;
  std::vector<std::unique_ptr<Session>> idle;  // guarded by mutex

  std::unique_ptr<Session> Borrow() {
    const std::scoped_lock lock(mutex);
    if (idle.empty()) {
      return std::make_unique<Session>();
    }
    auto session = std::move(idle.back());
    idle.pop_back();
    return session;
  }
  void GiveBack(std::unique_ptr<Session> session) {
    const std::scoped_lock lock(mutex);
    idle.push_back(std::move(session));
  }
  void Perform(const Request& request, Exchange& exchange);
  Response Do(const Request& request);
  Response Stream(const Request& request, const std::function<bool(std::string_view)>& on_data);
};

void Sessions::Perform(const Request& request, Exchange& exchange) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) {
    throw base::Error("the HTTP library cannot be set up");
  }
  const net::Url url = ReadUrl(request.url);
  const Route route = RouteOf(request, url);
  const std::string where = Shown(route);
  auto session = Borrow();
  CURL* easy = session->easy.get();
  curl_easy_reset(easy);  // options only; connections stay
  session->message[0] = '\0';
  Sink sink{easy, &exchange};
  const std::string proxy = route.proxy ? route.proxy->url : "";
  const Settings settings{request, url, proxy, tls, signer.has_value()};
  SetOptions(easy, settings);
  if (signer) {
    SetSigner(easy, *signer);
  }
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, session->message);
  SetReaders(easy, sink);
  const bool shows = request.peer_certificate == PeerCertificate::kReported;
  const Prepared prepared = SetTarget(easy, settings);
  base::LogInfo(7, "sends {} {} to {}", request.method, PathOf(url), where);

  curl_multi_add_handle(session->multi.get(), easy);
  struct Detach {
    Session& session;
    ~Detach() { curl_multi_remove_handle(session.multi.get(), session.easy.get()); }
  };
  CURLcode code = CURLE_OK;
  {
    const Detach detach{*session};
    code = Turn(*session, request, exchange, where);
  }
  if (exchange.thrown) {
    std::rethrow_exception(exchange.thrown);
  }
  if (exchange.too_large) {
    ThrowTooLarge(request, exchange, where);
  }
  if (proxy.empty() && LearnIpv4Name(easy, code, url.host)) {
    exchange.heard = Steady::now();
    return Perform(request, exchange);
  }
  if (code != CURLE_OK && !exchange.ended_by_reader) {
    ThrowFailure(easy, code, session->message, route);
  }
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  RequireUserKnown(status, route);
  exchange.response.status = static_cast<int>(status);
  if (shows) {
    exchange.response.peer_certificate_pem = ShownCertificate(easy).value_or("");
  }
  GiveBack(std::move(session));
}

Response Sessions::Do(const Request& request) {
  Exchange exchange{.response = {}, .largest_body = request.largest_body};
  Perform(request, exchange);
  exchange.response.body = base::Fitted(std::move(exchange.response.body));
  return std::move(exchange.response);
}

Response Sessions::Stream(const Request& request,
                          const std::function<bool(std::string_view)>& on_data) {
  Exchange exchange{.response = {}, .largest_body = request.largest_body};
  exchange.on_data = &on_data;
  Perform(request, exchange);
  return std::move(exchange.response);
}

}  // namespace

Tls::~Tls() { base::Wipe(key_pem); }

AwsSigner::~AwsSigner() { base::Wipe(secret_key); }

struct Client::Impl : Sessions {};

struct SignedClient::State : Sessions {};

Client::Client(const Tls& tls) : impl_(std::make_unique<Impl>()) { impl_->tls = tls; }

Client::~Client() = default;

Response Client::Do(const Request& request) { return impl_->Do(request); }

Response Client::Stream(const Request& request,
                        const std::function<bool(std::string_view)>& on_data) {
  return impl_->Stream(request, on_data);
}

SignedClient::SignedClient(const Tls& tls, const AwsSigner& signer)
    : state_(std::make_unique<State>()) {
  state_->tls = tls;
  state_->signer = signer;
}

SignedClient::~SignedClient() = default;

Response SignedClient::Do(const Request& request) { return state_->Do(request); }

Response SignedClient::Stream(const Request& request,
                              const std::function<bool(std::string_view)>& on_data) {
  return state_->Stream(request, on_data);
}

}  // namespace http
