// SPDX-License-Identifier: Apache-2.0
// The restore of a control-plane node from a backup, as an operation of the engine
// (docs/backup.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "backup/etcd_tools.h"
#include "backup/manifest.h"
#include "backup/reader.h"
#include "cri/runtime.h"
#include "engine/operation.h"
#include "etcd/client.h"
#include "host/host.h"
#include "json/value.h"

namespace backup {

inline constexpr std::string_view kRestoreOperation = "restore";  // engine::Operation::name

// Returns the number by which a restore at this time raises etcd's revision. This is 10,000 for
// each second since 1970, at least 1,000,000,000. Clusters write less often. So the result is
// higher than every revision that a client has seen, also after an earlier restore of the same
// backup. A client that watches from an older revision gets the error that the revision is
// compacted, and then lists its objects again. All members of a cluster must be restored with the
// same number.
std::int64_t RevisionBump(std::chrono::sys_seconds now);

// The first etcd whose etcdutl can raise the revision (etcd-io/etcd#16165).
inline constexpr std::string_view kFirstWithRevisionBump = "3.5.10";

// Returns why the etcdutl of the release `etcd_version` ("3.5.9", or the tag of etcd's image)
// cannot raise the revision, as RestoreSnapshot requires. Returns std::nullopt if it can, or if the
// version is unknown. Pure.
std::optional<std::string> RevisionBumpProblem(const std::string& etcd_version);

// The user's request.
struct RestoreRequest {
  host::fs::path file;
  age::Keys keys;
  // The only part to restore. If not set, restores all parts and starts the control plane.
  std::optional<Part> only;
};

// Dependencies of a restore. All references must outlive the operation.
struct RestoreDeps {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::function<std::unique_ptr<etcd::Client>(etcd::Connection)> connect_etcd = etcd::Connect;
  Progress progress = {};                    // of reading the backup
  std::chrono::milliseconds limit{300'000};  // for the control plane to serve
  std::stop_token stop = {};
};

// The files of the node in a backup, and its manifest. Its destructor overwrites the contents.
struct NodeFiles {
  Manifest manifest;
  std::map<std::string, std::string> contents;  // by path on the node
  ~NodeFiles();
};

// Reads the whole backup and checks it. Passes the snapshot's bytes to `on_snapshot`, which may be
// empty. Throws the errors of ReadBackup.
NodeFiles ReadNodeFiles(const RestoreRequest& request, const RestoreDeps& deps,
                        const base::TakeBytes& on_snapshot = {});

// The identity of the etcd member in the backup: --name and --initial-advertise-peer-urls of etcd's
// manifest.
struct EtcdIdentity {
  std::string name;
  std::string peer_url;
};

// Reads the identity from the arguments of etcd's Pod. Throws base::Error(kInvalid), naming `path`,
// if one of the arguments is missing.
EtcdIdentity IdentityOf(const json::Value& pod, const std::string& path);

// A snapshot to restore, as the data of a single member.
struct SnapshotToRestore {
  host::fs::path snapshot;   // in the format of `etcdctl snapshot save`
  host::fs::path directory;  // a new data directory
  EtcdIdentity identity;
  // A string that is unique to this restore. The new cluster's id is derived from it.
  std::string token;
  std::int64_t bump;  // RevisionBump
};

// Restores the snapshot with etcdutl. The revision is raised and marked as compacted. Throws
// base::Error(kOther) with the program's output if it fails.
void RestoreSnapshot(EtcdTools& tools, const SnapshotToRestore& restored,
                     const std::stop_token& stop);

// Returns the identity of the backup's etcd member; std::nullopt for an external etcd. Throws
// base::Error(kInvalid) if the Pod manifest of etcd lacks --name or --initial-advertise-peer-urls.
std::optional<EtcdIdentity> ReadEtcdIdentity(const NodeFiles& files);

// Returns etcd's Pod with --initial-cluster naming only this member, and without
// --initial-cluster-state.
json::Value AsOnlyMember(json::Value pod, const EtcdIdentity& identity);

// Starts the kubelet. Waits until all components that have a manifest on this node serve. Throws
// base::Error(kTimeout), with a diagnosis, if a component does not serve within `deps.limit`.
void StartControlPlane(engine::StepContext& context, const RestoreDeps& deps);

// Checks the preconditions of a restore, and throws base::Error before any change. A restore of pki
// or config alone throws only kConflict, if a file of the backup exists with other content. The
// errors of every other restore are:
// kConflict: etcd runs or has data on this node; the kubelet runs during a restore of etcd alone;
// or the other etcd members of the backup's cluster have a majority.
// kInvalid: the backup's etcd is external, or its etcdutl cannot raise the revision.
// kOther: the disk has too little space.
// The errors of cri::Runtime.
//
// A restore of all parts also throws kConflict if this node belongs to a cluster, and kNotFound if
// it has no kubelet. It throws kInvalid if this host lacks the address or the name of the backup's
// node, or if its kubelet has an unsuitable version. If `interrupted` is true, files and data of
// the interrupted restore are accepted.
void RequireRestorable(const NodeFiles& files, const RestoreRequest& request,
                       const RestoreDeps& deps, bool interrupted);

// Returns the steps of the restore.
engine::Operation PlanRestore(const Manifest& manifest, const RestoreRequest& request,
                              const RestoreDeps& deps);

// Loads the journal of an interrupted restore of this backup. Throws base::Error(kConflict) if
// another backup, or another part, was being restored.
std::optional<engine::Journal> LoadInterruptedRestore(const host::Files& files,
                                                      const engine::Operation& operation);

// Describes the backup to the user, as an introduction to the plan's steps.
std::string DescribeBackup(const Manifest& manifest);

}  // namespace backup
