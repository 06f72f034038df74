#include "config/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/fake_facts.h"

namespace config {
namespace {

using testing::HasSubstr;

TEST(Url, FindsSchemeAndPath) {
  struct Case {
    std::string text, scheme, path;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"https://a.b:2379/c?d#e", "https", "/c"},
                                   {"HTTPS://u:p@[fe80::1%25eth0]:1", "https", ""},
                                   {"https://[::1]", "https", ""},
                                   {"http://a%25b", "http", ""},
                                   {"http://b\u00fccher.example", "http", ""},
                                   {"unix:///run/a b.sock", "unix", "/run/a b.sock"},
                                   {"unix:/a%20b", "unix", "/a b"},
                                   {"file://host/etc/x", "file", "/etc/x"},
                                   {"localhost:2379", "localhost", ""},
                                   {"https:x", "https", ""},
                                   {"/etc/a:b", "", "/etc/a:b"},
                                   {"///x", "", "///x"},
                                   {"//host/x", "", "/x"},
                                   {"a/b:c", "", "a/b:c"},
                                   {"", "", ""}}) {
    const Url url = ParseUrl(c.text);
    EXPECT_EQ(url.scheme, c.scheme) << c.text;
    EXPECT_EQ(url.path, c.path) << c.text;
  }
}

TEST(Url, RefusesWhatIsNone) {
  for (const std::string text : {":",
                                 "://x",
                                 "1.2.3.4:2379",
                                 "https://[::1",
                                 "https://[::1]x",
                                 "https://[x]",
                                 "https://[::1%eth0]",
                                 "https://a b",
                                 "https://a:port",
                                 "https://a:1:2",
                                 "https://::1/",
                                 "https://u v@a",
                                 "https://u%zz@a",
                                 "http://%zz",
                                 "http://%41",
                                 "http://a/%zz",
                                 "http://a/%4",
                                 "https://a#%zz",
                                 "unix:///a\tb",
                                 "a\x7f"}) {
    EXPECT_THAT(ErrorOf([&] { ParseUrl(text); }), HasSubstr("no URL")) << text;
  }
}

}  // namespace
}  // namespace config
