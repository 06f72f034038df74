// SPDX-License-Identifier: Apache-2.0
#include "s3/bucket.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "base/fake_error.h"
#include "http/fake_server.h"
#include "s3/answers.h"

namespace s3 {
namespace {

using base::Error;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A service with one bucket, "b", which stores objects in memory.
class BucketTest : public testing::Test {
 protected:
  http::FakeReply Answer(const http::FakeRequest& request) {
    const std::scoped_lock lock(mutex_);
    requests_.push_back(request);
    if (!faults_.empty()) {
      const http::FakeReply fault = faults_.front();
      faults_.erase(faults_.begin());
      if (fault.status != 0) {
        return fault;
      }
    }
    const std::string key = request.path.substr(std::min<std::size_t>(3, request.path.size()));
    if (request.query.contains("list-type")) {
      return Listed(request.query);
    }
    if (request.query.contains("uploads")) {
      return {.body = "<R><UploadId>id&amp;1</UploadId></R>"};
    }
    if (request.method == "PUT") {
      parts_[request.query.at("partNumber")] = request.body;
      return {.headers = {{"ETag", "\"" + request.query.at("partNumber") + "\""}}};
    }
    if (request.method == "DELETE") {
      parts_.clear();
      return {.status = 204};
    }
    if (request.method == "POST") {
      for (const auto& [number, part] : parts_) {
        objects_[key] += part;
      }
      parts_.clear();
      return {.body = "<CompleteMultipartUploadResult/>"};
    }
    return Read(request, key);
  }

  http::FakeReply Read(const http::FakeRequest& request, const std::string& key) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) {
      return {.status = 404,
              .body = "<Error><Code>NoSuchKey</Code><Message>none</Message></Error>"};
    }
    // For status 206 the fake server itself cuts the requested range out of the body.
    const bool part = request.headers.contains("range");
    return {.status = part ? 206 : 200, .body = found->second, .headers = {{"ETag", etag_}}};
  }

  // Returns a list with one object on each page.
  http::FakeReply Listed(const std::map<std::string, std::string>& query) {
    const auto token = query.find("continuation-token");
    const std::string after = token == query.end() ? "" : token->second;
    auto next = repeats_pages_ ? objects_.begin() : objects_.upper_bound(after);
    std::string xml = "<ListBucketResult>";
    if (next != objects_.end()) {
      xml += fmt::format(
          "<Contents><Key>{}</Key><LastModified>2026-11-29T12:00:00.000Z</LastModified>"
          "<Size>{}</Size></Contents>",
          next->first, next->second.size());
      const bool more = std::next(next) != objects_.end();
      xml += fmt::format("<IsTruncated>{}</IsTruncated>", more);
      xml += more ? "<NextContinuationToken>" + next->first + "</NextContinuationToken>" : "";
    }
    return {.body = xml + "</ListBucketResult>"};
  }

  Bucket Make(const std::string& name = "b") {
    Access access;
    access.endpoint = server_.Url();
    access.region = "eu-1";
    access.access_key = "KEY";
    access.secret_key = "SECRET";
    Requests requests = Connect(access);
    requests.pause = [this](std::chrono::milliseconds) { ++pauses_; };
    return {requests, name};
  }

  static http::FakeReply Fault(int status, const std::string& code) {
    return {.status = status,
            .body = fmt::format("<Error><Code>{}</Code><Message>why</Message></Error>", code)};
  }

  std::mutex mutex_;
  std::map<std::string, std::string> objects_;
  std::map<std::string, std::string> parts_;
  std::vector<http::FakeReply> faults_;  // of the next requests; status 0: none
  std::vector<http::FakeRequest> requests_;
  std::string etag_ = "\"e\"";
  int pauses_ = 0;
  bool repeats_pages_ = false;
  http::FakeServer server_{[this](const http::FakeRequest& request) { return Answer(request); }};
};

TEST_F(BucketTest, SignsWithTheKeysAndNeverSendsTheSecret) {
  objects_["k"] = "content";
  Bucket bucket = Make();
  EXPECT_EQ(bucket.Find("k").size, 7U);
  const std::map<std::string, std::string> headers = requests_.front().headers;
  EXPECT_THAT(headers.at("authorization"),
              AllOf(HasSubstr("AWS4-HMAC-SHA256 Credential=KEY/"),
                    HasSubstr("/eu-1/s3/aws4_request"), HasSubstr("x-amz-content-sha256")));
  for (const auto& [name, value] : headers) {
    EXPECT_THAT(value, testing::Not(HasSubstr("SECRET")));
  }
}

TEST_F(BucketTest, StoresAnObjectInPartsAndReadsItInPieces) {
  const std::string content = std::string(kPartSize, 'a') + std::string(kPartSize, 'b') + "end";
  Bucket bucket = Make();
  Bucket::Upload upload(bucket, "dir/k y");
  upload.Append(content.substr(0, 100));
  upload.Append(content.substr(100));
  EXPECT_THAT(objects_, IsEmpty()) << "it must not appear before it is complete";
  upload.Finish();
  EXPECT_EQ(objects_.at("dir/k y"), content);
  const Bucket::Head head = bucket.Find("dir/k y");
  EXPECT_EQ(head.size, content.size());
  EXPECT_EQ(bucket.Read("dir/k y", head.etag, kPartSize - 1, 2), "ab");
  etag_ = "\"another\"";
  EXPECT_EQ(base::Thrown([&] { bucket.Read("dir/k y", head.etag, 0, 1); }).kind(),
            Error::Kind::kConflict);
}

TEST_F(BucketTest, DiscardsAnUploadThatIsNotFinished) {
  Bucket bucket = Make();
  {
    Bucket::Upload upload(bucket, "k");
    upload.Append(std::string(kPartSize, 'a'));
    EXPECT_FALSE(parts_.empty());
  }
  EXPECT_TRUE(parts_.empty());
  EXPECT_EQ(requests_.back().method, "DELETE");
  EXPECT_EQ(requests_.back().query.at("uploadId"), "id&1");
}

TEST_F(BucketTest, DoesNotReplaceAnExistingObject) {
  objects_["k"] = "old";
  Bucket bucket = Make();
  EXPECT_EQ(base::Thrown([&] { Bucket::Upload(bucket, "k"); }).kind(), Error::Kind::kAlreadyExists);
}

TEST_F(BucketTest, ListsAllPages) {
  objects_ = {{"a", "1"}, {"b", "22"}, {"c", "333"}};
  std::vector<std::string> keys;
  for (const Object& object : Make().List("")) {
    keys.push_back(object.key);
  }
  EXPECT_THAT(keys, ElementsAre("a", "b", "c"));
}

TEST_F(BucketTest, RefusesAListThatRepeatsAPage) {
  objects_ = {{"a", "1"}, {"b", "22"}};
  repeats_pages_ = true;
  EXPECT_THAT(base::MessageOf([&] { Make().List(""); }), HasSubstr("repeats a page"));
}

TEST_F(BucketTest, RetriesTransientFailuresAndGivesUpAtLast) {
  objects_["k"] = "content";
  Bucket bucket = Make();
  faults_ = {Fault(503, "SlowDown"), Fault(500, "InternalError")};
  EXPECT_EQ(bucket.Find("k").size, 7U);
  EXPECT_EQ(pauses_, 2);
  faults_.assign(4, Fault(503, "SlowDown"));
  EXPECT_EQ(base::Thrown([&] { bucket.List(""); }).kind(), Error::Kind::kUnavailable);
}

TEST_F(BucketTest, NamesTheCauseOfARefusal) {
  const std::vector<std::tuple<http::FakeReply, Error::Kind, std::string>> cases = {
      {Fault(404, "NoSuchBucket"), Error::Kind::kNotFound, "the bucket \"b\" does not exist"},
      {Fault(403, "InvalidAccessKeyId"), Error::Kind::kUnauthorized, "InvalidAccessKeyId: why"},
      {Fault(403, "SignatureDoesNotMatch"), Error::Kind::kUnauthorized, "SignatureDoesNotMatch"},
      {Fault(403, "AccessDenied"), Error::Kind::kForbidden, "AccessDenied: why"},
      {{.status = 200, .body = "<html>a proxy</html>"}, Error::Kind::kInvalid, "not a list"},
      {Fault(418, "x\x01y"), Error::Kind::kOther, "HTTP status 418"}};
  for (const auto& [fault, kind, text] : cases) {
    faults_ = {fault};
    const Error error = base::Thrown([&] { Make().List(""); });
    EXPECT_EQ(error.kind(), kind) << text;
    EXPECT_THAT(error.message(), HasSubstr(text));
  }
}

TEST_F(BucketTest, ReportsAnErrorInTheMiddleOfAnAnswer) {
  Bucket bucket = Make();
  Bucket::Upload upload(bucket, "k");
  upload.Append("content");
  faults_ = {{.status = 0}, Fault(200, "InternalError")};
  EXPECT_THAT(base::MessageOf([&] { upload.Finish(); }), HasSubstr("InternalError"));
  EXPECT_THAT(objects_, IsEmpty());
}

TEST(ParseList, DecodesKeysOnlyIfTheServiceHasEncodedThem) {
  const auto key = [](const std::string& encoding) {
    return ParseList("<ListBucketResult><EncodingType>" + encoding +
                     "</EncodingType><Contents><Key>a%20&amp;b</Key><Size>1</Size>"
                     "<LastModified>2026-11-29T12:00:00Z</LastModified></Contents>"
                     "</ListBucketResult>")
        .objects.front()
        .key;
  };
  EXPECT_EQ(key("url"), "a &b");
  EXPECT_EQ(key(""), "a%20&b");
}

TEST(ParseList, RefusesMalformedObjects) {
  for (const char* object : {"<Key>k</Key><Size>1</Size>",
                             "<Key>k</Key><LastModified>2026-11-29T12:00:00Z</LastModified>",
                             "<Size>1</Size><LastModified>2026-11-29T12:00:00Z</LastModified>",
                             "<Key>k</Key><Size>-1</Size>"
                             "<LastModified>2026-11-29T12:00:00Z</LastModified>"}) {
    EXPECT_THROW(ParseList(fmt::format("<ListBucketResult><Contents>{}</Contents>"
                                       "</ListBucketResult>",
                                       object)),
                 Error)
        << object;
  }
  EXPECT_TRUE(ParseList("<ListBucketResult><Contents>").objects.empty());
}

}  // namespace
}  // namespace s3
