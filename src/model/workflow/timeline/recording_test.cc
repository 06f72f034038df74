// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/recording.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "host/fake_host.h"

namespace timeline {
namespace {

using testing::HasSubstr;

TEST(Recording, IsWrittenAtTheStartAndTheEndOfTheRun) {
  host::FakeHost fake;
  Recording recording(fake.files, "/run.svg");
  recording.Take({.time = {}, .what = workflow::event::RunStarted{.command = "init"}});
  EXPECT_THAT(fake.files.Read("/run.svg"), HasSubstr("<svg"));
  fake.files.Write("/run.svg", "", {});
  recording.Take({.time = {}, .what = workflow::event::PhasesPlanned{}});
  EXPECT_EQ(fake.files.Read("/run.svg"), "");
  recording.Take({.time = {}, .what = workflow::event::RunFinished{}});
  EXPECT_THAT(fake.files.Read("/run.svg"), HasSubstr("<svg"));
}

TEST(Recording, ReportsAnUnwritablePathBeforeTheRun) {
  host::FakeHost fake;
  fake.files.Write("/file", "", {});
  Recording recording(fake.files, "/file/run.svg");
  EXPECT_THROW(recording.Take({.time = {}, .what = workflow::event::RunStarted{.command = "init"}}),
               base::Error);
  EXPECT_NO_THROW(recording.Take({.time = {}, .what = workflow::event::RunFinished{}}))
      << "the run's own end counts";
}

TEST(Recording, AcceptsOnlyTheExtensionsOfDrawings) {
  host::FakeHost fake;
  EXPECT_THROW(Recording(fake.files, "/run.png"), base::Error);
}

}  // namespace
}  // namespace timeline
