// SPDX-License-Identifier: Apache-2.0
#include "preflight/image_pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/fake_error.h"
#include "cri/fake_runtime.h"
#include "host/fake_host.h"
#include "http/fake_server.h"
#include "preflight/lists.h"

namespace preflight {
namespace {

using checks::Severity;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using What = PullEvent::What;

// Each connection is a new fake; the calls of all are collected.
class ImagePullTest : public testing::Test {
 protected:
  class Connection : public cri::FakeRuntime {
   public:
    explicit Connection(std::vector<std::string>& calls) : all_(calls) {}
    ~Connection() override {
      static std::mutex mutex;
      const std::lock_guard lock(mutex);
      for (const std::string& call : calls()) {
        if (call.starts_with("PullImage")) {
          all_.push_back(call);
        }
      }
    }

   private:
    std::vector<std::string>& all_;
  };

  ImagePullTest() {
    input_.images = {"a:1", "b:2"};
    input_.endpoint = "unix:///x";
    input_.pause_image = "pause:1";
    input_.on_event = [this](const PullEvent& event) { events_.push_back(event); };
  }

  // The errors of one pull.
  std::vector<std::string> Pull() {
    const checks::Findings findings = PullImages(
        [this](const std::string&) {
          auto runtime = std::make_unique<Connection>(pulls_);
          prepare_(*runtime);
          return runtime;
        },
        input_, clock_, {});
    EXPECT_THAT(checks::WhatOf(findings, Severity::kWarning), IsEmpty());
    return checks::WhatOf(findings, Severity::kError);
  }

  std::vector<What> Events(const std::string& image) const {
    std::vector<What> what;
    for (const PullEvent& event : events_) {
      if (event.image == image) {
        what.push_back(event.what);
      }
    }
    return what;
  }

  host::FakeClock clock_;
  PullInput input_;
  std::vector<PullEvent> events_;
  std::vector<std::string> pulls_;
  std::function<void(cri::FakeRuntime&)> prepare_ = [](cri::FakeRuntime&) {};
};

TEST_F(ImagePullTest, DoesNotPullPresentImages) {
  prepare_ = [](cri::FakeRuntime& runtime) { runtime.images = {"a:1"}; };
  EXPECT_THAT(Pull(), IsEmpty());
  EXPECT_THAT(pulls_, ElementsAre("PullImage b:2"));
  EXPECT_THAT(Events("a:1"), ElementsAre(What::kPresent));
  EXPECT_THAT(Events("b:2"), ElementsAre(What::kStarted, What::kPulled));
}

TEST_F(ImagePullTest, FollowsThePoliciesAlwaysAndNever) {
  prepare_ = [](cri::FakeRuntime& runtime) { runtime.images = {"a:1"}; };
  input_.policy = "Always";
  EXPECT_THAT(Pull(), IsEmpty());
  EXPECT_THAT(pulls_, ElementsAre("PullImage a:1", "PullImage b:2"));
  pulls_.clear();
  input_.policy = "Never";
  EXPECT_THAT(Pull(), IsEmpty());
  EXPECT_THAT(pulls_, IsEmpty());
}

TEST_F(ImagePullTest, AnotherPolicyIsAnError) {
  input_.policy = "Sometimes";
  EXPECT_THAT(Pull(), ElementsAre(HasSubstr("\"Sometimes\"")));
}

TEST_F(ImagePullTest, RetriesAFailure) {
  prepare_ = [](cri::FakeRuntime& runtime) {
    runtime.Fail("PullImage a:1", base::Error("reset by peer"), 4);
  };
  EXPECT_THAT(Pull(), IsEmpty());
  EXPECT_THAT(Events("a:1"),
              ElementsAre(What::kStarted, What::kFailedOnce, What::kStarted, What::kFailedOnce,
                          What::kStarted, What::kFailedOnce, What::kStarted, What::kFailedOnce,
                          What::kStarted, What::kPulled));
}

TEST_F(ImagePullTest, FailsAfterFiveAttemptsAndContinuesWithTheOthers) {
  prepare_ = [](cri::FakeRuntime& runtime) {
    runtime.Fail("PullImage a:1", base::Error("reset by peer"), 9);
  };
  EXPECT_THAT(Pull(), ElementsAre("failed to pull image a:1: reset by peer"));
  EXPECT_EQ(std::ranges::count(pulls_, "PullImage a:1"), kPullAttempts);
  EXPECT_THAT(Events("b:2"), ElementsAre(What::kStarted, What::kPulled));
}

TEST_F(ImagePullTest, StopsAfterAnUnreachableRegistry) {
  input_.images = {"far/a:1", "far/b:2", "near/c:3"};
  prepare_ = [](cri::FakeRuntime& runtime) {
    runtime.Fail("PullImage far/a:1",
                 base::Error(base::Error::Kind::kOther, "dial tcp: lookup far: i/o timeout"), 9);
  };
  EXPECT_THAT(Pull(), ElementsAre(HasSubstr("lookup far: i/o timeout"),
                                  HasSubstr("far/b:2: registry far cannot be reached")));
  EXPECT_THAT(pulls_, testing::Contains("PullImage near/c:3"));
  EXPECT_THAT(pulls_, testing::Not(testing::Contains("PullImage far/b:2")));
}

TEST_F(ImagePullTest, DoesNotRetryAPermanentError) {
  prepare_ = [](cri::FakeRuntime& runtime) {
    runtime.Fail("PullImage a:1", base::Error(base::Error::Kind::kNotFound, "no such image"), 9);
  };
  EXPECT_EQ(Pull().size(), 1U);
  EXPECT_THAT(Events("a:1"), ElementsAre(What::kStarted, What::kFailed));
}

TEST_F(ImagePullTest, ReportsAllFailuresAsOneError) {
  input_.serial = false;
  prepare_ = [](cri::FakeRuntime& runtime) {
    runtime.Fail("PullImage", base::Error(base::Error::Kind::kNotFound, "gone"), 99);
  };
  EXPECT_THAT(Pull(),
              ElementsAre("failed to pull image a:1: gone; failed to pull image b:2: gone"));
  prepare_ = [](cri::FakeRuntime&) {};
  pulls_.clear();
  EXPECT_THAT(Pull(), IsEmpty());
  EXPECT_THAT(pulls_, UnorderedElementsAre("PullImage a:1", "PullImage b:2"));
}

TEST_F(ImagePullTest, ReportsOneErrorWithoutARuntime) {
  prepare_ = [](cri::FakeRuntime& runtime) {
    runtime.Fail("Version", base::Error(base::Error::Kind::kUnavailable, "nobody"), 9);
  };
  for (const char* policy : {"", "Never"}) {
    input_.policy = policy;
    EXPECT_THAT(Pull(), ElementsAre(HasSubstr("nobody"))) << policy;
  }
}

TEST_F(ImagePullTest, LogsAnotherPauseImage) {
  prepare_ = [](cri::FakeRuntime& runtime) { runtime.status.sandbox_image = "pause:0"; };
  testing::internal::CaptureStderr();
  EXPECT_THAT(Pull(), IsEmpty());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("pause:0"));
  prepare_ = [](cri::FakeRuntime& runtime) { runtime.Fail("Status", base::Error("no idea"), 9); };
  testing::internal::CaptureStderr();
  EXPECT_THAT(Pull(), IsEmpty());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no idea"));
}

TEST(IsPermanentTest, TransientErrorsAreNotPermanent) {
  using Kind = base::Error::Kind;
  const std::pair<Kind, bool> cases[] = {{Kind::kOther, false},       {Kind::kTimeout, false},
                                         {Kind::kUnavailable, false}, {Kind::kNotFound, true},
                                         {Kind::kForbidden, true},    {Kind::kUnauthorized, true},
                                         {Kind::kInvalid, true}};
  for (const auto& [kind, permanent] : cases) {
    EXPECT_EQ(IsPermanent(base::Error(kind, "")), permanent) << static_cast<int>(kind);
  }
}

TEST(ImagePullInputTest, FollowsTheConfiguration) {
  config::ClusterConfiguration cluster;
  cluster.kubernetes_version = "v1.36.3";
  cluster.image_repository = "reg.example.org";
  cluster.etcd.local.emplace();
  config::NodeRegistration node;
  node.cri_socket = "unix:///x";
  node.image_pull_policy = "Always";
  node.image_pull_serial = false;
  const PullInput input = ImagePullInput(cluster, node);
  EXPECT_EQ(input.images.size(), 7U);
  EXPECT_EQ(input.pause_image, "reg.example.org/pause:3.10.2");
  EXPECT_EQ(input.policy, "Always");
  EXPECT_FALSE(input.serial);
  EXPECT_TRUE(ImagePullInput(cluster, {}).serial);
}

TEST(ImagePullCheckTest, ReportsAnInvalidPolicyAsOneFinding) {
  const host::FakeClock clock;
  const auto checks =
      ImagePullCheck([](const std::string&) { return std::make_unique<cri::FakeRuntime>(); },
                     {.policy = "x"}, clock);
  EXPECT_THAT(checks::RunChecks(checks),
              ElementsAre(testing::Field(&checks::Finding::id, "ImagePull")));
}

class ExternalEtcdTest : public testing::Test {
 protected:
  std::vector<std::string> Check(std::vector<std::string> endpoints) {
    return checks::WhatOf(CheckExternalEtcd(fake_.host, {.endpoints = std::move(endpoints)}),
                          Severity::kError);
  }
  host::FakeHost fake_;
};

TEST_F(ExternalEtcdTest, QueriesEveryEndpoint) {
  http::FakeServer good([](const http::FakeRequest& request) {
    return http::FakeReply{.body = request.path == "/version" ? R"({"etcdserver":"3.6.8"})" : ""};
  });
  http::FakeServer old([](const http::FakeRequest&) {
    return http::FakeReply{.body = R"({"etcdserver":"3.4.0"})"};
  });
  EXPECT_THAT(Check({good.Url(), good.Url() + "/"}), IsEmpty());
  EXPECT_THAT(Check({old.Url(), good.Url()}), ElementsAre(HasSubstr(old.Url())));
}

TEST_F(ExternalEtcdTest, RetriesServerErrors) {
  std::atomic<int> asked = 0;
  http::FakeServer server([&](const http::FakeRequest&) {
    return ++asked < 4 ? http::FakeReply{.status = 503}
                       : http::FakeReply{.body = R"({"etcdserver":"3.6.8"})"};
  });
  EXPECT_THAT(Check({server.Url()}), IsEmpty());
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(fake_.clock.Steady().time_since_epoch(), std::chrono::seconds(15));
}

TEST_F(ExternalEtcdTest, FailsAfterFourAttempts) {
  std::atomic<int> asked = 0;
  http::FakeServer server([&](const http::FakeRequest&) {
    ++asked;
    return http::FakeReply{.status = 500};
  });
  EXPECT_THAT(Check({server.Url()}), ElementsAre(HasSubstr("500")));
  EXPECT_EQ(asked, 4);
}

TEST_F(ExternalEtcdTest, ReportsAnUnreachableEtcd) {
  std::string url;
  {
    http::FakeServer server([](const http::FakeRequest&) { return http::FakeReply{}; });
    url = server.Url();
  }
  EXPECT_THAT(Check({url}), ElementsAre(HasSubstr(url)));
}

TEST_F(ExternalEtcdTest, NamesUnusableFilesWithoutRetry) {
  fake_.files.Write("/etcd/empty.crt", "", {});
  fake_.files.Write("/etcd/blank.crt", " \n\n", {});
  fake_.files.Write("/etcd/garbage.crt", "not a certificate\n", {});
  fake_.files.MakeDirectories("/etcd/directory", 0755);
  ASSERT_EQ(::mkfifo(fake_.files.Location("/etcd/pipe").c_str(), 0600), 0);
  struct Case {
    const char* name;
    const char* want;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"empty.crt", "/etcd/empty.crt is empty"},
                                   {"blank.crt", "/etcd/blank.crt is empty"},
                                   {"garbage.crt", "/etcd/garbage.crt: "},
                                   {"directory", "/etcd/directory is a directory, no file"},
                                   {"pipe", "/etcd/pipe is a pipe, no file"}}) {
    const std::string path = std::string("/etcd/") + c.name;
    struct Named {
      const char* what;
      config::ExternalEtcd etcd;
    };
    for (const Named& named : std::initializer_list<Named>{
             {"CA certificate", {.endpoints = {"https://e:1"}, .ca_file = path}},
             {"client certificate", {.endpoints = {"https://e:1"}, .cert_file = path}},
             {"client key", {.endpoints = {"https://e:1"}, .key_file = path}}}) {
      const base::Error error = base::Thrown([&] { CheckExternalEtcd(fake_.host, named.etcd); });
      EXPECT_THAT(error.message(),
                  AllOf(HasSubstr(std::string("couldn't load external etcd's ") + named.what),
                        HasSubstr(c.want)));
    }
  }
  EXPECT_EQ(fake_.clock.Steady().time_since_epoch(), std::chrono::seconds(0)) << "nobody was asked";
}

TEST_F(ExternalEtcdTest, CertificatesThatAreMissingAreNamed) {
  const base::Error error = base::Thrown([&] {
    CheckExternalEtcd(fake_.host, {.endpoints = {"https://e:1"}, .ca_file = "/no/ca.crt"});
  });
  EXPECT_THAT(error.what(), HasSubstr("/no/ca.crt"));
}

}  // namespace
}  // namespace preflight
