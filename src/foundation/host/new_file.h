// SPDX-License-Identifier: Apache-2.0
// A file that is too large for memory.
#pragma once

#include "host/files.h"
#include "host/place.h"
#include "host/temporary_file.h"

namespace host {

// A private file (mode 0600), written piece by piece. The file appears under its name only when it
// is complete. The constructor removes partial files that killed processes left in the directory.
// Every failure throws base::Error with the kind of the system's error.
class NewFile {
 public:
  // The directory must exist.
  NewFile(const Files& files, const fs::path& path);
  void Append(std::string_view bytes);
  // Gives the file its name. Content and name are on the disk afterwards.
  void Finish();

 private:
  Place place_;
  TemporaryFile file_;
};

}  // namespace host
