// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/api_trust.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "ca_rotation/fake_authority.h"
#include "certs/fake_context.h"
#include "http/fake_server.h"

namespace ca_rotation {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(TrustProbe, TestsTrustWithATemporaryCertificate) {
  certs::FakeContext made;
  made.MakeCas();
  int status = 0;
  std::string user;
  http::FakeServer server([&](const http::FakeRequest& request) {
    const auto header = request.headers.find("x-remote-user");
    user = header == request.headers.end() ? "" : header->second;
    http::FakeReply reply;
    reply.status = status;
    return reply;
  });
  struct Case {
    int status;
    Trust wanted;
    const char* problem;
  };
  for (const Case& c :
       {Case{200, Trust::kGiven, ""}, Case{403, Trust::kGiven, ""},
        Case{401, Trust::kGiven, "does not trust"},
        Case{503, Trust::kGiven, "answers with status 503"}, Case{401, Trust::kWithdrawn, ""},
        Case{200, Trust::kWithdrawn, "still trusts"},
        Case{503, Trust::kWithdrawn, "answers with status 503"}}) {
    for (const char* name : {"kubernetes", "front-proxy"}) {
      status = c.status;
      const Authority& authority = Named(name);
      const std::optional<kube::NotYet> not_yet = TrustProbe(
          {.url = server.Url() + "/livez",
           .authority = authority,
           .ca = certs::LoadCa(made.fake.files, certs::FakeContext::kDir, authority.base_name),
           .now = certs::FakeContext::kStart,
           .wanted = c.wanted})({});
      const std::string problem = not_yet ? not_yet->why : "";
      EXPECT_THAT(problem, *c.problem == '\0' ? testing::Matcher<std::string>(IsEmpty())
                                              : HasSubstr(c.problem))
          << c.status << " " << name;
      EXPECT_EQ(user.empty(), name == std::string_view("kubernetes"));
    }
  }
}

}  // namespace
}  // namespace ca_rotation
