// SPDX-License-Identifier: Apache-2.0
// The temporary file of an atomic replacement. Internal to this library.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/descriptor.h"
#include "host/place.h"

namespace host {

// A hidden file next to `target`, which must outlive it. The destructor removes the file unless it
// has replaced the target. The file is locked for the object's lifetime, so that RemoveLeftovers
// can distinguish a killed writer's leftover from a file in use. Every failure throws base::Error
// with the kind of the system's error.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Place& target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // The metadata of a file.
  struct Attributes {
    unsigned uid = 0;
    unsigned gid = 0;
    unsigned mode = 0;
  };
  // Sets these attributes, and copies the extended attributes (SELinux label, access list) of the
  // replaced file. A copied access list grants no more than the group bits of the mode.
  void KeepAttributes(const Attributes& attributes);
  void SetMode(unsigned mode);
  void Append(std::string_view content);
  void Sync();
  // Returns false if the target is a mount point and cannot be replaced.
  bool Replace();

 private:
  const Place& target_;
  std::string name_;
  Descriptor fd_;
};

// Returns whether this is the name of a leftover file of a killed write.
bool IsLeftoverName(std::string_view name);

// Deletes leftovers of killed writes in the directory; ignores failures. Searches each directory
// only once per process.
void RemoveLeftovers(const Place& place);

// Writes all of it. Throws base::Error with the kind of the system's error naming `path`.
void WriteAll(int fd, std::string_view content, const fs::path& path);

}  // namespace host
