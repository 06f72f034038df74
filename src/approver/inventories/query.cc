// SPDX-License-Identifier: Apache-2.0
#include "inventories/query.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "http/client.h"
#include "json/value.h"

namespace inventories {
namespace {

using base::Error;
using judgement::Source;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kLongestQuote = 200;  // bytes of a program's error
constexpr int kOk = 200;
constexpr int kRedirects = 300;
constexpr int kErrors = 400;

namespace fs = host::fs;

// Reads a file of credentials; "" for a missing one.
std::string Found(host::Host& host, const std::string& directory, const char* name) {
  return host.files.Find(fs::path(directory) / name).value_or("");
}

struct Credentials {
  http::Tls tls;
  std::string token;
};

Credentials ReadCredentials(host::Host& host, const HttpInventory& endpoint) {
  Credentials read{.tls = {.ca_pem = host.files.Read(endpoint.ca_file)}, .token = {}};
  if (base::Trim(read.tls.ca_pem).empty()) {
    throw Error(Error::Kind::kInvalid, fmt::format("{} has no CA certificate", endpoint.ca_file));
  }
  if (endpoint.credentials.empty()) {
    return read;
  }
  read.tls.certificate_pem = Found(host, endpoint.credentials, "tls.crt");
  read.tls.key_pem = Found(host, endpoint.credentials, "tls.key");
  read.token = base::Trim(Found(host, endpoint.credentials, "token"));
  if (read.tls.certificate_pem.empty() != read.tls.key_pem.empty() ||
      (read.tls.key_pem.empty() && read.token.empty())) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("{} must have tls.crt and tls.key, token, or all of them",
                            endpoint.credentials));
  }
  return read;
}

http::Request RequestTo(const HttpInventory& endpoint, const std::string& token,
                        milliseconds timeout, const std::stop_token& stop) {
  http::Request request{.url = endpoint.url,
                        .headers = {{"Accept", "application/json"}},
                        .body = {},
                        .timeout = timeout,
                        .connect_timeout = timeout,
                        .stop = stop,
                        .unix_socket = {},
                        .proxy = {},
                        .largest_body = kLargestAnswer,
                        .follow_redirects = false};
  if (!token.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + token);
  }
  return request;
}

void RequireOk(int status) {
  if (status >= kRedirects && status < kErrors) {
    throw Error(fmt::format("it redirects (status {}), which is not followed", status));
  }
  if (status != kOk) {
    throw Error(fmt::format("it answers with status {}", status));
  }
}

// Returns the first line of a text, quoted and shortened.
std::string Quote(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  return base::Quoted(base::Visible(line.substr(0, kLongestQuote)));
}

// A program that is queried, and its limit of time.
struct Program {
  host::Host& host;
  std::vector<std::string> argv;
  milliseconds timeout;

  host::RunResult Run(const json::Value& query, const std::stop_token& stop) const {
    return host.processes.Run(argv, {.input = json::Compact(query) + "\n",
                                     .timeout = timeout,
                                     .effect = host::Effect::kAsks,
                                     .stop = stop,
                                     .largest_output = kLargestAnswer,
                                     .ends_group = true});
  }
  void RequireSuccess(const host::RunResult& result) const {
    if (result.timed_out) {
      throw Error(Error::Kind::kTimeout,
                  fmt::format("{} has not ended after {} ms", argv.front(), timeout.count()));
    }
    if (result.exit_code != 0) {
      throw Error(fmt::format("{} failed with status {}: {}", argv.front(), result.exit_code,
                              Quote(result.err)));
    }
  }
};

std::optional<seconds> SecondsIn(const std::string& text) {
  const auto number = base::ParseNumber(text);
  return number ? std::optional(seconds(std::min<long long>(*number, kLongestAge.count())))
                : std::nullopt;
}

}  // namespace

seconds CacheTime(const std::map<std::string, std::string>& headers) {
  const auto control = headers.find("cache-control");
  if (control == headers.end()) {
    return seconds(0);
  }
  std::optional<seconds> max_age;
  for (const std::string& part : base::Split(control->second, ',')) {
    const std::string directive = base::ToLower(base::Trim(part));
    constexpr std::string_view kMaxAge = "max-age=";
    if (directive.starts_with("no-store") || directive.starts_with("no-cache")) {
      return seconds(0);
    }
    if (directive.starts_with(kMaxAge)) {
      const auto given = SecondsIn(directive.substr(kMaxAge.size()));
      if (max_age || !given) {
        return seconds(0);  // repeated or malformed: RFC 9111 §4.2.1 allows treating it as stale
      }
      max_age = given;
    }
  }
  const auto age = headers.find("age");
  const seconds before =
      age == headers.end() ? seconds(0)
                           : SecondsIn(std::string(base::Trim(age->second))).value_or(kLongestAge);
  return std::max(seconds(0), max_age.value_or(seconds(0)) - before);
}

Query HttpQuery(host::Host& host, HttpInventory endpoint, milliseconds timeout) {
  return [&host, endpoint = std::move(endpoint), timeout](const std::stop_token& stop) {
    const Credentials credentials = ReadCredentials(host, endpoint);
    http::Client client(credentials.tls);
    const http::Response response =
        client.Do(RequestTo(endpoint, credentials.token, timeout, stop));
    RequireOk(response.status);
    Answer answer = ReadAnswer(response.body, Source::kHttp);
    answer.max_age = CacheTime(response.headers);
    return answer;
  };
}

Query ExecQuery(host::Host& host, std::vector<std::string> argv, milliseconds timeout) {
  return [program = Program{host, std::move(argv), timeout}](const std::stop_token& stop) {
    const json::Value query = {{"apiVersion", kAnswerVersion}, {"kind", kQueryKind}};
    const host::RunResult result = program.Run(query, stop);
    program.RequireSuccess(result);
    return ReadAnswer(result.out, Source::kExec);
  };
}

DocumentQuery ExecDocumentQuery(host::Host& host, std::vector<std::string> argv,
                                milliseconds timeout) {
  return [program = Program{host, std::move(argv), timeout}](const std::string& document,
                                                             const std::stop_token& stop) {
    const host::RunResult result = program.Run(
        {{"apiVersion", kAnswerVersion}, {"kind", kDocumentQueryKind}, {"document", document}},
        stop);
    if (!result.timed_out && result.exit_code == kRefusedStatus) {
      throw Error(Error::Kind::kForbidden, "the document is refused: " + Quote(result.err));
    }
    program.RequireSuccess(result);
    Answer answer = ReadAnswer(result.out, Source::kExec);
    if (answer.entries.size() != 1) {
      throw Error(Error::Kind::kInvalid, fmt::format("the answer of {} must have one item, has {}",
                                                     program.argv.front(), answer.entries.size()));
    }
    return std::move(answer.entries.front());
  };
}

std::vector<std::pair<Source, Query>> QueriesOf(host::Host& host, const InventoryOptions& options) {
  std::vector<std::pair<Source, Query>> queries;
  if (options.http) {
    queries.emplace_back(Source::kHttp, HttpQuery(host, *options.http, options.query_timeout));
  }
  if (!options.exec.empty()) {
    queries.emplace_back(Source::kExec, ExecQuery(host, options.exec, options.query_timeout));
  }
  return queries;
}

}  // namespace inventories
