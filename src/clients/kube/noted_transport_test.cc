// SPDX-License-Identifier: Apache-2.0
#include "kube/noted_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace kube {
namespace {

using base::Error;

class Failing : public Transport {
 public:
  explicit Failing(Error::Kind kind) : kind_(kind) {}
  json::Value Do(const Call&, std::stop_token) override { throw Error(kind_, "failed"); }
  std::string GetPath(const std::string&, std::stop_token) override { return "ok"; }
  void Watch(const Call&, const std::string&, const OnEvent&, std::stop_token) override {}

 private:
  const Error::Kind kind_;
};

std::vector<std::string> NotesOfACall(Error::Kind kind) {
  std::vector<std::string> notes;
  const auto transport = NoteRetries(std::make_shared<Failing>(kind),
                                     [&](const std::string& why) { notes.push_back(why); });
  EXPECT_THROW(transport->Do({}, {}), Error);
  EXPECT_EQ(transport->GetPath("/healthz", {}), "ok");
  return notes;
}

TEST(NoteRetries, ReportsTransientFailures) {
  EXPECT_THAT(NotesOfACall(Error::Kind::kUnavailable), testing::ElementsAre("failed"));
  EXPECT_THAT(NotesOfACall(Error::Kind::kForbidden), testing::IsEmpty());
}

}  // namespace
}  // namespace kube
