// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm fleet watch`, `logs` and `timeline`: an operation while it runs, and later.
#include "fleet/watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/terminal.h"
#include "fleet/change_report.h"
#include "fleet/facts.h"
#include "fleet/logs.h"
#include "fleet/timeline.h"
#include "json/value.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/fleet/shared.h"
#include "kubeadm/terminal.h"
#include "print/text_table.h"
#include "workflow/timeline/draw.h"

namespace kubeadm {
namespace {

using base::Error;

// The longest outage of the API server during an upgrade of the only control-plane node.
constexpr std::chrono::minutes kServerOutage{10};
constexpr std::chrono::seconds kPatience{10};

// Returns the first `columns` characters of a line.
std::string Cut(const std::string& line, std::size_t columns) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
    if (begins && ++characters > columns) {
      return line.substr(0, i);
    }
  }
  return line;
}

// Replaces the previous table of the terminal by a new one.
class RedrawnTable {
 public:
  explicit RedrawnTable(cli::Streams& streams) : streams_(streams) {}

  void Show(const json::Value& object) {
    std::vector<std::string> lines = base::Lines(print::TextTable(fleet::RowsOf(object)));
    lines.push_back(base::Visible(fleet::SummaryOf(object)));
    streams_.out << cli::ClearLines{lines_};
    for (const std::string& line : lines) {
      streams_.out << Cut(line, streams_.columns) << '\n';
    }
    streams_.out << std::flush;
    lines_ = lines.size();
  }

 private:
  cli::Streams& streams_;
  std::size_t lines_ = 0;  // number of lines of the table on the terminal
};

void ShowChanges(const json::Value& object, fleet::ChangeReport& report) {
  const std::vector<std::vector<std::string>> rows = fleet::RowsOf(object);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& row = rows[i];
    report.Show(row[1].empty() ? row[0] : fmt::format("{} ({})", row[0], row[1]),
                row[3].empty() ? row[2] : fmt::format("{}: {}", row[2], row[3]),
                row[2] == "Pending");
  }
  report.Show("operation", fleet::SummaryOf(object), false);
}

void Watch(cli::Invocation& invocation, host::Host& host) {
  const std::string& name = RequireOperationName(invocation);
  kube::Client client = FleetClient(invocation, host, kServerOutage);
  RedrawnTable table(invocation.streams);
  fleet::ChangeReport report(SayAs("fleet", invocation));
  const bool redraws = invocation.streams.columns > 0;
  fleet::WatchOperation({.client = client,
                         .name = name,
                         .clock = host.clock,
                         .show =
                             [&](const json::Value& object) {
                               redraws ? table.Show(object) : ShowChanges(object, report);
                             }},
                        host.signals.Interrupt());
}

void Logs(cli::Invocation& invocation, host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const fleet::LogQuery query{.operation = RequireOperationName(invocation),
                              .name_space = flags.Text("namespace"),
                              .node = flags.Text("node")};
  kube::Client client = FleetClient(invocation, host, kPatience);
  const std::vector<fleet::TaskLog> logs = fleet::CollectLogs(client, query);
  if (logs.empty()) {
    throw Error(Error::Kind::kNotFound,
                fmt::format("operation {} has no Pods: its Jobs were not begun, or are removed",
                            query.operation));
  }
  std::ostream& out = invocation.streams.out;
  for (const fleet::TaskLog& log : logs) {
    out << "==> " << log.node << ": " << log.pod << " <==\n" << log.text;
    if (!log.text.empty() && !log.text.ends_with('\n')) {
      out << '\n';
    }
    if (!log.problem.empty()) {
      out << "(no log: " << log.problem << ")\n";
    }
  }
  out << std::flush;
}

void Timeline(cli::Invocation& invocation, host::Host& host) {
  const std::string& name = RequireOperationName(invocation);
  const std::string& output = invocation.flags.Text("output");
  const timeline::Form form = output.empty() ? timeline::Form::kSvg : timeline::FormOf(output);
  kube::Client client = FleetClient(invocation, host, kPatience);
  const timeline::RunRecord run = fleet::CollectRun(client, name, host.clock.NowSeconds());
  const std::string drawing =
      form == timeline::Form::kSvg ? timeline::Svg(run) : timeline::Html(run);
  if (output.empty()) {
    invocation.streams.out << cli::Exact{drawing} << std::flush;
  } else {
    host.files.Write(output, drawing, {.mode = 0644});
  }
}

}  // namespace

std::vector<cli::Command> FleetWatchCommands(host::Host& host) {
  return Made({{.name = "logs",
                .summary = "Show the output of kubeadm on the nodes of an operation",
                .text = "fleet-logs",
                .flags = {FleetKubeconfigFlag(),
                          {.name = "namespace",
                           .default_text = std::string(fleet::kDefaultNamespace),
                           .help = "The namespace of the Jobs"},
                          {.name = "node", .help = "Only the output of this node"}},
                .usage_args = "NAME",
                .max_args = 1,
                .run = Logs},
               {.name = "timeline",
                .summary = "Draw the work on the nodes of an operation against time",
                .text = "fleet-timeline",
                .flags = {FleetKubeconfigFlag(),
                          {.name = "output",
                           .shorthand = 'o',
                           .help = "The file to write, FILE.svg or FILE.html; standard output "
                                   "gets an SVG if it is not set"}},
                .usage_args = "NAME",
                .max_args = 1,
                .run = Timeline},
               {.name = "watch",
                .summary = "Show the state of an operation's nodes until it ends",
                .text = "fleet-watch",
                .flags = {FleetKubeconfigFlag()},
                .usage_args = "NAME",
                .max_args = 1,
                .run = Watch}},
              host);
}

}  // namespace kubeadm
