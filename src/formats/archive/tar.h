// SPDX-License-Identifier: Apache-2.0
// Tar archives (POSIX.1-2017, pax format: ustar headers, and extended headers where a ustar header
// does not suffice), processed piece by piece. The archives contain only plain files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/take_bytes.h"

namespace archive {

// A file of an archive.
struct TarFile {
  std::string name;  // relative, "etcd/snapshot.db"
  std::uint64_t size = 0;
  unsigned mode = 0600;       // permission bits
  std::int64_t modified = 0;  // seconds since 1970
  bool operator==(const TarFile&) const = default;
};

// Writes an archive to `next`, which must outlive it.
class TarWriter {
 public:
  explicit TarWriter(const base::TakeBytes& next) : next_(next) {}
  // Begins a file. The caller then passes exactly `file.size` bytes of its content to Add. Throws
  // base::Error(kInvalid) for a name that a reader would refuse.
  void Begin(const TarFile& file);
  // Adds content of the present file. Throws base::Error(kInvalid) for more bytes than Begin has
  // announced.
  void Add(std::string_view bytes);
  // Ends the archive. Throws base::Error(kInvalid) if the last file is incomplete.
  void End();

 private:
  void RequireComplete() const;
  void Header(const TarFile& file, char type);

  const base::TakeBytes& next_;
  std::string name_;
  std::uint64_t left_ = 0;  // remaining bytes of the present file
  std::uint64_t size_ = 0;
};

// Receives the files of an archive.
struct TarHandler {
  std::function<void(const TarFile& file)> on_file;
  base::TakeBytes on_bytes;      // content of the file that on_file reported last
  std::function<void()> on_end;  // end of the file that on_file reported last
};

// Reads an archive and passes its files on. The handler must outlive it.
class TarReader {
 public:
  explicit TarReader(const TarHandler& handler) : handler_(handler) {}
  // Reads the next bytes of the archive. Throws base::Error(kInvalid) for a damaged archive, for an
  // entry that is not a plain file (links, directories, devices), and for a name that
  // RequireSafeName refuses. Propagates exceptions of the handler.
  void Add(std::string_view bytes);
  // Ends the input. Throws base::Error(kInvalid) if the archive is truncated.
  void End() const;

 private:
  enum class State { kHeader, kExtended, kContent, kPadding, kEnd };

  void OnBlock(std::string_view block);
  void BeginFile(TarFile file);
  void EndFile();
  void ReadExtended();
  std::string_view TakeContent(std::string_view bytes);

  const TarHandler& handler_;
  State state_ = State::kHeader;
  std::string block_;     // an incomplete header
  std::string extended_;  // records for the next file
  std::string path_;      // the path in these records
  std::int64_t long_size_ = -1;
  std::uint64_t left_ = 0;  // remaining bytes of the present content
  unsigned padding_ = 0;    // padding bytes after the content
  bool one_zero_block_ = false;
};

// Checks the name of a file. Throws base::Error(kInvalid) for a name that is absolute, empty,
// longer than a path may be, or has an empty, "." or ".." part.
void RequireSafeName(std::string_view name);

}  // namespace archive
