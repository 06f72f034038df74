#include "cluster/admin.h"

#include <fmt/core.h>

#include "base/error.h"
#include "cluster/rbac.h"
#include "kube/exec_plugin.h"

namespace cluster {
namespace {

using base::Error;
using kube::resources::kClusterRoleBinding;

enum class Outcome { kDone, kForbidden };

// TryBinding writes the binding. Only "forbidden" is an answer that trying again does not change;
// the server may still be coming up.
Outcome TryBinding(std::shared_ptr<kube::Transport> transport, kube::RetryPolicy retry) {
  kube::Client client(std::move(transport), retry);
  Outcome outcome = Outcome::kDone;
  client.Retry(fmt::format("could not create ClusterRoleBinding \"{}\"", kAdminsGroup), [&] {
    try {
      client.Create(kClusterRoleBinding, AdminBinding());
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kForbidden) {
        outcome = Outcome::kForbidden;
      } else if (error.kind() != Error::Kind::kAlreadyExists) {
        throw;
      }
    }
  });
  return outcome;
}

// FileReader takes the place of a file's name by its content; names are relative to the kubeconfig.
// Which of both would count nobody should have to guess.
class FileReader {
 public:
  FileReader(const host::Files& files, host::fs::path folder)
      : files_(files), folder_(std::move(folder)) {}
  // A file that is read when it is needed, since its content changes.
  void Locate(std::string& name) const { name = name.empty() ? "" : (folder_ / name).string(); }
  void ReadIn(std::string& data, std::string& name) const {
    if (!data.empty() && !name.empty()) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("file {} is named although its content is given as data", name));
    }
    if (!name.empty()) {
      data = files_.Read(folder_ / name);
    }
    name.clear();
  }

 private:
  const host::Files& files_;
  host::fs::path folder_;
};

}  // namespace

json::Value AdminBinding() {
  return ObjectOf({.name = kAdminsGroup,
                   .role = "cluster-admin",
                   .subjects = {{.kind = "Group", .name = kAdminsGroup}}});
}

kube::Kubeconfig LoadKubeconfig(const host::Files& files, const host::fs::path& path) {
  const std::string text = files.Read(path);
  return base::WithContext(path.string(), [&] {
    kube::Kubeconfig config = kube::Kubeconfig::Parse(text);
    const FileReader reader(files, path.parent_path());
    for (auto& [name, cluster] : config.clusters) {
      reader.ReadIn(cluster.certificate_authority_data, cluster.certificate_authority);
    }
    for (auto& [name, user] : config.users) {
      reader.ReadIn(user.client_certificate_data, user.client_certificate);
      reader.ReadIn(user.client_key_data, user.client_key);
      reader.Locate(user.token_file);
      kube::LocateProgram(user, path.parent_path());
    }
    return config;
  });
}

kube::Kubeconfig WithServer(kube::Kubeconfig config, const std::string& server) {
  for (auto& [name, cluster] : config.clusters) {
    cluster.server = server;
  }
  return config;
}

std::shared_ptr<kube::Transport> ConnectAsAdmin(const host::Files& files, const AdminFiles& paths,
                                                const Connect& connect, kube::RetryPolicy retry) {
  const auto admin = connect(WithServer(LoadKubeconfig(files, paths.admin), paths.server));
  if (TryBinding(admin, retry) == Outcome::kDone) {
    return admin;
  }
  const auto super = connect(WithServer(LoadKubeconfig(files, paths.super_admin), paths.server));
  if (TryBinding(super, retry) == Outcome::kForbidden) {
    throw Error(Error::Kind::kForbidden,
                fmt::format("neither {} nor {} may create ClusterRoleBinding \"{}\"",
                            paths.admin.string(), paths.super_admin.string(), kAdminsGroup));
  }
  return admin;
}

void AwaitBuiltIns(const std::shared_ptr<kube::Transport>& admin, kube::RetryPolicy retry) {
  kube::Client client(admin, retry);
  client.Retry("the new API server is not ready for its administrator", [&] {
    for (const char* name : {"kube-system", "kube-public"}) {
      try {
        client.Get(kube::resources::kNamespace, "", name);
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::kForbidden && error.kind() != Error::Kind::kNotFound) {
          throw;
        }
        throw Error(Error::Kind::kUnavailable, error.message());
      }
    }
  });
}

}  // namespace cluster
