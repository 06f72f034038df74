// SPDX-License-Identifier: Apache-2.0
#include "backup/reader.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <utility>

#include "age/stream.h"
#include "archive/tar.h"
#include "archive/zstd.h"
#include "base/error.h"
#include "base/strings.h"
#include "pki/sha256_sum.h"

namespace backup {
namespace {

using base::Error;

[[noreturn]] void FailInvalid(const std::string& why) { throw Error(Error::Kind::kInvalid, why); }

// Checks the files of an archive against the manifest and the checksums.
class Contents {
 public:
  explicit Contents(const Visitor& visitor) : visitor_(visitor) {}

  void OnFile(const archive::TarFile& file) {
    if (ended_) {
      FailInvalid(fmt::format("the backup has {} after its checksums", base::Quoted(file.name)));
    }
    name_ = file.name;
    sum_.emplace();
    text_.clear();
    if (!manifest_) {
      if (name_ != kManifestName || file.size > kLargestManifest) {
        FailInvalid("not a backup of kubeadm: it does not begin with a manifest");
      }
    } else if (name_ == kSumsName) {
      if (file.size > kLargestManifest) {
        FailInvalid("the checksums of the backup are too long");
      }
    } else {
      Expect(file);
    }
  }

  void OnBytes(std::string_view bytes) {
    sum_->Add(bytes);
    if (!manifest_ || name_ == kSumsName) {
      text_ += bytes;
    } else if (visitor_.on_bytes) {
      visitor_.on_bytes(bytes);
    }
  }

  void OnEnd() {
    if (name_ == kSumsName) {
      CheckSums();
      return;
    }
    sums_[name_] = base::HexEncode(sum_->End());
    if (!manifest_) {
      manifest_ = ParseManifest(text_);
      FillExpected();
      stopped_ = visitor_.on_manifest && !visitor_.on_manifest(*manifest_);
    } else if (visitor_.on_end) {
      visitor_.on_end();
    }
  }

  // Returns whether the visitor has ended the reading.
  bool stopped() const { return stopped_; }
  void RequireEnd() const {
    if (!ended_) {
      FailInvalid("the backup is truncated: it has no checksums");
    }
  }

 private:
  void FillExpected() {
    for (const FileRecord& file : manifest_->files) {
      if (file.link.empty()) {
        expected_[file.Name()] = file.size;
      }
    }
    for (const std::string& object : manifest_->objects) {
      expected_[object] = -1;
    }
    expected_[std::string(kSnapshotName)] = manifest_->etcd.snapshot;
  }

  void Expect(const archive::TarFile& file) {
    const auto found = expected_.find(name_);
    if (found == expected_.end()) {
      FailInvalid(fmt::format("the backup has {} twice, or its manifest does not name it",
                              base::Quoted(name_)));
    }
    const bool fits = found->second < 0 ? file.size <= kLargestFile
                                        : file.size == static_cast<std::uint64_t>(found->second);
    if (!fits) {
      FailInvalid(fmt::format("{} has {} bytes in the backup, and another size in its manifest",
                              base::Quoted(name_), file.size));
    }
    expected_.erase(found);
    if (visitor_.on_file) {
      visitor_.on_file(name_);
    }
  }

  void CheckSums() {
    if (!expected_.empty()) {
      FailInvalid(fmt::format("the backup lacks {}", base::Quoted(expected_.begin()->first)));
    }
    if (text_ != SumsText(sums_)) {
      FailInvalid("the backup is damaged: " + FirstDifference());
    }
    ended_ = true;
  }

  std::string FirstDifference() const {
    for (const std::string& line : base::Lines(text_)) {
      const auto found = sums_.find(line.size() > 66 ? line.substr(66) : "");
      if (found != sums_.end() && !line.starts_with(found->second)) {
        return fmt::format("{} does not match its checksum", base::Quoted(found->first));
      }
    }
    return "its list of checksums does not match its files";
  }

  const Visitor& visitor_;
  std::optional<Manifest> manifest_;
  std::map<std::string, std::int64_t> expected_;  // sizes; -1 for an unknown one
  std::map<std::string, std::string> sums_;
  std::string name_;
  std::optional<pki::Sha256Sum> sum_;
  std::string text_;  // of the manifest or the checksums
  bool stopped_ = false;
  bool ended_ = false;
};

// Decrypts the input if it is encrypted, and decompresses it. Stops when the visitor needs no more.
class Pipeline {
 public:
  Pipeline(const age::Keys& keys, bool encrypted, const Visitor& visitor)
      : contents_(visitor),
        handler_({.on_file = [this](const archive::TarFile& file) { contents_.OnFile(file); },
                  .on_bytes = [this](std::string_view bytes) { contents_.OnBytes(bytes); },
                  .on_end = [this] { contents_.OnEnd(); }}),
        tar_(handler_),
        to_tar_([this](std::string_view bytes) {
          if (!contents_.stopped()) {
            tar_.Add(bytes);
          }
        }),
        decompressor_(to_tar_),
        to_decompressor_([this](std::string_view bytes) {
          if (!contents_.stopped()) {
            decompressor_.Add(bytes);
          }
        }) {
    if (encrypted) {
      decryptor_.emplace(keys, to_decompressor_);
    }
  }

  void Add(std::string_view bytes) {
    if (decryptor_) {
      decryptor_->Add(bytes);
    } else {
      to_decompressor_(bytes);
    }
  }
  void End() {
    if (decryptor_) {
      decryptor_->End();
    }
    decompressor_.End();
    tar_.End();
    contents_.RequireEnd();
  }
  bool stopped() const { return contents_.stopped(); }

 private:
  Contents contents_;
  archive::TarHandler handler_;
  archive::TarReader tar_;
  base::TakeBytes to_tar_;
  archive::Decompressor decompressor_;
  base::TakeBytes to_decompressor_;
  std::optional<age::Decryptor> decryptor_;
};

bool IsEncrypted(std::string_view beginning) {
  if (beginning.starts_with(age::kMagic)) {
    return true;
  }
  if (!beginning.starts_with(archive::kZstdMagic)) {
    FailInvalid("not a backup: it is neither encrypted by age nor compressed by zstd");
  }
  return false;
}

}  // namespace

Seal ReadSeal(const Reading& reading) {
  const std::unique_ptr<Input> input = OpenInput(reading.files, reading.path, reading.buckets);
  return base::WithContext(reading.path.string(), [&] {
    std::string beginning(input->Read());
    Seal seal{.encrypted = IsEncrypted(beginning),
              .by = {},
              .size = input->size(),
              .modified = input->modified()};
    if (!seal.encrypted) {
      return seal;
    }
    std::optional<age::Header> header;
    while (!(header = age::ParseHeader(beginning))) {
      const std::string_view more = input->Read();
      if (more.empty()) {
        FailInvalid("the encrypted file is truncated in its header");
      }
      beginning += more;
    }
    seal.by = age::DescribeHeader(*header);
    return seal;
  });
}

void ReadBackup(const Reading& reading, const Visitor& visitor) {
  const std::unique_ptr<Input> input = OpenInput(reading.files, reading.path, reading.buckets);
  base::WithContext(reading.path.string(), [&] {
    std::string_view piece = input->Read();
    Pipeline pipeline(reading.keys, IsEncrypted(piece), visitor);
    std::uint64_t done = 0;
    for (; !piece.empty(); piece = input->Read()) {
      if (reading.stop.stop_requested()) {
        throw base::Interrupted("stopped while reading the backup");
      }
      pipeline.Add(piece);
      if (pipeline.stopped()) {
        return;
      }
      done += piece.size();
      if (reading.progress) {
        reading.progress(done, input->size());
      }
    }
    pipeline.End();
  });
}

Manifest ReadManifest(const Reading& reading) {
  std::optional<Manifest> found;
  ReadBackup(reading, {.on_manifest = [&](const Manifest& manifest) {
               found = manifest;
               return false;
             }});
  return found.value();
}

}  // namespace backup
