// SPDX-License-Identifier: Apache-2.0
#include "backup/storage.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "host/large_file.h"
#include "host/new_file.h"
#include "s3/access.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;

constexpr std::uint64_t kPiece = std::uint64_t{8} << 20U;  // bytes of an object in one request

bool IsBackupName(const std::string& name) {
  return name.ends_with(".tar.zst") || name.ends_with(".tar.zst.age");
}

s3::Requests ConnectTo(const fs::path& path, const Buckets& buckets) {
  if (!buckets) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} is in a bucket, which is not possible here", path.string()));
  }
  return buckets();
}

s3::Location LocationOf(const fs::path& path) { return s3::ParseLocation(path.string()).value(); }

// A key that is a directory of other keys ends with "/".
std::string PrefixOf(const s3::Location& location) {
  return location.key.empty() || location.key.ends_with('/') ? location.key : location.key + "/";
}

class NewObject : public Output {
 public:
  NewObject(s3::Requests requests, const s3::Location& location)
      : bucket_(std::move(requests), location.bucket), upload_(bucket_, location.key) {}
  void Append(std::string_view bytes) override { upload_.Append(bytes); }
  void Finish() override { upload_.Finish(); }

 private:
  s3::Bucket bucket_;
  s3::Bucket::Upload upload_;
};

class NewBackupFile : public Output {
 public:
  NewBackupFile(const host::Files& files, const fs::path& path) : file_(files, path) {}
  void Append(std::string_view bytes) override { file_.Append(bytes); }
  void Finish() override { file_.Finish(); }

 private:
  host::NewFile file_;
};

class ObjectInput : public Input {
 public:
  ObjectInput(s3::Requests requests, const s3::Location& location)
      : bucket_(std::move(requests), location.bucket),
        key_(location.key),
        head_(bucket_.Find(key_)) {}
  std::uint64_t size() const override { return head_.size; }
  std::optional<std::chrono::sys_seconds> modified() const override { return head_.modified; }
  std::string_view Read() override {
    piece_.clear();
    if (done_ < head_.size) {
      piece_ = bucket_.Read(key_, head_.etag, done_, std::min(kPiece, head_.size - done_));
      if (piece_.empty()) {
        throw Error(Error::Kind::kInvalid, fmt::format("{} ended early", bucket_.Name(key_)));
      }
    }
    done_ += piece_.size();
    return piece_;
  }

 private:
  s3::Bucket bucket_;
  std::string key_;
  s3::Bucket::Head head_;
  std::uint64_t done_ = 0;
  std::string piece_;
};

class FileInput : public Input {
 public:
  FileInput(const host::Files& files, const fs::path& path)
      : file_(files, path), info_(files.Stat(path)) {}
  std::uint64_t size() const override { return file_.size(); }
  std::optional<std::chrono::sys_seconds> modified() const override {
    return info_ ? std::optional(std::chrono::floor<std::chrono::seconds>(info_->modified))
                 : std::nullopt;
  }
  std::string_view Read() override { return file_.Read(); }

 private:
  host::LargeFile file_;
  std::optional<host::FileInfo> info_;
};

std::vector<std::string> ListObjects(const fs::path& directory, const Buckets& buckets) {
  const s3::Location location = LocationOf(directory);
  const std::string prefix = PrefixOf(location);
  s3::Bucket bucket(ConnectTo(directory, buckets), location.bucket);
  std::vector<std::string> paths;
  for (const s3::Object& object : bucket.List(prefix)) {
    if (IsBackupName(object.key) && !object.key.substr(prefix.size()).contains('/')) {
      paths.push_back(bucket.Name(object.key));
    }
  }
  return paths;
}

}  // namespace

Buckets BucketsOf(host::Host& host, std::stop_token stop) {
  return [&host, stop = std::move(stop)] {
    return s3::Connect(s3::LoadAccess(host.environment, host.files), stop);
  };
}

bool IsInBucket(const fs::path& path) { return s3::ParseLocation(path.string()).has_value(); }

void RequireNoFile(const host::Files& files, const fs::path& path) {
  if (files.Exists(path)) {
    throw Error(Error::Kind::kAlreadyExists,
                fmt::format("{} exists already: a backup replaces no file", path.string()));
  }
}

std::unique_ptr<Output> NewOutput(const host::Files& files, const fs::path& path,
                                  const Buckets& buckets) {
  if (IsInBucket(path)) {
    return std::make_unique<NewObject>(ConnectTo(path, buckets), LocationOf(path));
  }
  RequireNoFile(files, path);
  return std::make_unique<NewBackupFile>(files, path);
}

std::unique_ptr<Input> OpenInput(const host::Files& files, const fs::path& path,
                                 const Buckets& buckets) {
  if (IsInBucket(path)) {
    return std::make_unique<ObjectInput>(ConnectTo(path, buckets), LocationOf(path));
  }
  return std::make_unique<FileInput>(files, path);
}

std::vector<std::string> ListPaths(const host::Files& files, const fs::path& directory,
                                   const Buckets& buckets) {
  if (IsInBucket(directory)) {
    return ListObjects(directory, buckets);
  }
  std::vector<std::string> paths;
  for (const std::string& name : files.List(directory)) {
    if (IsBackupName(name)) {
      paths.push_back((directory / name).string());
    }
  }
  return paths;
}

void RemoveBackup(host::Files& files, const fs::path& path, const Buckets& buckets) {
  if (IsInBucket(path)) {
    const s3::Location location = LocationOf(path);
    s3::Bucket(ConnectTo(path, buckets), location.bucket).Remove(location.key);
    return;
  }
  files.Remove(path);
}

fs::path PlaceFor(const host::Files& files, const fs::path& target, const std::string& name) {
  if (IsInBucket(target)) {
    const s3::Location location = LocationOf(target);
    return location.key.empty() || location.key.ends_with('/') ? target / name : target;
  }
  const auto info = files.Stat(target / ".");
  if (!info && target.filename().empty()) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("the directory {} does not exist", target.string()));
  }
  return info && info->kind == host::FileInfo::Kind::kDirectory ? target / name : target;
}

}  // namespace backup
