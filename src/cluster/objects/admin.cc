// SPDX-License-Identifier: Apache-2.0
#include "objects/admin.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "kubeconfigs/load.h"
#include "objects/rbac.h"

namespace objects {
namespace {

using base::Error;
using kube::resources::kClusterRoleBinding;

// The longest pause between two polls. It is short, because the whole of `init` waits for the rules
// of the new server.
constexpr std::chrono::milliseconds kLongestPause{50};

enum class Outcome { kDone, kForbidden };

// Creates the binding of the administrators' group. Returns kForbidden if the server forbids this.
// Retries transient errors within the policy's limit, because the server may still be starting.
Outcome TryBinding(std::shared_ptr<kube::Transport> transport, host::Clock& clock,
                   kube::RetryPolicy retry, std::stop_token stop) {
  kube::Client client(std::move(transport), clock, std::move(retry), std::move(stop));
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

}  // namespace

json::Value AdminBinding() {
  return ObjectOf({.name = kAdminsGroup,
                   .role = "cluster-admin",
                   .subjects = {{.kind = "Group", .name = kAdminsGroup}}});
}

std::shared_ptr<kube::Transport> ConnectAsAdmin(const host::Host& host, const AdminFiles& paths,
                                                const Connect& connect,
                                                const kube::RetryPolicy& retry,
                                                const std::stop_token& stop) {
  const auto begin = host.clock.Steady();
  const auto admin = connect(
      kubeconfigs::WithServer(kubeconfigs::LoadKubeconfig(host.files, paths.admin), paths.server));
  if (TryBinding(admin, host.clock, retry, stop) == Outcome::kDone) {
    return admin;
  }
  const auto super = connect(kubeconfigs::WithServer(
      kubeconfigs::LoadKubeconfig(host.files, paths.super_admin), paths.server));
  const kube::RetryPolicy left = retry.LeftSince(begin, host.clock);
  if (TryBinding(super, host.clock, left, stop) == Outcome::kForbidden) {
    throw Error(Error::Kind::kForbidden,
                fmt::format("neither {} nor {} may create ClusterRoleBinding \"{}\"",
                            paths.admin.string(), paths.super_admin.string(), kAdminsGroup));
  }
  return admin;
}

void WaitForBuiltIns(const std::shared_ptr<kube::Transport>& admin, host::Clock& clock,
                     kube::RetryPolicy retry, std::stop_token stop) {
  retry.most = kLongestPause;
  kube::Client client(admin, clock, std::move(retry), std::move(stop));
  client.Retry("the new API server is not ready for its administrator", [&] {
    for (const char* name : {"kube-system", "kube-public"}) {
      try {
        client.Get({kube::resources::kNamespace, "", name});
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::kForbidden && error.kind() != Error::Kind::kNotFound) {
          throw;
        }
        throw Error(Error::Kind::kUnavailable, error.message());
      }
    }
  });
}

}  // namespace objects
