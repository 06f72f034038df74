// SPDX-License-Identifier: Apache-2.0
#include "addons/corefile_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace addons {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The content of a server block, the CoreDNS that ran it, and the unsupported parts.
struct Row {
  std::string text;
  std::string from;
  std::vector<std::string> parts;
};

TEST(CorefileSupport, ListsPluginsAndOptionsByVersion) {
  const Row rows[] = {
      {"errors", "1.11.3", {}},
      {"frobnicate", "1.11.3", {"plugin \"frobnicate\""}},
      {"log . {\n class all\n zz\n}", "1.11.3", {"option \"zz\" of plugin \"log\""}},
      // Every version after 1.11.3 knows this option.
      {"forward . 1.1.1.1 {\n next NXDOMAIN\n}", "1.11.3", {}},
      {"forward . 1.1.1.1 {\n next NXDOMAIN\n}",
       "1.10.1",
       {"option \"next\" of plugin \"forward\""}},
      {"cache 30 {\n serve_stale\n}", "1.6.7", {"option \"serve_stale\" of plugin \"cache\""}},
      {"cache 30 {\n serve_stale\n}", "1.9.4", {}},
      {"kubernetes a {\n upstream\n}", "1.6.2", {"option \"upstream\" of plugin \"kubernetes\""}},
      {"proxy . 1.1.1.1 {\n policy random\n}", "1.3.1", {"plugin \"proxy\""}},
      {"transfer a {\n to *\n}", "1.8.0", {}},
      {"transfer a {\n zz\n}",
       "1.7.0",
       {"plugin \"transfer\"", "option \"zz\" of plugin \"transfer\""}},
      {"hosts /etc/hosts {\n 10.0.0.1 one\n fd00::1 two\n ttl 5\n}", "1.11.3", {}},
      {"hosts {\n zz\n}", "1.11.3", {"option \"zz\" of plugin \"hosts\""}},
      {"bind 1.1.1.1\nbind 1.1.1.2", "1.11.3", {"plugin \"bind\""}},
  };
  for (const Row& row : rows) {
    const Corefile corefile = Corefile::Parse(".:53 {\n" + row.text + "\n}\n");
    EXPECT_EQ(UnsupportedParts(corefile, {.from = row.from, .to = "1.15.0"}), row.parts)
        << row.text << " " << row.from;
  }
}

TEST(CorefileSupport, AcceptsTheDefault) {
  EXPECT_THAT(UnsupportedParts(Corefile::Parse(DefaultCorefile("cluster.local")),
                               {.from = "1.9.4", .to = "1.15.0"}),
              IsEmpty());
}

TEST(CorefileSupport, ChecksEveryServerBlock) {
  const Corefile corefile = Corefile::Parse(".:53 {\n errors\n}\nstub:53 {\n whoami\n}\n");
  EXPECT_THAT(UnsupportedParts(corefile, {.from = "1.11.3", .to = "1.15.0"}),
              ElementsAre("plugin \"whoami\""));
}

}  // namespace
}  // namespace addons
