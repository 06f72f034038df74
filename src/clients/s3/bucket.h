// SPDX-License-Identifier: Apache-2.0
// Objects of a bucket, by the REST API of S3
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html). Requests are signed (AWS
// Signature Version 4) by libcurl.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http/client.h"
#include "s3/access.h"

namespace s3 {

// An object in a list.
struct Object {
  std::string key;
  std::uint64_t size = 0;  // bytes
  std::chrono::sys_seconds modified;
};

// The dependencies of a bucket's requests.
struct Requests {
  std::shared_ptr<http::Client> http;  // signs the requests (Connect)
  Access access;
  std::stop_token stop = {};
  // Waits before another attempt. If empty, attempts follow without a pause.
  std::function<void(std::chrono::milliseconds)> pause = {};
};

// A bucket. Every call throws base::Error naming the bucket or object: kNotFound if it does not
// exist, kUnauthorized for refused credentials, kForbidden, kInvalid for a malformed answer. If
// several attempts get no usable answer, the kind is kUnavailable or kTimeout. Every call throws
// base::Interrupted on a stop request.
class Bucket {
 public:
  Bucket(Requests requests, std::string name);

  // Returns the objects whose keys begin with `prefix`, in the order of their keys. Throws kInvalid
  // for a list that repeats a page.
  std::vector<Object> List(const std::string& prefix);

  // The metadata of an object.
  struct Head {
    std::uint64_t size = 0;  // bytes
    std::string etag;
    std::optional<std::chrono::sys_seconds> modified;
  };
  Head Find(const std::string& key);

  // Returns `length` bytes from `offset`, or fewer at the end of the object. Throws kConflict if
  // the object was replaced: its ETag is no longer `etag`.
  std::string Read(const std::string& key, const std::string& etag, std::uint64_t offset,
                   std::uint64_t length);

  // A new object, written in parts. It appears when all of it is stored.
  class Upload {
   public:
    // Begins the upload. Throws kAlreadyExists if the object exists.
    Upload(Bucket& bucket, std::string key);
    // Discards the stored parts unless Finish has succeeded. A failure is logged as a warning.
    ~Upload();
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;
    void Append(std::string_view bytes);
    void Finish();

   private:
    void SendPart();
    Bucket& bucket_;
    std::string key_;
    std::string id_;  // "": the upload has ended
    std::string part_;
    std::vector<std::string> etags_;  // of the parts that are stored
  };

  // Removes an object. Succeeds if it does not exist.
  void Remove(const std::string& key);

  // Returns "s3://BUCKET/KEY" for messages.
  std::string Name(const std::string& key) const;

 private:
  // One request.
  struct Call {
    std::string method = "GET";
    std::string key;
    std::string query = {};  // encoded
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
  };
  http::Response Send(const Call& call);
  http::Response TrySend(const Call& call);
  http::Request RequestOf(const Call& call) const;
  [[noreturn]] void Refuse(const Call& call, const http::Response& response) const;

  Requests requests_;
  std::string name_;
};

// Returns the dependencies for requests to a bucket with these settings.
Requests Connect(const Access& access, std::stop_token stop = {});

// The size of a part, in bytes. S3 allows at most 10,000 parts, so an object has at most 156 GiB.
inline constexpr std::size_t kPartSize = std::size_t{16} << 20U;

}  // namespace s3
