// SPDX-License-Identifier: Apache-2.0
#include "backup/create.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <array>
#include <utility>

#include "backup/storage.h"
#include "base/error.h"
#include "base/secret_text.h"
#include "pki/sha256_sum.h"

namespace backup {
namespace {

namespace fs = host::fs;

void AddCollected(const Collected& collected, Writer& writer) {
  const Manifest& manifest = collected.manifest;
  writer.AddFile(std::string(kManifestName), ManifestText(manifest));
  for (const FileRecord& file : manifest.files) {
    if (file.link.empty()) {
      writer.AddFile(file.Name(), collected.contents.at(file.Name()));
    }
  }
  for (const std::string& object : manifest.objects) {
    writer.AddFile(object, collected.contents.at(object));
  }
}

// Writes the manifest, which contains the snapshot's size, and then streams the snapshot as
// `etcdctl snapshot save` stores it: the database and its SHA-256.
void WriteAll(Collected& collected, const EtcdAccess& etcd, const CreateRequest& request,
              Writer& writer) {
  pki::Sha256Sum sum;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  etcd.client->Snapshot(
      collected.manifest.etcd.endpoint,
      [&](std::string_view bytes) {
        sum.Add(bytes);
        writer.Add(bytes);
        done += bytes.size();
        if (request.progress) {
          request.progress(done, total);
        }
      },
      [&](std::uint64_t size) {
        total = size;
        if (request.on_size) {
          request.on_size(size);
        }
        const std::uint64_t whole = size + pki::Sha256Sum::kSize;
        collected.manifest.etcd.snapshot = static_cast<std::int64_t>(whole);
        AddCollected(collected, writer);
        writer.Begin(std::string(kSnapshotName), whole);
      });
  writer.Add(sum.End());
  writer.End();
}

// Throws base::Error(kInvalid) for an unencrypted backup over plain HTTP. Unencrypted keys and
// Secrets may be in a file of root, but must not be sent over the network.
void RequirePrivate(const CreateRequest& request, const s3::Requests& requests) {
  if (!request.locks && requests.access.endpoint.starts_with("http:")) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is reached by {}: an unencrypted backup is not sent over an "
                                  "unencrypted connection",
                                  request.target.string(), requests.access.endpoint));
  }
}

std::string EncryptionText(bool encrypted) {
  return encrypted ? "encrypted" : "NOT encrypted: it has every key and Secret of the cluster";
}

std::string NotesText(const Manifest& manifest) {
  std::string text;
  for (const std::string& note : manifest.notes) {
    text += fmt::format("[backup] Note: {}\n", note);
  }
  return text;
}

}  // namespace

PlannedBackup::PlannedBackup(CreateRequest request, const CollectionInput& sources,
                             const EtcdAccess& etcd)
    : request_(std::move(request)),
      collected_(Collect(sources, etcd)),
      path_(PlaceFor(sources.host.files, request_.target,
                     FileName(collected_.manifest, request_.locks.has_value()))) {
  if (IsInBucket(path_)) {
    RequirePrivate(request_, BucketsOf(sources.host, sources.stop)());
  } else {
    RequireNoFile(sources.host.files, path_);
  }
}

PlannedBackup::~PlannedBackup() {
  for (auto& [name, content] : collected_.contents) {
    base::Wipe(content);
  }
}

Created Write(PlannedBackup& backup, const CollectionInput& sources, const EtcdAccess& etcd) {
  const CreateRequest& request = backup.request();
  Writer writer(NewOutput(sources.host.files, backup.path(), BucketsOf(sources.host, sources.stop)),
                request.locks, backup.manifest().created.time_since_epoch().count());
  WriteAll(backup.collected(), etcd, request, writer);
  return {.path = backup.path().string(),
          .size = static_cast<std::int64_t>(writer.Finish()),
          .encrypted = request.locks.has_value(),
          .manifest = backup.manifest()};
}

Created Create(const CreateRequest& request, const CollectionInput& sources,
               const EtcdAccess& etcd) {
  PlannedBackup backup(request, sources, etcd);
  return Write(backup, sources, etcd);
}

engine::Operation CreateOperation(PlannedBackup& backup, const CollectionInput& sources,
                                  const EtcdAccess& etcd, std::optional<Created>& created) {
  return {
      .name = "backup-create",
      .tag = "backup",
      .intent = {{"path", backup.path().string()}},
      .facts = json::Value::object(),
      .steps = {{.id = "write",
                 .line = "write the files and a snapshot of etcd",
                 .apply = [&](engine::StepContext&) { created = Write(backup, sources, etcd); }}},
      .keeps_journal = false};
}

std::string TextOf(const PlannedBackup& backup) {
  const Manifest& manifest = backup.manifest();
  return fmt::format(
      "A backup of node {} is written to {}\n"
      "  {}\n"
      "  {} files of the node, {} objects, and etcd's snapshot\n",
      manifest.node.name, backup.path().string(),
      EncryptionText(backup.request().locks.has_value()), manifest.files.size(),
      manifest.objects.size());
}

json::Value ObjectOf(const PlannedBackup& backup) {
  return {{"dryRun", true},
          {"path", backup.path().string()},
          {"size", nullptr},
          {"encrypted", backup.request().locks.has_value()},
          {"manifest", json::Encode(backup.manifest())}};
}

std::string SizeText(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) {
    return fmt::format("{} bytes", bytes);
  }
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) {
    size /= 1024;
  }
  return fmt::format("{:.1f} {}", size, kUnits.at(unit));
}

std::string TextOf(const Created& created) {
  const Manifest& manifest = created.manifest;
  return fmt::format(
             "[backup] {}: {}, {}\n"
             "[backup] {} files of node {}, {} objects, and etcd's snapshot of revision {} or "
             "later "
             "({})\n",
             created.path, SizeText(static_cast<std::uint64_t>(created.size)),
             EncryptionText(created.encrypted), manifest.files.size(), manifest.node.name,
             manifest.objects.size(), manifest.etcd.revision,
             SizeText(static_cast<std::uint64_t>(manifest.etcd.snapshot))) +
         NotesText(manifest);
}

json::Value ObjectOf(const Created& created) {
  return {{"dryRun", false},
          {"path", created.path},
          {"size", created.size},
          {"encrypted", created.encrypted},
          {"manifest", json::Encode(created.manifest)}};
}

}  // namespace backup
