// SPDX-License-Identifier: Apache-2.0
#include "backup/inspect.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>

#include "backup/create.h"
#include "backup/retention.h"
#include "base/error.h"
#include "base/strings.h"
#include "json/rfc3339.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;

std::string EncryptionText(const Seal& seal) {
  if (!seal.encrypted) {
    return "not encrypted";
  }
  if (seal.by.passphrase) {
    return "encrypted by age with a passphrase";
  }
  return fmt::format("encrypted by age for {} recipient{}", seal.by.recipients + seal.by.unknown,
                     seal.by.recipients + seal.by.unknown == 1 ? "" : "s");
}

std::string ManifestLines(const Manifest& manifest) {
  const EtcdRecord& etcd = manifest.etcd;
  std::string text = fmt::format(
      "  made at     {} by Slipway {}\n"
      "  node        {}, API server at {}:{}\n"
      "  Kubernetes  {}\n"
      "  etcd        {}{}, revision {} or later, cluster {}\n",
      json::FormatRfc3339(manifest.created), manifest.created_by, manifest.node.name,
      manifest.node.address, manifest.node.port, manifest.kubernetes_version, etcd.version,
      etcd.external ? " (external)" : "", etcd.revision, etcd.cluster_id);
  for (const MemberRecord& member : etcd.members) {
    text += fmt::format("    member    {} {}\n", member.name, base::Join(member.peer_urls, ","));
  }
  text +=
      fmt::format("  snapshot    {}\n",
                  SizeText(static_cast<std::uint64_t>(std::max<std::int64_t>(etcd.snapshot, 0))));
  for (const FileRecord& file : manifest.files) {
    text += file.link.empty() ? fmt::format("  file        {} ({} bytes)\n", file.path, file.size)
                              : fmt::format("  link        {} to {}\n", file.path, file.link);
  }
  for (const std::string& object : manifest.objects) {
    text += fmt::format("  object      {}\n", object);
  }
  for (const std::string& note : manifest.notes) {
    text += fmt::format("  note        {}\n", note);
  }
  return text;
}

json::Value SealObject(const Seal& seal) {
  return {{"encrypted", seal.encrypted},
          {"passphrase", seal.by.passphrase},
          {"recipients", seal.by.recipients + seal.by.unknown},
          {"size", seal.size}};
}

}  // namespace

Inspected Inspect(const Reading& reading) {
  Inspected inspected{
      .path = reading.path.string(), .seal = ReadSeal(reading), .modified = {}, .manifest = {}};
  inspected.modified = inspected.seal.modified.value_or(std::chrono::sys_seconds());
  if (!inspected.seal.encrypted || !reading.keys.identities.empty() ||
      !reading.keys.passphrase.empty()) {
    inspected.manifest = ReadManifest(reading);
  }
  return inspected;
}

std::optional<std::chrono::sys_seconds> Inspected::Created() const {
  return manifest ? manifest->created : TimeInName(host::fs::path(path).filename().string());
}

std::vector<Listed> ListBackups(const Reading& directory) {
  std::vector<Listed> backups;
  for (const std::string& path : ListPaths(directory.files, directory.path, directory.buckets)) {
    Listed listed{.path = path, .inspected = {}, .problem = {}};
    try {
      Reading reading = directory;
      reading.path = path;
      listed.inspected = Inspect(reading);
    } catch (const Error& error) {
      listed.problem = error.message();
    }
    backups.push_back(std::move(listed));
  }
  return backups;
}

std::string TextOf(const Inspected& inspected) {
  std::string text = fmt::format("{}: {}, {}\n", inspected.path, SizeText(inspected.seal.size),
                                 EncryptionText(inspected.seal));
  return text + (inspected.manifest ? ManifestLines(*inspected.manifest)
                                    : "  its content is shown with --identity or "
                                      "--passphrase-file\n");
}

json::Value ObjectOf(const Inspected& inspected) {
  json::Value object = SealObject(inspected.seal);
  object["path"] = inspected.path;
  const auto created = inspected.Created();
  object["created"] = created ? json::Value(json::FormatRfc3339(*created)) : json::Value();
  object["modified"] = json::FormatRfc3339(inspected.modified);
  object["manifest"] = inspected.manifest ? json::Encode(*inspected.manifest) : json::Value();
  return object;
}

std::string TextOf(const std::vector<Listed>& backups) {
  if (backups.empty()) {
    return "No backups: no file's name ends in .tar.zst or .tar.zst.age\n";
  }
  std::string text;
  for (const Listed& backup : backups) {
    if (!backup.inspected) {
      text += fmt::format("NOT READABLE: {}\n", backup.problem);
      continue;
    }
    const Inspected& inspected = *backup.inspected;
    text += fmt::format("{}: {}, {}, {}", backup.path,
                        json::FormatRfc3339(inspected.Created().value_or(inspected.modified)),
                        SizeText(inspected.seal.size), EncryptionText(inspected.seal));
    if (inspected.manifest) {
      text +=
          fmt::format(", node {}, Kubernetes {}, revision {}", inspected.manifest->node.name,
                      inspected.manifest->kubernetes_version, inspected.manifest->etcd.revision);
    }
    text += '\n';
  }
  return text;
}

json::Value ObjectOf(const std::vector<Listed>& backups) {
  json::Value rows = json::Value::array();
  for (const Listed& backup : backups) {
    rows.push_back(backup.inspected
                       ? ObjectOf(*backup.inspected)
                       : json::Value{{"path", backup.path}, {"problem", backup.problem}});
  }
  return {{"backups", std::move(rows)}};
}

}  // namespace backup
