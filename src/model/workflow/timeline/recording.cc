// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/recording.h"

#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace timeline {

Recording::Recording(host::Files& files, std::string path)
    : files_(files), path_(std::move(path)), form_(FormOf(path_)) {}

void Recording::Take(const workflow::Event& event) {
  events_.push_back(event);
  if (std::holds_alternative<workflow::event::RunStarted>(event.what)) {
    Write();
  } else if (std::holds_alternative<workflow::event::RunFinished>(event.what)) {
    WriteAtEnd();
  }
}

void Recording::Write() {
  base::WithContext("couldn't write the timeline",
                    [&] { files_.Write(path_, Draw(events_, form_), {.mode = 0644}); });
}

void Recording::WriteAtEnd() {
  try {
    Write();
  } catch (const base::Error& error) {
    base::LogWarning("{}", error.message());
  }
}

}  // namespace timeline
