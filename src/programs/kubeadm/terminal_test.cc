// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/terminal.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/fake_host.h"
#include "kubeadm/command_line.h"

namespace kubeadm {
namespace {

TEST(Confirm, AcceptsOnlyYesInAnyCase) {
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

struct YesCase {
  const char* flag;
  const char* answer;
  const char* shown;
  bool goes_on;
};

TEST(RequireYes, EndsTheCommandUnlessTheAnswerIsAYes) {
  host::FakeHost fake;
  for (const YesCase& c :
       {YesCase{"--yes", "", "", true}, YesCase{"--yes=false", "y\n", "Continue? [y/N]: ", true},
        YesCase{"--yes=false", "n\n", "Continue? [y/N]: ", false}}) {
    std::istringstream in(c.answer);
    std::ostringstream out;
    std::ostringstream err;
    bool went_on = false;
    const cli::Command command{.name = "act",
                               .summary = "",
                               .flags = CommonFlags({"yes"}),
                               .run = [&](cli::Invocation& invocation) {
                                 RequireYes(invocation, fake.host);
                                 went_on = true;
                               }};
    cli::Streams streams{in, out, err};
    const std::vector<std::string> words{c.flag};
    if (c.goes_on) {
      cli::Run(command, words, streams);
    } else {
      EXPECT_THROW(cli::Run(command, words, streams), base::Error);
    }
    EXPECT_EQ(went_on, c.goes_on) << c.flag << c.answer;
    EXPECT_EQ(out.str(), c.shown);
  }
}

}  // namespace
}  // namespace kubeadm
