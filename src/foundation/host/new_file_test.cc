// SPDX-License-Identifier: Apache-2.0
#include "host/new_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/fake_host.h"

namespace host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class NewFileTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  RealFiles files_;
};

TEST_F(NewFileTest, AppearsWhenItIsComplete) {
  const fs::path path = directory_.path() / "backup";
  NewFile file(files_, path);
  file.Append("con");
  file.Append("tent");
  EXPECT_FALSE(files_.Exists(path));
  file.Finish();
  EXPECT_EQ(files_.Read(path), "content");
  EXPECT_EQ(files_.Stat(path)->mode, 0600U);
}

TEST_F(NewFileTest, IsRemovedUnlessItIsFinished) {
  {
    NewFile(files_, directory_.path() / "backup").Append("content");
  }
  EXPECT_THAT(files_.List(directory_.path()), IsEmpty());
}

TEST_F(NewFileTest, RemovesPartialFilesOfKilledProcessesOnly) {
  std::ofstream(directory_.path() / ".slipway-Ab12cd") << "gigabytes";
  NewFile first(files_, directory_.path() / "first");
  EXPECT_THAT(files_.List(directory_.path()), SizeIs(1)) << "its own";
  NewFile second(files_, directory_.path() / "second");
  first.Finish();
  second.Finish();
  EXPECT_THAT(files_.List(directory_.path()), ElementsAre("first", "second"));
}

}  // namespace
}  // namespace host
