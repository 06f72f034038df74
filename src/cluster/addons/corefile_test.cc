// SPDX-License-Identifier: Apache-2.0
#include "addons/corefile.h"

#include <gmock/gmock.h>

#include "addons/corefile_migration.h"
#include "base/error.h"
#include "base/fake_error.h"

namespace addons {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Formatted(std::string_view text) { return Corefile::Parse(text).Text(); }

TEST(Corefile, IsWrittenInOneForm) {
  struct Case {
    std::string name, text, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"comments and blanks go", "# head\n.:53   tls://q:54 {\n\terrors # note\n\n}\n",
            ".:53 tls://q:54 {\n    errors\n}\n"},
           {"blocks are parted", "a {\n x\n}\nb {\n}\n", "a {\n    x\n}\n\nb {\n}\n"},
           {"quotes, variables and templates stay",
            "a {\n log \"a b\" {$V}\n answer \"{{ .Name }} 60\"\n}\n",
            "a {\n    log \"a b\" {$V}\n    answer \"{{ .Name }} 60\"\n}\n"},
           {"a quoted word may have lines", "a {\n log \"x\n y\" z\n}\n",
            "a {\n    log \"x\n y\" z\n}\n"},
           {"a backslash joins lines", "a {\n log x \\\n y\n}\n", "a {\n    log x y\n}\n"},
           {"a brace on the next line", "a\n{\n x\n}\n", "a {\n    x\n}\n"},
           {"zones with commas", "a, b,\nc {\n x\n}\n", "a, b, c {\n    x\n}\n"},
           {"blocks in blocks", "a {\n p {\n  q {\n   r\n  }\n }\n}\n",
            "a {\n    p {\n        q {\n            r\n        }\n    }\n}\n"},
           {"an empty option block is none", "a {\n health {\n }\n}\n", "a {\n    health\n}\n"},
           {"one block without braces", ".:53\nerrors\nlog\n", ".:53 {\n    errors\n    log\n}\n"},
           {"nothing", "", ""}}) {
    EXPECT_EQ(Formatted(c.text), c.want) << c.name;
    EXPECT_EQ(Formatted(c.want), c.want) << c.name << ", again";
  }
}

TEST(Corefile, NamesTheLineOfASyntaxError) {
  struct Case {
    std::string text, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {".:53 {\n errors {\n", "Corefile:2: '{' has no '}'"},
           {".:53 { errors\n}\n", "Corefile:1: words after '{'"},
           {".:53 {\n errors }\n", "Corefile:2: a brace"},
           {"a {\n}\n}\n", "Corefile:3: '}' without '{'"},
           {"{\n}\n", "Corefile:1: a server block has no zone"},
           {"a {\n log \"x\n}\n", "Corefile:2: a quoted word has no end"}}) {
    const base::Error error = base::Thrown([&] { Corefile::Parse(c.text); });
    EXPECT_THAT(error.message(), HasSubstr(c.want));
  }
}

TEST(Corefile, BoundsTheNesting) {
  std::string text = "a {\n";
  for (int i = 0; i < 100'000; ++i) {
    text += "b {\n";
  }
  EXPECT_THROW(Corefile::Parse(text), base::Error);
}

TEST(Corefile, FindsPluginsAndOptions) {
  const Corefile corefile = Corefile::Parse("a {\n health {\n  lameduck 5s\n }\n}\n");
  const Directive* health = corefile.blocks.at(0).FindPlugin("health");
  ASSERT_NE(health, nullptr);
  ASSERT_NE(health->FindOption("lameduck"), nullptr);
  EXPECT_THAT(health->FindOption("lameduck")->words, ElementsAre("lameduck", "5s"));
  EXPECT_EQ(corefile.blocks[0].FindPlugin("ready"), nullptr);
}

// The default of Kubernetes 1.19 with some of its words replaced.
std::string Default119(const std::string& from = "", const std::string& to = "") {
  std::string text =
      ".:53 {\n    errors\n    health {\n       lameduck 5s\n    }\n    ready\n"
      "    kubernetes cluster.local in-addr.arpa ip6.arpa {\n       pods insecure\n"
      "       fallthrough in-addr.arpa ip6.arpa\n       ttl 30\n    }\n    prometheus :9153\n"
      "    forward . /etc/resolv.conf {\n       max_concurrent 1000\n    }\n    cache 30\n"
      "    loop\n    reload\n    loadbalance\n}\n";
  if (!from.empty()) {
    text.replace(text.find(from), from.size(), to);
  }
  return text;
}

TEST(OldDefault, EqualsADefaultByteByByte) {
  const std::string old_head =
      ".:53 {\n    errors\n    health\n"
      "    kubernetes cluster.local in-addr.arpa ip6.arpa {\n       pods insecure\n"
      "       upstream\n       fallthrough in-addr.arpa ip6.arpa\n    }\n    prometheus :9153\n";
  const std::string tail = "    cache 30\n    loop\n    reload\n    loadbalance\n}\n";
  struct Case {
    std::string name, text;
    bool want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"1.11", old_head + "    proxy . /etc/resolv.conf\n    cache 30\n    reload\n}\n", true},
           {"1.12", old_head + "    proxy . /etc/resolv.conf\n" + tail, true},
           {"1.12 with another server", old_head + "    proxy . 8.8.8.8\n" + tail, false},
           {"1.14 was never stored", old_head + "    forward . /etc/resolv.conf\n" + tail, false},
           {"1.19", Default119(), true},
           {"another domain", Default119("cluster.local", "corp.internal"), false},
           {"another server", Default119("/etc/resolv.conf", "8.8.8.8"), false},
           {"an option of forward", Default119("max_concurrent 1000", "prefer_udp"), false},
           {"no option of forward", Default119(" {\n       max_concurrent 1000\n    }", ""), true},
           {"another order", Default119("    loop\n    reload\n", "    reload\n    loop\n"), false},
           {"a comment", "# mine\n" + Default119(), false},
           {"an added plugin", Default119("    loop\n", "    loop\n    log\n"), false},
           {"another value", Default119("cache 30", "cache 60"), false},
           {"another indent", Default119("       ttl 30", "      ttl 30"), false},
           {"another end of lines", Default119("errors\n", "errors\r\n"), false},
           {"another block", Default119() + "b {\n}\n", false},
           {"nothing", "", false},
           {"the present one", DefaultCorefile("cluster.local"), false}}) {
    EXPECT_EQ(IsOldDefault(c.text, "cluster.local"), c.want) << c.name;
  }
  EXPECT_TRUE(IsOldDefault(Default119("cluster.local", "corp.internal"), "corp.internal"));
}

TEST(DefaultCorefile, ContainsTheClusterDomain) {
  EXPECT_THAT(DefaultCorefile("a.b"), HasSubstr("kubernetes a.b in-addr.arpa ip6.arpa {\n"));
  EXPECT_THAT(DefaultCorefile("a.b"), HasSubstr("       disable denial a.b\n    }\n"));
}

TEST(Migration, AppliesTheChangesOfCoreDns) {
  struct Case {
    std::string name, from, text, want;  // "" in want: no migration
  };
  const std::string max = " {\n        max_concurrent 1000\n    }\n";
  for (const Case& c : std::initializer_list<Case>{
           {"upstream goes", "1.7.0",
            "a {\n kubernetes c {\n  upstream\n  resyncperiod 1s\n }\n}\n",
            "a {\n    kubernetes c\n}\n"},
           {"it went before", "1.7.1", "a {\n kubernetes c {\n  upstream\n }\n}\n", ""},
           {"proxy becomes forward", "1.4.0",
            "a {\n proxy . x y {\n  except z\n  max_fails 2\n  policy random\n }\n}\n",
            "a {\n    forward . x y {\n        except z\n        policy random\n"
            "        max_concurrent 1000\n    }\n}\n"},
           {"forward is limited", "1.6.9", "a {\n forward . x\n}\n",
            "a {\n    forward . x" + max + "}\n"},
           {"forward is limited already", "1.6.9",
            "a {\n forward . x {\n  max_concurrent 5\n }\n}\n", ""},
           {"health waits", "1.6.4", "a {\n health :8081\n}\n",
            "a {\n    health :8081 {\n        lameduck 5s\n    }\n}\n"},
           {"health waits already", "1.6.4", "a {\n health {\n  lameduck 9s\n }\n}\n", ""},
           {"ready beside kubernetes", "1.4.0", "a {\n kubernetes c\n}\nb {\n errors\n}\n",
            "a {\n    kubernetes c\n    ready\n}\n\nb {\n    errors\n}\n"},
           {"loop beside forwarding", "1.2.0",
            "a {\n forward . x {\n  max_concurrent 5\n }\n}\nb {\n errors\n}\n",
            "a {\n    forward . x {\n        max_concurrent 5\n    }\n    loop\n}\n\n"
            "b {\n    errors\n}\n"},
           {"stub domains get blocks", "1.4.0",
            "a {\n forward . x\n proxy s.t 1.1.1.1 2.2.2.2\n}\n",
            "a {\n    forward . x" + max + "}\n\ns.t {\n    forward . 1.1.1.1 2.2.2.2" + max +
                "    loop\n    errors\n    cache 30\n}\n"},
           {"transfers become a plugin", "1.7.1",
            "a {\n kubernetes c d {\n  transfer to *\n  transfer to 1.1.1.1\n  ttl 5\n }\n}\n",
            "a {\n    kubernetes c d {\n        ttl 5\n    }\n    transfer c {\n        to *\n"
            "        to 1.1.1.1\n    }\n}\n"},
           {"one endpoint, but not for that alone", "1.7.1",
            "a {\n kubernetes c {\n  endpoint x y\n }\n}\n", ""},
           {"one endpoint", "1.7.0", "a {\n kubernetes c {\n  endpoint x y\n  upstream\n }\n}\n",
            "a {\n    kubernetes c {\n        endpoint x\n    }\n}\n"},
           {"upstream of other plugins stays", "1.7.0", "a {\n etcd e {\n  upstream\n }\n}\n", ""},
           {"nothing since 1.8", "1.8.0", "a {\n health\n forward . x\n proxy . y\n}\n", ""}}) {
    const Corefile corefile = Corefile::Parse(c.text);
    EXPECT_EQ(NeedsMigration(corefile, {.from = c.from, .to = "1.15.0"}), !c.want.empty())
        << c.name;
    if (!c.want.empty()) {
      EXPECT_EQ(Migrated(corefile, {.from = c.from, .to = "1.15.0"}).Text(), c.want) << c.name;
    }
  }
}

TEST(Migration, SupportsOnlyUpgradesBetweenKnownVersions) {
  EXPECT_NO_THROW(CheckMigrationPath({.from = "1.1.3", .to = "1.15.0"}));
  EXPECT_NO_THROW(CheckMigrationPath({.from = "1.14.1", .to = "1.14.6"}));
  for (const char* version : {"1.6.8", "1.99.0", "1.9.9-custom", ""}) {
    EXPECT_THROW(CheckMigrationPath({.from = version, .to = "1.15.0"}), base::Error) << version;
    EXPECT_THROW(CheckMigrationPath({.from = "1.1.3", .to = version}), base::Error) << version;
  }
  EXPECT_THROW(CheckMigrationPath({.from = "1.15.0", .to = "1.14.6"}), base::Error);
}

TEST(Migration, AppliesNoChangeOfAVersionAfterTheTarget) {
  const Corefile corefile = Corefile::Parse("a {\n health\n forward . x\n}\n");
  EXPECT_FALSE(NeedsMigration(corefile, {.from = "1.6.2", .to = "1.6.4"}));
  EXPECT_EQ(Migrated(corefile, {.from = "1.6.2", .to = "1.6.5"}).Text(),
            "a {\n    health {\n        lameduck 5s\n    }\n    forward . x\n}\n");
}

}  // namespace
}  // namespace addons
