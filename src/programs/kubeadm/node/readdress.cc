// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm node readdress`.
#include <fmt/core.h>

#include "base/error.h"
#include "base/strings.h"
#include "cri/runtime.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/terminal.h"
#include "readdress/apply.h"
#include "readdress/plan.h"
#include "upgrade/backup.h"

namespace kubeadm {
namespace {

using base::Error;
using readdress::Journal;
using readdress::Move;

net::IpAddress AddressOf(const std::string& text, const char* flag) {
  const auto address = net::IpAddress::Parse(text);
  if (!address) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{}: {} is no IP address", flag, base::Quoted(text)));
  }
  return *address;
}

// The old address as the user says it, else as a run has it that was cut off, else as the node's
// files do.
Move MoveBy(const cli::Parsed& flags, const readdress::Node& node,
            const std::optional<Journal>& journal) {
  const net::IpAddress to = AddressOf(flags.Text("to"), "--to");
  std::optional<net::IpAddress> from = journal ? std::optional(journal->move.from) : node.address;
  if (const std::string& text = flags.Text("from"); !text.empty()) {
    from = AddressOf(text, "--from");
  }
  if (!from) {
    throw Error(Error::Kind::kUsage,
                "nothing on this node says which address it had: give it by --from");
  }
  if (journal && (journal->move.from != *from || journal->move.to != to)) {
    throw Error(
        fmt::format("the change from {} to {} was cut off here: finish it first, by "
                    "'kubeadm node readdress --to {}'",
                    journal->move.from.Text(), journal->move.to.Text(), journal->move.to.Text()));
  }
  if (*from == to && !journal) {
    throw Error(Error::Kind::kUsage, fmt::format("{} is the node's address already", to.Text()));
  }
  return {.from = *from, .to = to};
}

// The cluster's objects, if the API server here answers.
std::vector<json::Value> Objects(const readdress::Node& node, const Move& move,
                                 const readdress::Engine& engine, std::string& note) {
  for (const net::IpAddress& address : readdress::AddressesToAsk(node, move)) {
    try {
      kube::Client client = readdress::ClientFor(node, address, engine);
      return readdress::SearchObjects(client);
    } catch (const Error& error) {
      note = fmt::format("The cluster's objects are not searched now: {}\n", error.message());
    }
  }
  return {};
}

void ShowPlan(const readdress::Plan& plan, const Move& move, const std::string& note,
              std::ostream& out) {
  out << fmt::format("From {} to {}\n", move.from.Text(), move.to.Text());
  out << (plan.occurrences.empty()
              ? std::string("Nothing names the old address\n")
              : "What names the old address, and what becomes of it:\n" + TextOf(plan.occurrences));
  if (!plan.unread.empty()) {
    out << "Not searched:\n" << TextOf(plan.unread);
  }
  out << note << std::flush;
}

void SayNext(const readdress::Node& node, const readdress::Plan& plan, const Move& move,
             const base::ShowLine& say) {
  say(fmt::format("This node has the address {}", move.to.Text()));
  const bool named = std::ranges::any_of(plan.files, [](const readdress::FileChange& change) {
    return change.path.filename() == "admin.conf";
  });
  if (node.control_plane && named) {
    say(
        fmt::format("Nodes that reach the API server at {} are told on each of them: kubeadm node "
                    "readdress --from {} --to {}",
                    move.from.Text(), move.from.Text(), move.to.Text()));
  }
}

void Readdress(cli::Invocation& invocation, host::Host& host) {
  const base::ShowLine say = [&out = invocation.streams.out](const std::string& line) {
    out << "[readdress] " << line << '\n' << std::flush;
  };
  const NodeLock lock = LockNode(invocation, host, {.say = say});
  std::optional<Journal> journal = readdress::LoadJournal(host.files);
  const readdress::Node node = readdress::LookAtNode(host);
  const Move move = MoveBy(invocation.flags, node, journal);
  const readdress::Engine engine{
      .host = host,
      .connect_runtime =
          [&] { return cri::Connect(node.config.init.node_registration.cri_socket); },
      .start = std::chrono::floor<std::chrono::seconds>(host.clock.Now()),
      .stop = host.signals.Interrupt(),
      .say = say};
  std::string note;
  const readdress::Plan plan =
      MakePlan({.files = readdress::SearchFiles(host.files),
                .objects = node.control_plane ? Objects(node, move, engine, note)
                                              : std::vector<json::Value>(),
                .certificates_dir = node.config.cluster.certificates_dir,
                .node = node.config.init.node_registration.name},
               move);
  ShowPlan(plan, move, note, invocation.streams.out);
  WorldBy(invocation.flags, host)->Do({.act = [&] {
    readdress::CheckMove(node, plan, move, engine);
    if (!invocation.flags.Bool("yes") &&
        !Confirm(invocation.streams, host.signals, "Go on? [y/N]: ")) {
      throw Error("the user has not answered with yes; nothing was changed");
    }
    if (!journal) {
      journal = Journal{.move = move,
                        .directory = upgrade::MakeBackupDirectory(host, "kubeadm-node-readdress")};
    }
    readdress::Apply(node, *journal, engine);
    SayNext(node, plan, move, say);
  }});
}

}  // namespace

cli::Command NodeReaddressCommand(host::Host& host) {
  return Made(
      {.name = "readdress",
       .summary = "Give this node another IP address",
       .text = "node-readdress",
       .flags =
           {Switch("dry-run", "Show what names the old address, and change nothing"),
            {.name = "from",
             .help = "The old address, where it is not the one that this node's API "
                     "server or kubelet is told"},
            LockTimeoutFlag(kRunPatience),
            {.name = "to", .help = "The new address", .required = true},
            {.name = "yes", .shorthand = 'y', .type = cli::FlagType::kBool, .help = "Ask nothing"}},
       .run = Readdress},
      host);
}

}  // namespace kubeadm
