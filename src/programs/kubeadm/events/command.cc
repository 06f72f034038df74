// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "base/error.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "workflow/timeline/draw.h"
#include "workflow/timeline/events.h"

namespace kubeadm {
namespace {

using base::Error;

std::string ReadAll(cli::Invocation& invocation, const host::Host& host, const std::string& path) {
  return path == "-" ? cli::ReadInput(invocation.streams.in) : host.files.Read(path);
}

void Render(cli::Invocation& invocation, host::Host& host) {
  const std::vector<std::string>& args = invocation.flags.args();
  if (args.empty()) {
    throw Error(Error::Kind::kUsage, "name the file of events to draw, - for standard input");
  }
  const std::string& output = invocation.flags.Text("output");
  const auto form = output.empty() ? timeline::Form::kSvg : timeline::FormOf(output);
  const std::string name = args.front() == "-" ? "standard input" : args.front();
  const std::string drawing = base::WithContext("couldn't draw the events of " + name, [&] {
    const std::vector<workflow::Event> events =
        timeline::ParseEvents(ReadAll(invocation, host, args.front()));
    if (events.empty()) {
      throw Error(Error::Kind::kInvalid,
                  "there are none in it; a run prints them with --output json");
    }
    return timeline::Draw(events, form);
  });
  if (output.empty()) {
    invocation.streams.out << cli::Exact{drawing};
  } else {
    host.files.Write(output, drawing, {.mode = 0644});
  }
}

}  // namespace

cli::Command EventsCommand(host::Host& host) {
  cli::Command group = Group("events", "Draw the events of a run", "events", [&host] {
    return Made({{.name = "render",
                  .summary = "Draw recorded events as a timeline",
                  .text = "events",
                  .flags = {{.name = "output",
                             .shorthand = 'o',
                             .help = "The file to write, FILE.svg or FILE.html; standard output "
                                     "gets an SVG if it is not set"}},
                  .usage_args = "FILE",
                  .max_args = 1,
                  .run = Render}},
                host);
  });
  group.beyond_upstream = true;
  return group;
}

}  // namespace kubeadm
