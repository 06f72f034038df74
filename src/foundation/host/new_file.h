// SPDX-License-Identifier: Apache-2.0
// A file that is too large to be held in memory.
#pragma once

#include "host/files.h"
#include "host/place.h"
#include "host/temporary_file.h"

namespace host {

// NewFile is the owner's alone (mode 0600) and written piece by piece. It is not there, under its
// name, before it is whole. Every failure throws base::Error.
class NewFile {
 public:
  // The directory must be there.
  NewFile(const Files& files, const fs::path& path);
  void Append(std::string_view bytes);
  // Finish gives it its name; the content is on the disk by then.
  void Finish();

 private:
  Place place_;
  TemporaryFile file_;
};

}  // namespace host
