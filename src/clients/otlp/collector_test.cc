// SPDX-License-Identifier: Apache-2.0
#include "otlp/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <mutex>

#include "host/fake_host.h"
#include "http/fake_server.h"
#include "json/value.h"

namespace otlp {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class CollectorTest : public testing::Test {
 protected:
  // Returns the warnings of an export of one span.
  std::string Send(const std::string& url) {
    variables_["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = url;
    testing::internal::CaptureStderr();
    Export({{.context = {TraceIdOf("t"), "b7ad6b7169203331"}, .name = "run"}}, "kubeadm",
           fake_.host);
    return testing::internal::GetCapturedStderr();
  }

  host::FakeHost fake_;
  std::map<std::string, std::string>& variables_ = fake_.environment.variables;
};

TEST_F(CollectorTest, IsOffWithoutAnEndpoint) {
  EXPECT_FALSE(FindCollector(fake_.environment));
  variables_["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://c:4318";
  EXPECT_TRUE(FindCollector(fake_.environment));
  variables_["OTEL_TRACES_EXPORTER"] = "none";
  EXPECT_FALSE(FindCollector(fake_.environment));
  variables_["OTEL_TRACES_EXPORTER"] = "";
  variables_["OTEL_SDK_DISABLED"] = "true";
  EXPECT_FALSE(FindCollector(fake_.environment));
}

TEST_F(CollectorTest, FollowsTheVariablesOfTheSpecification) {
  variables_["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://c:4318/";
  variables_["OTEL_EXPORTER_OTLP_HEADERS"] = "api-key=a%20b, x=y";
  variables_["OTEL_EXPORTER_OTLP_CERTIFICATE"] = "/ca.pem";
  const auto collector = FindCollector(fake_.environment);
  EXPECT_EQ(collector->url, "http://c:4318/v1/traces");
  EXPECT_THAT(collector->headers, ElementsAre(Pair("api-key", "a b"), Pair("x", "y")));
  EXPECT_EQ(collector->certificate_file, "/ca.pem");
  variables_["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "http://d/own";
  EXPECT_EQ(FindCollector(fake_.environment)->url, "http://d/own");
}

TEST_F(CollectorTest, GetsOneRequestInJson) {
  std::mutex mutex;
  std::vector<http::FakeRequest> requests;
  http::FakeServer server([&](const http::FakeRequest& request) {
    const std::scoped_lock lock(mutex);
    requests.push_back(request);
    return http::FakeReply{.body = "{}"};
  });
  variables_["OTEL_EXPORTER_OTLP_HEADERS"] = "api-key=k";
  EXPECT_EQ(Send(server.Url() + "/v1/traces"), "");
  ASSERT_EQ(requests.size(), 1);
  EXPECT_EQ(requests[0].method + " " + requests[0].path, "POST /v1/traces");
  EXPECT_EQ(requests[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(requests[0].headers.at("api-key"), "k");
  EXPECT_TRUE(json::TryParse(requests[0].body).contains("resourceSpans"));
}

TEST_F(CollectorTest, LosesSpansWithAWarningIfTheCollectorFails) {
  http::FakeServer server([](const http::FakeRequest&) { return http::FakeReply{.status = 503}; });
  EXPECT_THAT(Send(server.Url()),
              HasSubstr("1 spans are lost: the collector answers with status 503"));
  server.Stop();
  EXPECT_THAT(Send(server.Url()), HasSubstr("spans are lost"));
  EXPECT_THAT(Send("no url"), HasSubstr("spans are lost"));
  variables_["OTEL_EXPORTER_OTLP_CERTIFICATE"] = "/missing";
  EXPECT_THAT(Send(server.Url()), HasSubstr("/missing"));
}

TEST_F(CollectorTest, SendsNothingWithoutACollector) { EXPECT_EQ(Send(""), ""); }

TEST_F(CollectorTest, IgnoresTheContentOfAnAnswer) {
  http::FakeServer server(
      [](const http::FakeRequest&) { return http::FakeReply{.body = std::string(60'000, '{')}; });
  EXPECT_EQ(Send(server.Url()), "");
}

TEST_F(CollectorTest, EndsAnAnswerThatIsTooLarge) {
  http::FakeServer server([](const http::FakeRequest&) {
    return http::FakeReply{.body = std::string(1'000'000, 'x')};
  });
  EXPECT_THAT(Send(server.Url()), HasSubstr("spans are lost"));
}

TEST_F(CollectorTest, ShowsNoPasswordOfItsAddress) {
  EXPECT_THAT(Send("http://user:hidden@127.0.0.1:9/v1/traces"),
              AllOf(HasSubstr("spans are lost"), testing::Not(HasSubstr("hidden"))));
}

TEST_F(CollectorTest, DoesNotWaitForAnAnswerThatDoesNotCome) {
  std::promise<void> sent;
  const std::shared_future<void> answered = sent.get_future().share();
  http::FakeServer server([&](const http::FakeRequest&) {
    answered.wait();
    return http::FakeReply{};
  });
  EXPECT_THAT(Send(server.Url()), HasSubstr("spans are lost"));
  sent.set_value();  // the server answers only now
}

}  // namespace
}  // namespace otlp
