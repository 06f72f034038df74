// SPDX-License-Identifier: Apache-2.0
// A drawing of a run in a file, recorded during the run.
#pragma once

#include <string>
#include <vector>

#include "host/files.h"
#include "workflow/event.h"
#include "workflow/timeline/draw.h"

namespace timeline {

// Keeps the events of a run for its drawing. Writes the file twice: when the run starts, so that an
// unwritable path is reported before any change, and when the run has ended.
class Recording {
 public:
  // Chooses the output format by the path's extension. Throws base::Error(kUsage) like FormOf.
  // `files` must outlive the recording.
  Recording(host::Files& files, std::string path);

  // Records the event. Throws base::Error(kUsage) for an unknown extension. If the file cannot be
  // written when the run starts, throws base::Error with the system error's kind. If the final
  // write fails, only warns, so that the command still returns the result of the run.
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
