#include "http/url.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(Url, IsCutIntoItsParts) {
  struct Case {
    std::string url, scheme, host, port, path, authority;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"https://host:6443/a?b", "https", "host", "6443", "/a?b", "host:6443"},
           {"HTTPS://host", "https", "host", "", "", "host:443"},
           {"http://host/", "http", "host", "", "/", "host:80"},
           {"https://[::1]:6443/x", "https", "::1", "6443", "/x", "[::1]:6443"},
           {"https://[fd00::2]", "https", "fd00::2", "", "", "[fd00::2]:443"},
           {"http://user:secret@proxy:3128", "http", "proxy", "3128", "", "proxy:3128"},
           {"https://host?q", "https", "host", "", "?q", "host:443"}}) {
    const Url url = ParseUrl(c.url);
    EXPECT_EQ(url.scheme, c.scheme) << c.url;
    EXPECT_EQ(url.host, c.host) << c.url;
    EXPECT_EQ(url.port, c.port) << c.url;
    EXPECT_EQ(url.path, c.path) << c.url;
    EXPECT_EQ(Authority(url), c.authority) << c.url;
  }
}

TEST(Url, EscapesWhatWouldEndASegmentOrAValue) {
  EXPECT_EQ(EscapeSegment("kubeadm:get-nodes"), "kubeadm:get-nodes");
  EXPECT_EQ(EscapeSegment("a/b?c d%"), "a%2Fb%3Fc%20d%25");
  EXPECT_EQ(EscapeQuery("a=b,c&d"), "a%3Db%2Cc%26d");
  EXPECT_EQ(EscapeQuery("é"), "%C3%A9");
}

TEST(Url, ControlCharactersAreKnown) {
  for (const std::string text : {"", "a b\tc", "\xC3\xA9\xFF"}) {
    EXPECT_FALSE(HasControl(text)) << text;
  }
  for (const std::string& text : {std::string("a\r"), std::string("\n"), std::string("a\0b", 3),
                                  std::string("\x7f"), std::string("\x1b[")}) {
    EXPECT_TRUE(HasControl(text)) << text;
  }
}

}  // namespace
}  // namespace http
