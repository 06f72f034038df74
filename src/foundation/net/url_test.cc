// SPDX-License-Identifier: Apache-2.0
#include "net/url.h"

#include <gtest/gtest.h>

namespace net {
namespace {

TEST(Url, SplitsIntoAuthorityAndTarget) {
  struct Case {
    std::string url, authority, target;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"https://host:6443/a?b", "host:6443", "/a?b"},
                                   {"HTTPS://host", "host:443", ""},
                                   {"http://host/", "host:80", "/"},
                                   {"https://[::1]:6443/x%20y", "[::1]:6443", "/x%20y"},
                                   {"https://[fd00::2]", "[fd00::2]:443", ""},
                                   {"http://user:secret@proxy:3128", "proxy:3128", ""},
                                   {"https://host?q#f", "host:443", "?q#f"},
                                   {"https://host#/f", "host:443", "#/f"},
                                   {"mailto:x@y?z", ":80", "x@y?z"},
                                   {"/etc/x", ":80", "/etc/x"}}) {
    const auto url = Url::Parse(c.url);
    ASSERT_TRUE(url) << c.url;
    EXPECT_EQ(url->Authority(), c.authority) << c.url;
    EXPECT_EQ(url->target, c.target) << c.url;
  }
}

TEST(Url, KeepsTheUserAsWritten) {
  EXPECT_EQ(Url::Parse("https://a%20b:c@d")->user, "a%20b:c");
  EXPECT_EQ(Url::Parse("https://a-b@d")->user, "a-b");
  EXPECT_EQ(Url::Parse("https://@d")->user, "");
  EXPECT_EQ(Url::Parse("https://d")->user, std::nullopt);
}

TEST(Url, NamesTheDefect) {
  struct Case {
    std::string text, problem;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"1.2.3.4:2379", "there is no scheme such as https:// before its colon"},
           {":6443", "there is no scheme such as https:// before its colon"},
           {"://host", "there is no scheme such as https:// before its colon"},
           {"https://a b", "invalid character in its host \"a b\""},
           {"https://a:b", "invalid port \":b\" behind its host"},
           {"https://[x]", "\"x\" is not an IPv6 address"},
           {"https://[::1", "']' is missing in its host"},
           {"https://a/%zz", "invalid escape \"%zz\""},
           {"https://u v@a", "invalid character in its user"},
           {"https://u%zz@a", "invalid escape in its user"},
           {"unix:///a\tb", "it holds a control character"},
           {"a\x7f", "it holds a control character"}}) {
    EXPECT_EQ(Url::Parse(c.text).error_or(""), "this is not a URL: " + c.problem) << c.text;
  }
}

}  // namespace
}  // namespace net
