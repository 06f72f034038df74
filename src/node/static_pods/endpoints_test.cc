// SPDX-License-Identifier: Apache-2.0
#include "static_pods/endpoints.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "host/fake_host.h"

namespace static_pods {
namespace {

using components::Component;

json::Value PodWith(std::vector<std::string> words) {
  return {{"spec", {{"containers", json::Value::array({{{"command", std::move(words)}}})}}}};
}

TEST(EndpointOf, ReadsTheFlags) {
  struct Case {
    Component component;
    std::vector<std::string> words;
    std::string want;
  };
  const config::ApiEndpoint local{.advertise_address = "10.0.0.1", .bind_port = 6443};
  for (const Case& c : std::initializer_list<Case>{
           {Component::kApiServer, {}, "https://10.0.0.1:6443/livez"},
           {Component::kApiServer,
            {"--advertise-address=fd00::1", "--secure-port=7443"},
            "https://[fd00::1]:7443/livez"},
           {Component::kControllerManager, {}, "https://127.0.0.1:10257/healthz"},
           {Component::kControllerManager,
            {"--bind-address=10.0.0.2", "--secure-port=1", "--secure-port=2"},
            "https://10.0.0.2:2/healthz"},
           {Component::kScheduler, {"--bind-address=::1"}, "https://[::1]:10259/livez"}}) {
    EXPECT_EQ(EndpointOf(c.component, PodWith(c.words), local).Url(), c.want);
  }
}

TEST(ComponentEndpoints, ComeFromTheManifests) {
  host::FakeHost fake;
  for (const Component component : components::kControlPlane) {
    WriteManifest(fake.files, component, PodWith({std::string(Name(component))}));
  }
  EXPECT_EQ(ComponentEndpoints(fake.files, {.advertise_address = "10.0.0.1"}).size(), 3U);
  fake.files.Remove(ManifestPath(Component::kScheduler));
  EXPECT_THAT(base::MessageOf([&] { ComponentEndpoints(fake.files, {}); }),
              testing::HasSubstr("kube-scheduler.yaml"));
}

}  // namespace
}  // namespace static_pods
