// SPDX-License-Identifier: Apache-2.0
#include "objects/admin.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "host/fake_host.h"
#include "kube/fake_cluster.h"

namespace objects {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

// The two kubeconfigs of a new cluster. Their users have the tokens "admin" and "super".
class Admin : public kube::FakeCluster {
 protected:
  Admin() {
    Write("/etc/kubernetes/admin.conf", "admin");
    Write("/etc/kubernetes/super-admin.conf", "super");
  }
  void Write(const std::string& path, const std::string& token) {
    kube::Kubeconfig config = server_.Config();
    config.clusters.begin()->second.server = "https://lb.example.org:6443";
    config.users.begin()->second.token = token;
    fake_.files.Write(path, config.Text(), {});
  }
  // Returns the token of the connected user.
  std::string Connected(const kube::RetryPolicy& retry = Once()) {
    std::map<kube::Transport*, std::string> tokens;
    const auto connect = [&](const kube::Kubeconfig& config) {
      EXPECT_EQ(config.CurrentCluster()->server, "https://10.0.0.1:6443");
      std::shared_ptr<kube::Transport> transport = server_.NewTransport();
      tokens[transport.get()] = config.CurrentUser()->token;
      asked_.push_back(config.CurrentUser()->token);
      return transport;
    };
    return tokens[ConnectAsAdmin(fake_.host,
                                 {.admin = "/etc/kubernetes/admin.conf",
                                  .super_admin = "/etc/kubernetes/super-admin.conf",
                                  .server = "https://10.0.0.1:6443"},
                                 connect, retry)
                      .get()];
  }
  void Forbid(int times) {
    server_.Inject({.what = "POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                    .status = 403,
                    .reason = "Forbidden",
                    .message = "no",
                    .times = times});
  }
  host::FakeHost fake_;
  std::vector<std::string> asked_;
};

TEST_F(Admin, NeedsNoSuperAdminIfItMayBind) {
  EXPECT_EQ(Connected(), "admin");
  EXPECT_THAT(asked_, ElementsAre("admin"));
  EXPECT_EQ(
      Stored(kube::resources::kClusterRoleBinding, "kubeadm:cluster-admins")["roleRef"]["name"],
      "cluster-admin");
  EXPECT_EQ(Connected(), "admin");  // the binding exists by now
}

TEST_F(Admin, IsGrantedItsRightsByTheSuperAdmin) {
  Forbid(1);
  EXPECT_EQ(Connected(), "admin");
  EXPECT_THAT(asked_, ElementsAre("admin", "super"));
}

TEST_F(Admin, FailsWithoutASuperAdmin) {
  Forbid(-1);
  EXPECT_THAT(base::MessageOf([&] { Connected(); }), HasSubstr("super-admin.conf"));
  fake_.files.Remove("/etc/kubernetes/super-admin.conf");
  EXPECT_THAT(base::MessageOf([&] { Connected(); }), HasSubstr("super-admin.conf"));
  fake_.files.Remove("/etc/kubernetes/admin.conf");
  EXPECT_THAT(base::MessageOf([&] { Connected(); }), HasSubstr("/etc/kubernetes/admin.conf"));
}

TEST_F(Admin, HasOneTimeLimitForBothConnections) {
  const auto busy = [&](int status, std::string reason, int times) {
    server_.Inject({.what = "POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                    .status = status,
                    .reason = std::move(reason),
                    .message = "no",
                    .times = times});
  };
  busy(503, "ServiceUnavailable", 300);
  busy(403, "Forbidden", 1);
  busy(503, "ServiceUnavailable", -1);
  const auto begin = fake_.clock.Steady();
  EXPECT_THAT(base::MessageOf([&] { Connected({.limit = 4min}); }), HasSubstr("no"));
  EXPECT_THAT(asked_, ElementsAre("admin", "super"));
  EXPECT_LT(fake_.clock.Steady() - begin, 5min);
}

// A new API server, which forbids the administrator's requests at first.
class NewServer : public Admin {
 protected:
  NewServer() {
    for (const char* name : {"kube-system", "kube-public"}) {
      server_.Put(kube::resources::kNamespace, {{"metadata", {{"name", name}}}});
    }
  }
  void ForbidNamespaces(int times) {
    server_.Inject({.what = "GET /api/v1/namespaces/kube-system",
                    .status = 403,
                    .reason = "Forbidden",
                    .message = "not yet",
                    .times = times});
  }
  void Wait(std::stop_token stop = {}) {
    WaitForBuiltIns(server_.NewTransport(), fake_.clock, {.limit = 4min}, std::move(stop));
  }
};

TEST_F(NewServer, IsAwaitedUntilItAuthorizesItsAdministrator) {
  ForbidNamespaces(2'000);
  Wait();
  EXPECT_EQ(server_.Requests().size(), 2'002U);
}

TEST_F(NewServer, IsGivenUpAfterTheTimeout) {
  ForbidNamespaces(-1);
  EXPECT_THAT(base::MessageOf([&] { Wait(); }, base::Error::Kind::kUnavailable),
              AllOf(HasSubstr("not ready for its administrator"), HasSubstr("not yet")));
}

TEST_F(NewServer, IsNotWaitedForAfterAStop) {
  ForbidNamespaces(-1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(Wait(stop.get_token()), base::Interrupted);
}

}  // namespace
}  // namespace objects
