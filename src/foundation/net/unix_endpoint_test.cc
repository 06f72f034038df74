// SPDX-License-Identifier: Apache-2.0
#include "net/unix_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace net {
namespace {

using ::testing::HasSubstr;

TEST(UnixSocketPath, ReadsEverySpellingThatKubernetesReads) {
  for (const char* endpoint :
       {"unix:///run/x.sock", "unix:/run/x.sock", "Unix:/run/x.sock", "/run/x.sock",
        "unix://UNIX:/run/x.sock", "unix://localhost/run/x.sock", "unix:///run/x%2Esock",
        "unix:///run/x.sock?a=b"}) {
    EXPECT_EQ(UnixSocketPath(endpoint), "/run/x.sock") << endpoint;
  }
  EXPECT_EQ(UnixSocketPath("unix:////run/x.sock"), "//run/x.sock");
  // Extra slashes name the same file.
  EXPECT_EQ(UnixSocketPath("UNIX:///run/x.sock"), "///run/x.sock");
  EXPECT_EQ(UnixSocketPath("unix://UNIX:///run/x.sock"), "///run/x.sock");
}

TEST(UnixSocketPath, ExplainsTheFormOfAnAmbiguousEndpoint) {
  constexpr const char* kAnyPath = "write \"unix:///PATH\"";
  const struct {
    const char* endpoint;
    const char* spelling;
  } cases[] = {
      {"unix://run/x.sock", "write \"unix:///run/x.sock\", or \"unix:///x.sock\""},
      {"run/x.sock", "write \"unix:///run/x.sock\", or \"unix:///x.sock\""},
      {"unix:run/x.sock", "write \"unix:///run/x.sock\""},
      {"unixx:///run/x.sock", "write \"unix:///run/x.sock\""},
      {"unix:///run/x.sock/", "write \"unix:///run/x.sock\""},
      {"/run/x.sock//", "write \"unix:///run/x.sock\""},
      {"unix:", kAnyPath},
      {"unix/run/x.sock", kAnyPath},
      {"unix://", kAnyPath},
      {"unix:///", kAnyPath},
      {"", kAnyPath},
      {"containerd", kAnyPath},
      {"unix://containerd", kAnyPath},
      {"unix:// x", kAnyPath},
      {"tcp://127.0.0.1:1234", kAnyPath},
      {"unix://tcp://127.0.0.1:1234", kAnyPath},
      {"npipe:////./pipe/x", kAnyPath},
  };
  for (const auto& [endpoint, spelling] : cases) {
    const auto path = UnixSocketPath(endpoint);
    ASSERT_FALSE(path) << endpoint;
    EXPECT_THAT(path.error(), HasSubstr(spelling)) << endpoint;
  }
}

TEST(UnixSocketPath, RefusesPathsThatNoSocketCanHave) {
  EXPECT_TRUE(UnixSocketPath("unix:///" + std::string(106, 'x')));
  const auto path = UnixSocketPath("unix:///" + std::string(107, 'x'));
  ASSERT_FALSE(path);
  EXPECT_THAT(path.error(), HasSubstr("at most 107 bytes, this one has 108"));
}

}  // namespace
}  // namespace net
