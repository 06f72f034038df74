// SPDX-License-Identifier: Apache-2.0
#include "kube/in_cluster.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

#include "base/error.h"
#include "host/fake_host.h"

namespace kube {
namespace {

std::string ServerFor(const std::string& address) {
  host::FakeHost fake;
  fake.environment.variables = {{"KUBERNETES_SERVICE_HOST", address},
                                {"KUBERNETES_SERVICE_PORT", "443"}};
  return PodConfig(fake.host, "give a kubeconfig").clusters.at("pod").server;
}

TEST(PodConfig, PointsToTheServiceOfTheCluster) {
  EXPECT_EQ(ServerFor("10.96.0.1"), "https://10.96.0.1:443");
  EXPECT_EQ(ServerFor("fd00::1"), "https://[fd00::1]:443");
  EXPECT_THROW(ServerFor(""), base::Error) << "this is not a Pod";
}

// Fails each call with an error of this kind. Answers if the kind is std::nullopt.
class FailingTransport : public Transport {
 public:
  explicit FailingTransport(const std::optional<base::Error::Kind>& kind) : kind_(kind) {}
  json::Value Do(const Call& /*call*/, std::stop_token /*stop*/) override {
    return Answer(), nullptr;
  }
  std::string GetPath(const std::string& /*path*/, std::stop_token /*stop*/) override {
    return Answer(), "ok";
  }
  void Watch(const Call& /*call*/, const std::string& /*resource_version*/,
             const OnEvent& /*on_event*/, std::stop_token /*stop*/) override {
    Answer();
  }

 private:
  void Answer() const {
    if (kind_) {
      throw base::Error(*kind_, "no");
    }
  }
  const std::optional<base::Error::Kind>& kind_;
};

class FreshTransportTest : public testing::Test {
 protected:
  void Ask(std::optional<base::Error::Kind> kind) {
    kind_ = kind;
    try {
      transport_->GetPath("/livez", {});
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), kind_);
    }
  }

  host::FakeClock clock_;
  std::optional<base::Error::Kind> kind_;
  int connections_ = 0;
  std::shared_ptr<Transport> transport_ = MakeFreshTransport(
      [this] {
        ++connections_;
        return std::make_unique<FailingTransport>(kind_);
      },
      clock_);
};

TEST_F(FreshTransportTest, ReconnectsAfterFiveMinutes) {
  clock_.Advance(std::chrono::minutes(5));
  Ask({});
  EXPECT_EQ(connections_, 1);
  clock_.Advance(std::chrono::seconds(1));
  Ask({});
  Ask({});
  EXPECT_EQ(connections_, 2);
}

TEST_F(FreshTransportTest, ReconnectsAfterARefusedLogin) {
  Ask(base::Error::Kind::kUnauthorized);
  Ask({});
  EXPECT_EQ(connections_, 2);
  Ask(base::Error::Kind::kForbidden);
  Ask({});
  EXPECT_EQ(connections_, 2) << "another token would not help";
}

TEST_F(FreshTransportTest, ReconnectsToAnUnavailableServerAtMostEveryTenSeconds) {
  for (int second = 0; second <= 30; ++second) {
    Ask(base::Error::Kind::kUnavailable);
    clock_.Advance(std::chrono::seconds(1));
  }
  EXPECT_EQ(connections_, 3);
}

}  // namespace
}  // namespace kube
