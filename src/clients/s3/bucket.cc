// SPDX-License-Identifier: Apache-2.0
#include "s3/bucket.h"

#include <fmt/core.h>

#include <charconv>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "http/date.h"
#include "http/escape.h"
#include "http/signed_client.h"
#include "pki/crypto.h"
#include "s3/answers.h"

namespace s3 {
namespace {

using base::Error;
using std::chrono::milliseconds;

constexpr int kAttempts = 4;
constexpr milliseconds kFirstPause{500};  // doubled before each further attempt
constexpr milliseconds kSilence{60'000};  // of a server during a request
constexpr std::size_t kMostParts = 10'000;
constexpr std::size_t kLongestMessage = 300;  // of a server, in bytes

// Escapes each part of the key between slashes, because a key is a path.
std::string EscapeKey(const std::string& key) {
  std::vector<std::string> parts = base::Split(key, '/');
  for (std::string& part : parts) {
    part = http::EscapeQuery(part);
  }
  return base::Join(parts, "/");
}

// Returns whether a page begins with an earlier key. Lists are sorted by key (ListObjectsV2 of
// general purpose buckets).
bool RepeatsKey(const std::vector<Object>& so_far, const std::vector<Object>& page) {
  return !so_far.empty() && !page.empty() && page.front().key <= so_far.back().key;
}

std::uint64_t ParseLength(const http::Response& response) {
  const auto found = response.headers.find("content-length");
  std::uint64_t length = 0;
  if (found == response.headers.end() ||
      std::from_chars(found->second.data(), found->second.data() + found->second.size(), length)
              .ec != std::errc()) {
    throw Error(Error::Kind::kInvalid, "the server does not say how long the object is");
  }
  return length;
}

std::string HeaderOf(const http::Response& response, const std::string& name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? "" : found->second;
}

Error::Kind KindOf(int status, const std::string& code) {
  if (code == "InvalidAccessKeyId" || code == "XAdminUserNotFound" ||
      code == "SignatureDoesNotMatch" || code == "ExpiredToken" || status == 401) {
    return Error::Kind::kUnauthorized;
  }
  switch (status) {
    case 403:
      return Error::Kind::kForbidden;
    case 404:
      return Error::Kind::kNotFound;
    case 409:
      return Error::Kind::kConflict;
    case 412:
      return Error::Kind::kAlreadyExists;
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return Error::Kind::kUnavailable;
    default:
      return Error::Kind::kOther;
  }
}

// Returns the reason of a refusal: the server's code and message, or its status.
std::string ReasonOf(const http::Response& response, const std::string& code) {
  if (code.empty()) {
    return fmt::format("HTTP status {}", response.status);
  }
  const std::string message = ElementText(response.body, "Message").substr(0, kLongestMessage);
  return http::HasControl(code + message) ? fmt::format("HTTP status {}", response.status)
                                          : fmt::format("{}: {}", code, message);
}

// Returns early on a stop request.
void WaitFor(milliseconds pause, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, pause, [] { return false; });
}

}  // namespace

Requests Connect(const Access& access, std::stop_token stop) {
  http::Tls tls;
  tls.ca_pem = access.ca_pem;
  return {.http = std::make_shared<http::SignedClient>(
              tls, http::AwsSigner{access.region, "s3", access.access_key, access.secret_key}),
          .access = access,
          .stop = stop,
          .pause = [stop](milliseconds pause) { WaitFor(pause, stop); }};
}

Bucket::Bucket(Requests requests, std::string name)
    : requests_(std::move(requests)), name_(std::move(name)) {}

std::string Bucket::Name(const std::string& key) const {
  return key.empty() ? "s3://" + name_ : fmt::format("s3://{}/{}", name_, key);
}

// Builds the HTTP request. Amazon has a host name for each bucket. For other services the path
// contains the bucket, so that they do not need a DNS name for each bucket.
http::Request Bucket::RequestOf(const Call& call) const {
  const Access& access = requests_.access;
  const std::string root = access.endpoint.empty()
                               ? fmt::format("https://{}.s3.{}.amazonaws.com", name_, access.region)
                               : fmt::format("{}/{}", access.endpoint, name_);
  http::Request request{.method = call.method,
                        .url = root + (call.key.empty() ? "/" : "/" + EscapeKey(call.key)) +
                               (call.query.empty() ? "" : "?" + call.query),
                        .headers = call.headers,
                        .body = call.body,
                        .timeout = milliseconds(0),
                        .stop = requests_.stop,
                        .idle_timeout = kSilence};
  request.headers.emplace_back("x-amz-content-sha256", base::HexEncode(pki::Sha256(call.body)));
  if (!access.session_token.empty()) {
    request.headers.emplace_back("x-amz-security-token", access.session_token);
  }
  return request;
}

void Bucket::Refuse(const Call& call, const http::Response& response) const {
  const std::string code = ElementText(response.body, "Code");
  const Error::Kind kind = KindOf(response.status, code);
  const std::string reason = ReasonOf(response, code);
  if (kind == Error::Kind::kNotFound && (code == "NoSuchBucket" || call.key.empty())) {
    throw Error(kind,
                fmt::format("the bucket {} does not exist ({})", base::Quoted(name_), reason));
  }
  if (kind == Error::Kind::kNotFound) {
    throw Error(kind, fmt::format("{} does not exist ({})", Name(call.key), reason));
  }
  if (kind == Error::Kind::kAlreadyExists) {
    throw Error(kind, fmt::format("{} exists already ({})", Name(call.key), reason));
  }
  throw Error(kind, fmt::format("the S3 service refuses {} of {}: {}", call.method, Name(call.key),
                                reason));
}

http::Response Bucket::TrySend(const Call& call) {
  const http::Response response = requests_.http->Do(RequestOf(call));
  if (response.status >= 300) {
    Refuse(call, response);
  }
  return response;
}

// Every call can be retried, because a part or a complete upload is stored only once.
http::Response Bucket::Send(const Call& call) {
  milliseconds pause = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    try {
      return TrySend(call);
    } catch (const Error& error) {
      const bool passing =
          error.kind() == Error::Kind::kUnavailable || error.kind() == Error::Kind::kTimeout;
      if (!passing || attempt == kAttempts) {
        throw;
      }
    }
    if (requests_.pause) {
      requests_.pause(pause);
    }
    pause *= 2;
  }
}

std::vector<Object> Bucket::List(const std::string& prefix) {
  std::vector<Object> objects;
  std::string token;
  do {
    const std::string query =
        (token.empty() ? "" : "continuation-token=" + http::EscapeQuery(token) + "&") +
        std::string("encoding-type=url&list-type=2&prefix=") + http::EscapeQuery(prefix);
    const http::Response response = Send({.query = query});
    ListPage page = ParseList(response.body);
    if ((!token.empty() && page.next == token) || RepeatsKey(objects, page.objects)) {
      throw Error(
          Error::Kind::kInvalid,
          fmt::format("the server's list of the objects in {} repeats a page", Name(prefix)));
    }
    objects.insert(objects.end(), page.objects.begin(), page.objects.end());
    token = std::move(page.next);
  } while (!token.empty());
  return objects;
}

Bucket::Head Bucket::Find(const std::string& key) {
  http::Response response;
  try {
    response = Send({.method = "HEAD", .key = key});
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kForbidden) {  // the answer to HEAD has no reason: ask again
      Send({.key = key, .headers = {{"Range", "bytes=0-0"}}});
    }
    throw;
  }
  return {.size = ParseLength(response),
          .etag = HeaderOf(response, "etag"),
          .modified = http::ParseDate(HeaderOf(response, "last-modified"))};
}

std::string Bucket::Read(const std::string& key, const std::string& etag, std::uint64_t offset,
                         std::uint64_t length) {
  http::Response response =
      Send({.key = key,
            .headers = {{"Range", fmt::format("bytes={}-{}", offset, offset + length - 1)}}});
  if (HeaderOf(response, "etag") != etag) {
    throw Error(Error::Kind::kConflict,
                fmt::format("{} was replaced while it was read", Name(key)));
  }
  if (response.status != 206 && (offset != 0 || response.body.size() > length)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the S3 service does not return parts of {}", Name(key)));
  }
  return std::move(response.body);
}

void Bucket::Remove(const std::string& key) { Send({.method = "DELETE", .key = key}); }

Bucket::Upload::Upload(Bucket& bucket, std::string key) : bucket_(bucket), key_(std::move(key)) {
  try {
    bucket_.Find(key_);
    throw Error(Error::Kind::kAlreadyExists,
                fmt::format("{} exists already: a backup replaces no object", bucket_.Name(key_)));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNotFound) {
      throw;
    }
  }
  const http::Response response =
      bucket_.Send({.method = "POST",
                    .key = key_,
                    .query = "uploads=",
                    .headers = {{"Content-Type", "application/octet-stream"}}});
  id_ = ElementText(response.body, "UploadId");
  if (id_.empty()) {
    throw Error(Error::Kind::kInvalid, "the S3 service does not name the upload that it began");
  }
}

Bucket::Upload::~Upload() {
  if (id_.empty()) {
    return;
  }
  try {
    // A stop request must not prevent this cleanup.
    Requests requests = bucket_.requests_;
    requests.stop = {};
    Bucket(requests, bucket_.name_)
        .TrySend({.method = "DELETE", .key = key_, .query = "uploadId=" + http::EscapeQuery(id_)});
  } catch (const Error& error) {
    base::LogWarning(
        "the unfinished upload of {} remains in the bucket, invisible as an object: {}",
        bucket_.Name(key_), error.message());
  }
}

void Bucket::Upload::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    part_.reserve(kPartSize);
    const std::string_view taken = bytes.substr(0, kPartSize - part_.size());
    part_ += taken;
    bytes.remove_prefix(taken.size());
    if (part_.size() == kPartSize) {
      SendPart();
    }
  }
}

void Bucket::Upload::SendPart() {
  if (etags_.size() == kMostParts) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} would have more than {} parts of {} MiB", bucket_.Name(key_),
                            kMostParts, kPartSize >> 20U));
  }
  const http::Response response = bucket_.Send(
      {.method = "PUT",
       .key = key_,
       .query = fmt::format("partNumber={}&uploadId={}", etags_.size() + 1, http::EscapeQuery(id_)),
       .body = part_,
       .headers = {{"Content-Type", "application/octet-stream"}}});
  etags_.push_back(HeaderOf(response, "etag"));
  if (etags_.back().empty() || http::HasControl(etags_.back())) {
    throw Error(Error::Kind::kInvalid, "the S3 service does not confirm a part with an ETag");
  }
  part_.clear();
}

void Bucket::Upload::Finish() {
  if (!part_.empty() || etags_.empty()) {
    SendPart();
  }
  std::string body = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < etags_.size(); ++i) {
    body +=
        fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, etags_[i]);
  }
  body += "</CompleteMultipartUpload>";
  try {
    const http::Response response =
        bucket_.Send({.method = "POST",
                      .key = key_,
                      .query = "uploadId=" + http::EscapeQuery(id_),
                      .body = std::move(body),
                      .headers = {{"Content-Type", "application/xml"}}});
    // The service may send the status 200 before its work is complete. A later error is in the
    // body.
    if (!response.body.contains("CompleteMultipartUploadResult")) {
      throw Error(fmt::format("the S3 service did not complete {}: {}", bucket_.Name(key_),
                              ReasonOf(response, ElementText(response.body, "Code"))));
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kNotFound) {
      throw;
    }
    bucket_.Find(key_);  // throws unless an earlier attempt, whose answer was lost, has succeeded
  }
  id_.clear();
}

}  // namespace s3
