// SPDX-License-Identifier: Apache-2.0
// The file that takes another's place; for the inside of this room.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/descriptor.h"
#include "host/place.h"

namespace host {

// TemporaryFile is a hidden file beside `target`, which outlives it, that vanishes unless it takes
// the target's place. It is locked as long as it lives, so that one whose writer was killed can be
// told from one that is being written: RemoveLeftovers. Every failure throws base::Error.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Place& target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Attributes are what a file has besides its content.
  struct Attributes {
    unsigned uid = 0;
    unsigned gid = 0;
    unsigned mode = 0;
  };
  // KeepAttributes sets these, and takes over the extended attributes (SELinux label, access list)
  // of the file that is replaced. An access list lets nobody in who is beyond the mode's group.
  void KeepAttributes(const Attributes& attributes);
  void SetMode(unsigned mode);
  void Append(std::string_view content);
  void Sync();
  // Replace returns false when the target is a mount point of its own and cannot be replaced.
  bool Replace();

 private:
  const Place& target_;
  std::string name_;
  Descriptor fd_;
};

// IsLeftoverName tells whether a file of this name is what a killed write left.
bool IsLeftoverName(std::string_view name);

// RemoveLeftovers deletes what killed writes left in the place's directory; what cannot be deleted
// stays. Looks at each directory once in a process.
void RemoveLeftovers(const Place& place);

// WriteAll writes all of it. Throws base::Error naming `path`.
void WriteAll(int fd, std::string_view content, const fs::path& path);

}  // namespace host
