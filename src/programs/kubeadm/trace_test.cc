// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <sstream>

#include "base/error.h"
#include "host/fake_host.h"
#include "http/fake_server.h"
#include "json/value.h"
#include "kubeadm/reported_run.h"

namespace kubeadm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A command whose action is `run`, and a collector that records spans.
class TraceTest : public testing::Test {
 protected:
  TraceTest() {
    fake_.environment.variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = server_.Url();
    fake_.environment.variables["TRACEPARENT"] =
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  }

  http::FakeReply Record(const http::FakeRequest& request) {
    const std::scoped_lock lock(mutex_);
    const json::Value body = json::TryParse(request.body);
    for (const json::Value& span :
         body.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans")) {
      spans_.push_back(span);
    }
    return {.body = "{}"};
  }

  void Run(const std::function<void(cli::Invocation&)>& run, std::vector<cli::Flag> flags = {}) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    cli::Streams streams{in, out, err};
    cli::Run({.name = "act", .summary = "", .flags = std::move(flags), .run = run}, {}, streams);
  }
  void RunTraced(const std::function<void()>& body) {
    Run([&](cli::Invocation& invocation) { TraceCommand(invocation, fake_.host, body); });
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const json::Value& span : spans_) {
      names.push_back(span.at("name"));
    }
    return names;
  }

  std::mutex mutex_;
  std::vector<json::Value> spans_;
  http::FakeServer server_{[this](const http::FakeRequest& request) { return Record(request); }};
  host::FakeHost fake_;
};

TEST_F(TraceTest, ReportsACommandBelowTraceparent) {
  RunTraced([] {});
  EXPECT_THAT(Names(), ElementsAre("act"));
  EXPECT_EQ(spans_[0].at("traceId"), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(spans_[0].at("parentSpanId"), "b7ad6b7169203331");
  EXPECT_EQ(spans_[0].at("status").at("code"), 1);
}

TEST_F(TraceTest, ReportsAFailureWithoutItsReason) {
  EXPECT_THROW(RunTraced([] { throw base::Error("token hidden"); }), base::Error);
  ASSERT_EQ(spans_.size(), 1);
  EXPECT_EQ(spans_[0].at("status"), json::Value({{"code", 2}}));
  EXPECT_THAT(json::Compact(spans_[0]), testing::Not(testing::HasSubstr("hidden")));
}

TEST_F(TraceTest, ReportsNoCommandWithoutTraceparentOrCollector) {
  fake_.environment.variables.erase("TRACEPARENT");
  RunTraced([] {});
  fake_.environment.variables = {
      {"TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}};
  RunTraced([] {});
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(TraceTest, KeepsTheResultOfACommandWithoutItsCollector) {
  server_.Stop();
  bool ran = false;
  testing::internal::CaptureStderr();
  RunTraced([&] { ran = true; });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("1 spans are lost"));
  EXPECT_TRUE(ran);
}

TEST_F(TraceTest, ReportsThePhasesOfARun) {
  const auto run = [&](cli::Invocation& invocation) {
    ReportRun(invocation, fake_.host, [](workflow::Reporter& reporter) {
      reporter.Emit(workflow::event::PhaseStarted{.phase = "certs/ca"});
      reporter.Emit(workflow::event::PhaseFinished{.phase = "certs/ca"});
    });
  };
  fake_.environment.variables.erase("TRACEPARENT");
  Run(run, {TimelineFlag()});
  EXPECT_THAT(Names(), ElementsAre("kubeadm act", "certs/ca"));
  EXPECT_FALSE(spans_[0].contains("parentSpanId")) << "a trace of its own";
  EXPECT_EQ(spans_[1].at("parentSpanId"), spans_[0].at("spanId"));
  EXPECT_EQ(spans_[1].at("traceId"), spans_[0].at("traceId"));
}

}  // namespace
}  // namespace kubeadm
