// SPDX-License-Identifier: Apache-2.0
// A drawing of a run in a file, made while it goes on.
#pragma once

#include <string>
#include <vector>

#include "host/files.h"
#include "timeline/draw.h"
#include "workflow/event.h"

namespace timeline {

// Recording keeps the events of a run for its drawing. The file is written when the run starts, so
// that a place where it cannot be is known before anything is done, and again when it has ended.
class Recording {
 public:
  // The form follows from the end of the path. Throws base::Error(kUsage) as FormOf does. `files`
  // outlives the recording.
  Recording(host::Files& files, std::string path);

  // Take throws base::Error when the file cannot be written at the start. At the end that is only a
  // warning: the run's own end counts, whatever becomes of its drawing.
  void Take(const workflow::Event& event);

 private:
  void Write();
  void WriteAtEnd();

  host::Files& files_;
  const std::string path_;
  const Form form_;
  std::vector<workflow::Event> events_;
};

}  // namespace timeline
