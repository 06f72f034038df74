// SPDX-License-Identifier: Apache-2.0
#include "http/proxy.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "base/fake_error.h"

namespace http {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

std::optional<http::Proxy> Found(const Variables& variables, std::string_view url) {
  return ProxyFor(
      [&](std::string_view name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string() : found->second;
      },
      url);
}

std::optional<std::string> Proxy(const Variables& variables, std::string_view url) {
  return Found(variables, url).transform([](const http::Proxy& proxy) { return proxy.url; });
}

TEST(Proxy, NamesTheVariablesInEffect) {
  const struct {
    Variables variables;
    std::string source;
    std::string exceptions;
  } cases[] = {
      {{{"HTTPS_PROXY", "s:1"}}, "HTTPS_PROXY", "NO_PROXY"},
      {{{"https_proxy", "s:1"}, {"no_proxy", "a"}}, "https_proxy", "no_proxy"},
      {{{"https_proxy", "l:1"}, {"HTTPS_PROXY", "s:1"}, {"NO_PROXY", "a"}, {"no_proxy", "b"}},
       "HTTPS_PROXY",
       "NO_PROXY"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Found(c.variables, "https://host"),
              (http::Proxy{"http://s:1", c.source, c.exceptions}));
  }
}

TEST(Proxy, IsPrintedWithoutItsUserName) {
  EXPECT_EQ(WithoutUser("http://us%40er:p%23w@proxy:3128"), "http://proxy:3128");
  EXPECT_EQ(WithoutUser("https://[fd00::1]:3128"), "https://[fd00::1]:3128");
  EXPECT_EQ(WithoutUser("user:secret@proxy:3128"), "proxy:3128");
  EXPECT_EQ(WithoutUser("http://us er:secret@proxy"), "(not shown: it is not a URL)");
}

TEST(Proxy, ComesFromTheVariableOfTheScheme) {
  const Variables both = {{"HTTPS_PROXY", "http://s:1"}, {"HTTP_PROXY", "p:2"}};
  EXPECT_EQ(Proxy(both, "https://host/x"), "http://s:1");
  EXPECT_EQ(Proxy(both, "http://host/x"), "http://p:2");
  EXPECT_EQ(Proxy({{"https_proxy", "s"}}, "https://host"), "http://s");
  EXPECT_EQ(Proxy({{"https_proxy", "lower"}, {"HTTPS_PROXY", "upper"}}, "https://host"),
            "http://upper");
  EXPECT_EQ(Proxy({{"HTTP_PROXY", "p:2"}}, "https://host"), std::nullopt);
  EXPECT_EQ(Proxy({}, "https://host"), std::nullopt);
}

TEST(Proxy, IsNotUsedForHostsInNoProxy) {
  struct Case {
    std::string no_proxy, url;
    bool direct;
  };
  for (const Case& c :
       std::initializer_list<Case>{{"", "https://host", false},
                                   {"*", "https://host", true},
                                   {"host", "https://host", true},
                                   {"HOST", "https://Host:6443", true},
                                   {"example.com", "https://a.example.com", true},
                                   {"example.com", "https://notexample.com", false},
                                   {".example.com", "https://a.example.com", true},
                                   {".example.com", "https://example.com", false},
                                   {"*.example.com", "https://a.example.com", true},
                                   {"*.example.com", "https://example.com", false},
                                   {"example.com", "https://example.com.", true},
                                   {"a, example.com ,b", "https://example.com", true},
                                   {"example.com:6443", "https://example.com:6443", true},
                                   {"example.com:6443", "https://example.com", false},
                                   {"example.com:443", "https://example.com", true},
                                   {"10.0.0.1", "https://10.0.0.1:6443", true},
                                   {"10.0.0.1:6443", "https://10.0.0.1:6443", true},
                                   {"10.0.0.1:6443", "https://10.0.0.1:1234", false},
                                   {"10.96.0.0/12", "https://10.96.0.1:1234", true},
                                   {"10.96.0.0/12", "https://10.112.0.1:1234", false},
                                   {"0.0.0.0/0", "https://10.112.0.1", true},
                                   {"0.0.0.0/0", "https://[fd00::1]", false},
                                   {"fd00::/8", "https://[fd00::1]:1234", true},
                                   {"fd00::/8", "https://[2001:db8::1]", false},
                                   {"fd00::1", "https://[fd00::1]", true},
                                   {"[fd00::1]:6443", "https://[fd00::1]:6443", true},
                                   {"10.0.0.0/x", "https://10.0.0.1", false},
                                   {"0.1", "https://10.0.0.1", false}}) {
    const auto proxy = Proxy({{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", c.no_proxy}}, c.url);
    EXPECT_EQ(!proxy, c.direct) << c.no_proxy << " and " << c.url;
  }
}

TEST(Proxy, IsNeverUsedForLoopback) {
  for (const char* url : {"https://localhost:1", "https://127.0.0.1:6443", "https://127.9.9.9",
                          "https://[::1]:6443"}) {
    EXPECT_EQ(Proxy({{"HTTPS_PROXY", "http://p:1"}}, url), std::nullopt) << url;
  }
}

TEST(Proxy, IsIgnoredWhenItsAddressIsInvalid) {
  for (const char* value : {"http://", "http://user:secret@a b", "http://p:%zz", "\"http://p:1\"",
                            "http://10.0.0.1:3128 "}) {
    EXPECT_EQ(Proxy({{"HTTPS_PROXY", value}}, "https://host"), std::nullopt) << value;
  }
  EXPECT_EQ(Proxy({{"HTTPS_PROXY", "ftp://p:1"}}, "https://host"), "ftp://p:1") << "nor hidden";
}

TEST(RequireProxy, AcceptsKnownSchemesAndDoesNotQuoteOtherInput) {
  for (const char* good : {"http://p:1", "https://u:p@p", "socks5://[fd00::1]:1", "socks5h://p"}) {
    EXPECT_NO_THROW(RequireProxy(good, "it")) << good;
  }
  for (const char* bad : {"ftp://user:secret@p", "127.0.0.1:3128", "http://", "secret", ""}) {
    const base::Error error = base::Thrown([&] { RequireProxy(bad, "the proxy-url"); });
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid) << bad;
    EXPECT_TRUE(error.message().starts_with("the proxy-url is not a URL")) << error.message();
    EXPECT_EQ(error.message().find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace http
