// SPDX-License-Identifier: Apache-2.0
// The storage of backups: a file of this host, or an object of a bucket ("s3://BUCKET/KEY").
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"
#include "host/host.h"
#include "s3/bucket.h"

namespace backup {

// Connects to the buckets of paths that begin with "s3://". May be empty: such paths are refused.
using Buckets = std::function<s3::Requests()>;

// Returns access to buckets, with the settings of AWS's variables and files on this host. The host
// must outlive the result.
Buckets BucketsOf(host::Host& host, std::stop_token stop = {});

// Returns whether the path is that of a bucket or an object.
bool IsInBucket(const host::fs::path& path);

// A new backup, written piece by piece. It appears under its name only when it is complete.
class Output {
 public:
  virtual ~Output() = default;
  virtual void Append(std::string_view bytes) = 0;
  virtual void Finish() = 0;
};

// Throws base::Error(kAlreadyExists) if the file exists.
void RequireNoFile(const host::Files& files, const host::fs::path& path);

// Creates the file or object. Throws base::Error(kAlreadyExists) if it exists, and the errors of
// host::NewFile or s3::Bucket.
std::unique_ptr<Output> NewOutput(const host::Files& files, const host::fs::path& path,
                                  const Buckets& buckets);

// A backup, read from its beginning.
class Input {
 public:
  virtual ~Input() = default;
  virtual std::uint64_t size() const = 0;  // bytes
  virtual std::optional<std::chrono::sys_seconds> modified() const = 0;
  // Returns the next bytes, valid until the next call; "" at the end.
  virtual std::string_view Read() = 0;
};

// Opens the file or object. Throws the errors of host::LargeFile or s3::Bucket.
std::unique_ptr<Input> OpenInput(const host::Files& files, const host::fs::path& path,
                                 const Buckets& buckets);

// Returns the paths of all backups in a directory, or directly below a prefix of keys
// ("s3://BUCKET/PREFIX/"). A file is a backup if its name has the file extension of backups.
std::vector<std::string> ListPaths(const host::Files& files, const host::fs::path& directory,
                                   const Buckets& buckets);

// Removes a file or an object. Throws the errors of host::Files::Remove or s3::Bucket.
void RemoveBackup(host::Files& files, const host::fs::path& path, const Buckets& buckets);

// Returns the path of a new backup: `target` itself, or a path with the given name if `target` is a
// directory or a prefix of keys.
host::fs::path PlaceFor(const host::Files& files, const host::fs::path& target,
                        const std::string& name);

}  // namespace backup
