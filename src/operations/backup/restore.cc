// SPDX-License-Identifier: Apache-2.0
#include "backup/restore.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "backup/create.h"
#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/paths.h"
#include "host/link.h"
#include "host/new_file.h"
#include "host/renames.h"
#include "kubelet/service.h"
#include "node_identity/readdress/gather.h"
#include "static_pods/endpoints.h"
#include "static_pods/restart.h"
#include "static_pods/serving.h"
#include "static_pods/static_pod.h"
#include "workflow/state_file.h"
#include "yaml/yaml.h"

namespace backup {
namespace {

namespace fs = host::fs;
using base::Error;
using components::Component;
using engine::StepContext;

// A subdirectory of etcd's data directory, so that a rename can put the data in place.
constexpr std::string_view kRestoring = "restoring";
constexpr std::string_view kMember = "member";
constexpr std::chrono::minutes kSyncLimit{30};  // gigabytes, on a slow disk

fs::path ScratchPath() { return workflow::kRestoring; }

bool IsManifest(const std::string& path) {
  return std::ranges::any_of(components::kComponents, [&](Component component) {
    return components::ManifestPath(component) == path;
  });
}

// The steps of one restore. Functions of the engine hold a pointer to this object.
class Steps {
 public:
  Steps(Manifest manifest, RestoreRequest request, RestoreDeps deps)
      : manifest_(std::move(manifest)), request_(std::move(request)), deps_(std::move(deps)) {}

  void StopKubelet(StepContext& context) const;

  void WriteFiles(StepContext& context);
  void RestoreEtcd(StepContext& context);
  void StartControlPlane(StepContext& context);

  std::size_t CountFiles() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(manifest_.files, [&](const FileRecord& file) { return Has(file); }));
  }

 private:
  // Returns whether the snapshot is still needed.
  bool NeedsSnapshot() const {
    return !manifest_.etcd.external && (!request_.only || request_.only == Part::kEtcd) &&
           !deps_.host.files.Exists(fs::path(manifest_.etcd.data_directory) / kMember);
  }
  // Returns whether WriteFiles writes the file. In a restore without --only, a later step writes
  // the control plane's manifests.
  bool Has(const FileRecord& file) const {
    return request_.only ? file.part == *request_.only : !IsManifest(file.path);
  }
  const NodeFiles& Files();
  void RunEtcdutl(const EtcdIdentity& identity, const std::stop_token& stop) const;
  void Write(const FileRecord& file, StepContext& context);

  const Manifest manifest_;
  const RestoreRequest request_;
  const RestoreDeps deps_;
  std::optional<NodeFiles> files_;
};

// Pulls etcd's image before it stops the kubelet, so that a failed pull changes nothing.
void Steps::StopKubelet(StepContext& context) const {
  const std::unique_ptr<cri::Runtime> runtime = deps_.connect_runtime();
  if (const std::string& image = manifest_.etcd.image;
      NeedsSnapshot() && !runtime->HasImage(image)) {
    context.Say(fmt::format("Pulling {}", image));
    runtime->PullImage(image, context.Stop());
  }
  context.Say("Stopping the kubelet");
  kubelet::StopKubelet(deps_.host);
}

// Reads the backup once in each run, and writes the snapshot to the disk.
const NodeFiles& Steps::Files() {
  if (files_) {
    return *files_;
  }
  host::Files& files = deps_.host.files;
  std::optional<host::NewFile> snapshot;
  if (NeedsSnapshot()) {
    files.MakeDirectories(fs::path(workflow::kDirectory), 0700);
    files.MakeDirectories(ScratchPath(), 0700);
    snapshot.emplace(files, ScratchPath() / "snapshot.db");
  }
  NodeFiles read = ReadNodeFiles(request_, deps_, [&](std::string_view bytes) {
    if (snapshot) {
      snapshot->Append(bytes);
    }
  });
  if (read.manifest.id != manifest_.id) {
    throw Error(Error::Kind::kConflict, "the file of the backup was replaced by another one");
  }
  if (snapshot) {
    snapshot->Finish();
  }
  return files_.emplace(std::move(read));
}

void Steps::Write(const FileRecord& file, StepContext& context) {
  host::Files& files = deps_.host.files;
  if (!file.link.empty()) {
    context.BackupFile(file.path);
    files.MakeDirectories(fs::path(file.path).parent_path(), 0755);
    host::ReplaceByLink(files, file.path, file.link);
    return;
  }
  const auto mode = static_cast<unsigned>(file.mode);
  context.WriteFile(file.path, Files().contents.at(file.path), mode);
  files.SetMode(file.path, mode);
  if (file.owner != 0 || file.group != 0) {
    files.SetOwner(file.path, static_cast<unsigned>(file.owner), static_cast<unsigned>(file.group));
  }
}

void Steps::WriteFiles(StepContext& context) {
  std::size_t count = 0;
  for (const FileRecord& file : manifest_.files) {
    if (Has(file)) {
      Write(file, context);
      ++count;
    }
  }
  context.Say(fmt::format("{} files are restored", count));
}

void Steps::RestoreEtcd(StepContext& context) {
  host::Files& files = deps_.host.files;
  const fs::path data(manifest_.etcd.data_directory);
  // If the data exist, an interrupted run has already restored them.
  if (!files.Exists(data / kMember)) {
    const EtcdIdentity identity = ReadEtcdIdentity(Files()).value();
    files.MakeDirectories(data, 0700);
    files.RemoveTree(data / kRestoring);
    context.Say(fmt::format("Restoring etcd's data to {}", data.string()));
    RunEtcdutl(identity, context.Stop());
    host::Rename(files, data / kRestoring / kMember, data / kMember);
    RequireSuccess(deps_.host.processes.Run({"sync", "-f", data.string()}, {.timeout = kSyncLimit}),
                   "write etcd's data to the disk");
  }
  files.RemoveTree(data / kRestoring);
  files.RemoveTree(ScratchPath());
}

// Restores the data into the subdirectory kRestoring of the data directory.
void Steps::RunEtcdutl(const EtcdIdentity& identity, const std::stop_token& stop) const {
  const fs::path data(manifest_.etcd.data_directory);
  const std::unique_ptr<cri::Runtime> runtime = deps_.connect_runtime();
  const auto tools =
      ToolsOfImage(deps_.host, *runtime, manifest_.etcd.image, {ScratchPath(), data});
  RestoreSnapshot(*tools,
                  {.snapshot = ScratchPath() / "snapshot.db",
                   .directory = data / kRestoring,
                   .identity = identity,
                   .token = manifest_.id,
                   .bump = RevisionBump(deps_.host.clock.NowSeconds())},
                  stop);
}

void Steps::StartControlPlane(StepContext& context) {
  const NodeFiles& backup = Files();
  const std::optional<EtcdIdentity> identity = ReadEtcdIdentity(backup);
  for (const FileRecord& file : manifest_.files) {
    if (IsManifest(file.path) && identity &&
        file.path == components::ManifestPath(Component::kEtcd).string()) {
      const json::Value pod = yaml::Parse(backup.contents.at(file.path)).value;
      context.WriteFile(file.path, static_pods::Text(AsOnlyMember(pod, *identity)), 0600);
    } else if (IsManifest(file.path)) {
      Write(file, context);
    }
  }
  backup::StartControlPlane(context, deps_);
}

}  // namespace

void StartControlPlane(engine::StepContext& context, const RestoreDeps& deps) {
  const auto since = deps.host.clock.Now();
  context.RestartKubelet();
  context.Say("Waiting for the control plane of this node");
  const readdress::NodeFacts node = readdress::CollectNode(deps.host);
  const std::unique_ptr<cri::Runtime> runtime = deps.connect_runtime();
  static_pods::RestartContext restart =
      context.RestartBy(*runtime, static_pods::ServingProbes(deps.host, node.config.cluster,
                                                             node.config.init.local_api_endpoint));
  restart.limit = deps.limit;
  std::vector<static_pods::ComponentProbe> probes;
  for (const Component component : components::kComponents) {
    if (deps.host.files.Exists(components::ManifestPath(component))) {
      probes.push_back({.name = std::string(components::Name(component)),
                        .url = {},
                        .probe = static_pods::UntilAnswered(restart.probe_of(component))});
    }
  }
  static_pods::WaitForProbes(probes, since, restart);
}

NodeFiles::~NodeFiles() {
  for (auto& [path, content] : contents) {
    base::Wipe(content);
  }
}

NodeFiles ReadNodeFiles(const RestoreRequest& request, const RestoreDeps& deps,
                        const base::TakeBytes& on_snapshot) {
  NodeFiles read;
  std::map<std::string, std::string> by_name;
  std::string* present = nullptr;
  ReadBackup({.files = deps.host.files,
              .path = request.file,
              .buckets = BucketsOf(deps.host, deps.stop),
              .keys = request.keys,
              .progress = deps.progress,
              .stop = deps.stop},
             {.on_manifest =
                  [&](const Manifest& manifest) {
                    read.manifest = manifest;
                    return true;
                  },
              .on_file =
                  [&](const std::string& name) {
                    present = name == kSnapshotName ? nullptr : &by_name[name];
                  },
              .on_bytes =
                  [&](std::string_view bytes) {
                    if (present != nullptr) {
                      *present += bytes;
                    } else if (on_snapshot) {
                      on_snapshot(bytes);
                    }
                  }});
  for (const FileRecord& file : read.manifest.files) {
    if (file.link.empty()) {
      read.contents[file.path] = std::move(by_name[file.Name()]);
    }
  }
  return read;
}

std::optional<EtcdIdentity> ReadEtcdIdentity(const NodeFiles& files) {
  if (files.manifest.etcd.external) {
    return std::nullopt;
  }
  const std::string path = components::ManifestPath(Component::kEtcd).string();
  const auto found = files.contents.find(path);
  const json::Value pod =
      found == files.contents.end() ? json::Value() : yaml::Parse(found->second).value;
  return IdentityOf(pod, "the backup's " + path);
}

EtcdIdentity IdentityOf(const json::Value& pod, const std::string& path) {
  EtcdIdentity identity{
      .name = static_pods::CommandArg(pod, "name").value_or(""),
      .peer_url = base::Split(
          static_pods::CommandArg(pod, "initial-advertise-peer-urls").value_or(""), ',')[0]};
  if (identity.name.empty() || identity.peer_url.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} does not name etcd's member and its peer URL", path));
  }
  return identity;
}

std::int64_t RevisionBump(std::chrono::sys_seconds now) {
  constexpr std::int64_t kPerSecond = 10'000;
  constexpr std::int64_t kAtLeast = 1'000'000'000;  // if the clock was not set
  return std::max(kAtLeast, now.time_since_epoch().count() * kPerSecond);
}

void RestoreSnapshot(EtcdTools& tools, const SnapshotToRestore& restored,
                     const std::stop_token& stop) {
  const EtcdIdentity& identity = restored.identity;
  RequireSuccess(
      tools.Run(
          {"etcdutl", "snapshot", "restore", restored.snapshot.string(), "--data-dir",
           restored.directory.string(), "--name", identity.name, "--initial-cluster",
           fmt::format("{}={}", identity.name, identity.peer_url), "--initial-advertise-peer-urls",
           identity.peer_url, "--initial-cluster-token", restored.token, "--bump-revision",
           std::to_string(restored.bump), "--mark-compacted"},
          stop),
      "restore etcd's snapshot");
}

json::Value AsOnlyMember(json::Value pod, const EtcdIdentity& identity) {
  json::Value& command = pod["spec"]["containers"][0]["command"];
  json::Value changed = json::Value::array();
  for (const json::Value& word : command) {
    const std::string text = word.is_string() ? word.get<std::string>() : "";
    if (text.starts_with("--initial-cluster=")) {
      changed.push_back(fmt::format("--initial-cluster={}={}", identity.name, identity.peer_url));
    } else if (!text.starts_with("--initial-cluster-state=")) {
      changed.push_back(word);
    }
  }
  command = std::move(changed);
  return pod;
}

namespace {

// The result is unsigned because a hostile backup may name any revision.
std::uint64_t RevisionAfter(std::int64_t revision, std::chrono::sys_seconds now) {
  return static_cast<std::uint64_t>(revision) + static_cast<std::uint64_t>(RevisionBump(now));
}

}  // namespace

engine::Operation PlanRestore(const Manifest& manifest, const RestoreRequest& request,
                              const RestoreDeps& deps) {
  const auto steps = std::make_shared<Steps>(manifest, request, deps);
  const bool whole = !request.only;
  engine::Operation operation{
      .name = std::string(kRestoreOperation),
      .tag = "restore",
      .intent = {{"backup", manifest.id},
                 {"only", whole ? ""
                                : std::string(EnumNames(
                                      *request.only)[static_cast<std::size_t>(*request.only)])}},
      .facts = json::Value::object(),
      .steps = {}};
  const auto add = [&](std::string id, std::string line, void (Steps::*apply)(StepContext&)) {
    operation.steps.push_back(
        {.id = std::move(id),
         .line = std::move(line),
         .apply = [steps, apply](StepContext& context) { ((*steps).*apply)(context); }});
  };
  if (whole) {
    operation.steps.push_back(
        {.id = "kubelet-stop",
         .line = "pull etcd's image, if it is missing, and stop the kubelet",
         .apply = [steps](StepContext& context) { steps->StopKubelet(context); }});
  }
  if (whole || request.only != Part::kEtcd) {
    add("files", fmt::format("write {} files of the node", steps->CountFiles()),
        &Steps::WriteFiles);
  }
  if (!manifest.etcd.external && (whole || request.only == Part::kEtcd)) {
    add("etcd",
        fmt::format("restore etcd's data as its only member, to {}, with revisions above {}",
                    manifest.etcd.data_directory,
                    RevisionAfter(manifest.etcd.revision, deps.host.clock.NowSeconds())),
        &Steps::RestoreEtcd);
  }
  if (whole) {
    add("control-plane", "write the manifests, start the kubelet and wait for the control plane",
        &Steps::StartControlPlane);
  }
  return operation;
}

std::optional<engine::Journal> LoadInterruptedRestore(const host::Files& files,
                                                      const engine::Operation& operation) {
  std::optional<engine::Journal> journal = engine::LoadJournal(files, kRestoreOperation);
  if (journal && journal->intent != operation.intent) {
    throw Error(Error::Kind::kConflict,
                fmt::format("the restore of another backup, or of another part, was interrupted "
                            "here: finish it first, or remove its files by 'kubeadm reset' and "
                            "then {}",
                            engine::JournalPath(kRestoreOperation).string()));
  }
  return journal;
}

std::string DescribeBackup(const Manifest& manifest) {
  return fmt::format(
      "Backup of node {} ({}), Kubernetes {}, made at {:%Y-%m-%dT%H:%M:%SZ}\n"
      "  {} files, etcd {} at revision {}: {}\n",
      manifest.node.name, manifest.node.address, manifest.kubernetes_version, manifest.created,
      manifest.files.size(), manifest.etcd.version, manifest.etcd.revision,
      SizeText(static_cast<std::uint64_t>(manifest.etcd.snapshot)));
}

}  // namespace backup
