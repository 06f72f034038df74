// SPDX-License-Identifier: Apache-2.0
#include "backup/manifest.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <array>
#include <set>

#include "archive/tar.h"
#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"

namespace backup {
namespace {

using base::Error;
using json::Describe;

constexpr std::string_view kFilesDirectory = "files";
constexpr std::string_view kObjectsDirectory = "objects/";

void RequireKnownVersion(const json::Value& value) {
  const json::Value& version = json::At(value, {"version"});
  if (version.is_number_integer() && version != kFormat) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the backup has format {}, and this kubeadm reads format {}: use the "
                            "kubeadm that made it, or a newer one",
                            json::Compact(version), kFormat));
  }
}

void RequireValid(const FileRecord& file) {
  if (!file.path.starts_with('/')) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the path {} is not absolute", base::Quoted(file.path)));
  }
  archive::RequireSafeName(file.Name());
  if (!file.link.empty()) {
    archive::RequireSafeName(file.link);
  }
  const bool in_range = file.size >= 0 && file.size <= static_cast<std::int64_t>(kLargestFile) &&
                        file.mode >= 0 && file.mode <= 0777 && file.owner >= 0 &&
                        file.owner < UINT32_MAX && file.group >= 0 && file.group < UINT32_MAX;
  if (!in_range || file.link.contains('/') || (!file.link.empty() && file.size != 0)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} has a size, mode, owner or link that no backup has",
                            base::Quoted(file.path)));
  }
}

void RequireValid(const Manifest& manifest) {
  std::set<std::string> names;
  const auto add = [&](const std::string& name) {
    archive::RequireSafeName(name);
    if (!names.insert(name).second) {
      throw Error(Error::Kind::kInvalid, fmt::format("{} is in it twice", base::Quoted(name)));
    }
  };
  for (const FileRecord& file : manifest.files) {
    RequireValid(file);
    add(file.Name());
  }
  for (const std::string& name : manifest.objects) {
    if (!name.starts_with(kObjectsDirectory)) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("{} is not the name of an object", base::Quoted(name)));
    }
    add(name);
  }
  if (manifest.etcd.snapshot <= 0) {
    throw Error(Error::Kind::kInvalid, "it names no snapshot of etcd");
  }
}

}  // namespace

std::span<const std::string_view> EnumNames(Part) {
  static constexpr std::array<std::string_view, 3> kNames{"pki", "config", "etcd"};
  return kNames;
}

std::string FileRecord::Name() const { return std::string(kFilesDirectory) + path; }

std::span<const json::Field> FileRecord::Fields() {
  static const json::Field fields[] = {
      Describe<&FileRecord::path>("path").Always(),
      Describe<&FileRecord::part>("part").Always(),
      Describe<&FileRecord::size>("size").Always(),
      Describe<&FileRecord::mode>("mode").Always(),
      Describe<&FileRecord::owner>("owner").Always(),
      Describe<&FileRecord::group>("group").Always(),
      Describe<&FileRecord::link>("link"),
  };
  return fields;
}

std::span<const json::Field> NodeRecord::Fields() {
  static const json::Field fields[] = {
      Describe<&NodeRecord::name>("name").Always(),
      Describe<&NodeRecord::address>("address").Always(),
      Describe<&NodeRecord::port>("port").Always(),
  };
  return fields;
}

std::span<const json::Field> MemberRecord::Fields() {
  static const json::Field fields[] = {
      Describe<&MemberRecord::name>("name").Always(),
      Describe<&MemberRecord::peer_urls>("peerURLs").Always(),
      Describe<&MemberRecord::client_urls>("clientURLs").Always(),
  };
  return fields;
}

std::span<const json::Field> EtcdRecord::Fields() {
  static const json::Field fields[] = {
      Describe<&EtcdRecord::external>("external").Always(),
      Describe<&EtcdRecord::version>("version").Always(),
      Describe<&EtcdRecord::image>("image"),
      Describe<&EtcdRecord::data_directory>("dataDirectory"),
      Describe<&EtcdRecord::endpoint>("endpoint").Always(),
      Describe<&EtcdRecord::cluster_id>("clusterID").Always(),
      Describe<&EtcdRecord::revision>("revision").Always(),
      Describe<&EtcdRecord::snapshot>("snapshotSize").Always(),
      Describe<&EtcdRecord::members>("members").Always(),
  };
  return fields;
}

std::span<const json::Field> Manifest::Fields() {
  static const json::Field fields[] = {
      Describe<&Manifest::version>("version").Always(),
      Describe<&Manifest::id>("id").Always(),
      Describe<&Manifest::created>("created").Always(),
      Describe<&Manifest::created_by>("createdBy").Always(),
      Describe<&Manifest::kubernetes_version>("kubernetesVersion").Always(),
      Describe<&Manifest::certificates_directory>("certificatesDirectory").Always(),
      Describe<&Manifest::node>("node").Always(),
      Describe<&Manifest::etcd>("etcd").Always(),
      Describe<&Manifest::files>("files").Always(),
      Describe<&Manifest::objects>("objects").Always(),
      Describe<&Manifest::notes>("notes").Always(),
  };
  return fields;
}

Manifest ParseManifest(std::string_view text) {
  return base::WithContext("the manifest of the backup is not usable", [&] {
    const json::Value value = json::Parse(text);
    RequireKnownVersion(value);
    auto manifest = json::DecodeStrictly<Manifest>(value);
    RequireValid(manifest);
    return manifest;
  });
}

std::string ManifestText(const Manifest& manifest) {
  return json::Pretty(json::Encode(manifest), 2) + "\n";
}

std::string FileName(const Manifest& manifest, bool encrypted) {
  return fmt::format("kubeadm-{}-{:%Y%m%dT%H%M%SZ}.tar.zst{}", manifest.node.name, manifest.created,
                     encrypted ? ".age" : "");
}

}  // namespace backup
