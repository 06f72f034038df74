// SPDX-License-Identifier: Apache-2.0
#include "upgrade/component_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upgrade {
namespace {

using testing::ElementsAre;

TEST(ComponentStates, ListBothGroupsEvenIfNoneIsStored) {
  EXPECT_THAT(ComponentStates({}),
              ElementsAre(ComponentState{"kubeproxy.config.k8s.io", "", "v1alpha1", false},
                          ComponentState{"kubelet.config.k8s.io", "", "v1beta1", false}));
}

struct Row {
  std::string text;
  bool generated;
  std::string current;
  bool manual;
};

TEST(ComponentStates, AskForManualWorkOnlyWhereTheUserWroteAnotherVersion) {
  const Row rows[] = {{"apiVersion: kubelet.config.k8s.io/v1beta1", false, "v1beta1", false},
                      {"apiVersion: kubelet.config.k8s.io/v1alpha9", false, "v1alpha9", true},
                      {"apiVersion: kubelet.config.k8s.io/v1alpha9", true, "v1alpha9", false},
                      {"apiVersion: [", false, "", true}};
  for (const Row& row : rows) {
    config::StoredConfig stored;
    stored.kubelet = {.text = row.text, .generated = row.generated};
    EXPECT_EQ(ComponentStates(stored)[1],
              (ComponentState{"kubelet.config.k8s.io", row.current, "v1beta1", row.manual}))
        << row.text;
  }
}

}  // namespace
}  // namespace upgrade
