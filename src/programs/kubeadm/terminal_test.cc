// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/terminal.h"

#include <gtest/gtest.h>

#include <sstream>

#include "host/fake_host.h"

namespace kubeadm {
namespace {

TEST(Confirm, TakesYesInAnyCaseAndNothingElse) {
  struct Case {
    const char* answer;
    bool yes;
  };
  for (const Case& c :
       {Case{"y\n", true}, Case{"YES\n", true}, Case{"y", true}, Case{"y\r\n", true},
        Case{"", false}, Case{"\n", false}, Case{" y\n", false}, Case{"y \n", false},
        Case{"yep\n", false}, Case{"n\ny\n", false}}) {
    std::istringstream in(c.answer);
    std::ostringstream out;
    std::ostringstream err;
    cli::Streams streams{in, out, err};
    host::FakeSignals signals;
    EXPECT_EQ(Confirm(streams, signals, "Sure? "), c.yes) << c.answer;
    EXPECT_EQ(out.str(), "Sure? ");
  }
}

}  // namespace
}  // namespace kubeadm
