// SPDX-License-Identifier: Apache-2.0
#include "evidence/kubelet_dials.h"

#include <gtest/gtest.h>

namespace evidence {
namespace {

using judgement::Dialled;
using std::chrono::milliseconds;

class KubeletDialsTest : public testing::Test {
 protected:
  // Dials a kubelet that answers after `takes`: with a certificate if `shows` is set, else with a
  // failure. Returns whether the kubelet was dialled.
  bool Dialled(const std::string& node, milliseconds takes, bool shows = false) {
    bool asked = false;
    dials_.Dial(node, [&] {
      asked = true;
      now_ += takes;
      return shows ? judgement::Dialled() : std::unexpected("silent");
    });
    return asked;
  }

  KubeletDials::Time now_{};
  KubeletDials dials_{[this] { return now_; }};
};

TEST_F(KubeletDialsTest, WaitsTenTimesTheDurationOfAFailedDial) {
  EXPECT_TRUE(Dialled("a", milliseconds(5000)));
  now_ += milliseconds(49'999);
  EXPECT_FALSE(Dialled("a", {}));
  EXPECT_TRUE(Dialled("b", {})) << "others do not";
  now_ += milliseconds(1);
  EXPECT_TRUE(Dialled("a", milliseconds(60'000)));
  now_ += std::chrono::minutes(1);
  EXPECT_TRUE(Dialled("a", {})) << "a minute at most";
}

TEST_F(KubeletDialsTest, RetriesAtOnceAfterAnImmediateRefusal) {
  EXPECT_TRUE(Dialled("a", milliseconds(1)));
  now_ += milliseconds(10);
  EXPECT_TRUE(Dialled("a", milliseconds(1)));
}

TEST_F(KubeletDialsTest, DialsAgainAtOnceAfterACertificate) {
  EXPECT_TRUE(Dialled("a", milliseconds(5000), true));
  EXPECT_TRUE(Dialled("a", milliseconds(5000), true));
  EXPECT_EQ(dials_.resting(), 0U);
}

TEST_F(KubeletDialsTest, RemovesNodesWhosePauseIsOver) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(Dialled("node-" + std::to_string(i), milliseconds(1)));
    now_ += milliseconds(10);
  }
  EXPECT_LE(dials_.resting(), 2U);
}

}  // namespace
}  // namespace evidence
