// SPDX-License-Identifier: Apache-2.0
// Files that claim to be backups: the header of age, the archive and the manifest are read before
// anything is believed.
#include "age/header.h"
#include "age/keys.h"
#include "archive/tar.h"
#include "backup/manifest.h"
#include "fuzz.h"

namespace {

void ReadHeader(const std::string& text) {
  const auto header = age::ParseHeader(text);
  if (!header) {
    return;
  }
  fuzz::Require(header->size <= text.size(), "a header is within its file");
  fuzz::Require(!age::ParseHeader(text.substr(0, header->size - 1)),
                "a header without its last byte is incomplete");
  const age::Encryption encryption = age::DescribeHeader(*header);
  fuzz::Require(encryption.recipients + encryption.unknown + (encryption.passphrase ? 1U : 0U) > 0,
                "somebody may decrypt the file");
  if (!encryption.passphrase) {  // scrypt would take its time
    age::OpenHeader(*header, text, {.identities = {std::string(32, 'k')}, .passphrase = {}});
  }
}

void ReadArchive(const std::string& text) {
  std::uint64_t left = 0;
  const archive::TarHandler handler{
      .on_file =
          [&](const archive::TarFile& file) {
            fuzz::Require(!file.name.starts_with('/') && !file.name.starts_with("../") &&
                              !file.name.contains("/../"),
                          "a name leads nowhere else");
            left = file.size;
          },
      .on_bytes =
          [&](std::string_view bytes) {
            fuzz::Require(bytes.size() <= left, "a file has its size");
            left -= bytes.size();
          },
      .on_end = [&] { fuzz::Require(left == 0, "a file is complete"); }};
  archive::TarReader reader(handler);
  reader.Add(text);
  reader.End();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(fuzz::Text(bytes, size));
  fuzz::Refused([&] { ReadHeader(text); });
  fuzz::Refused([&] { ReadArchive(text); });
  fuzz::Refused([&] { age::ParseRecipients(text); });
  fuzz::Refused([&] {
    const backup::Manifest manifest = backup::ParseManifest(text);
    fuzz::Require(backup::ManifestText(backup::ParseManifest(backup::ManifestText(manifest))) ==
                      backup::ManifestText(manifest),
                  "a manifest is read as it was written");
  });
  return 0;
}
