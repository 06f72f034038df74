// SPDX-License-Identifier: Apache-2.0
// Helpers of the judgement's tests: tables of defects of a valid request, and outcomes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "judgement/fake_world.h"

namespace judgement {

inline constexpr const char* kClientOk = "approve client-ok";
inline constexpr const char* kServingOk = "approve serving-machine-ok";
inline constexpr const char* kNoMachine = "retry client-no-machine-with-internal-dns";
inline constexpr const char* kExhausted = "retry serving-exhausted";
inline constexpr const char* kNotServing = "ignore serving-not-a-node-user";

using Spoil = std::function<void(FakeWorld&)>;

// A change of a valid world, and the resulting FakeWorld::Outcome.
struct Case {
  std::string name;
  Spoil spoil;
  std::string want;
};

inline void Check(const std::function<FakeWorld()>& make, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    FakeWorld world = make();
    c.spoil(world);
    EXPECT_EQ(world.Outcome(), c.want) << c.name;
  }
}

inline std::vector<pki::FakeAttribute> Subject(std::vector<std::string> organizations,
                                               std::vector<std::string> names) {
  std::vector<pki::FakeAttribute> subject;
  for (std::string& text : organizations) {
    subject.push_back({pki::kFakeOrganization, std::move(text)});
  }
  for (std::string& text : names) {
    subject.push_back({pki::kFakeCommonName, std::move(text)});
  }
  return subject;
}

inline void AskFor(FakeWorld& world, const std::string& node) {
  world.request.subject = Subject({"system:nodes"}, {"system:node:" + node});
}

}  // namespace judgement
