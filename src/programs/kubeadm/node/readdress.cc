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
#include "readdress/begin.h"
#include "readdress/plan.h"
#include "upgrade/backup.h"

namespace kubeadm {
namespace {

using base::Error;
using readdress::Journal;

net::IpAddress AddressOf(const std::string& text, const char* flag) {
  const auto address = net::IpAddress::Parse(text);
  if (!address) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{}: {} is not an IP address", flag, base::Quoted(text)));
  }
  return *address;
}

void Readdress(cli::Invocation& invocation, host::Host& host) {
  const base::ShowLine say = SayAs("readdress", invocation);
  const NodeLock lock = LockToAct(invocation, host, {.say = say});
  std::optional<Journal> journal = readdress::LoadJournal(host.files);
  const readdress::Node node = readdress::LookAtNode(host);
  const std::string& from = invocation.flags.Text("from");
  const readdress::Move move =
      ChooseMove({.to = AddressOf(invocation.flags.Text("to"), "--to"),
                  .from = from.empty() ? std::nullopt : std::optional(AddressOf(from, "--from"))},
                 node, journal);
  const readdress::Engine engine{
      .host = host,
      .connect_runtime =
          [&] { return cri::Connect(node.config.init.node_registration.cri_socket); },
      .start = host.clock.NowSeconds(),
      .stop = host.signals.Interrupt(),
      .say = say};
  std::string note;
  const readdress::Plan plan =
      MakePlan({.files = readdress::SearchFiles(host.files),
                .objects = node.control_plane ? FindObjects(node, move, engine, note)
                                              : std::vector<json::Value>(),
                .certificates_dir = node.config.cluster.certificates_dir,
                .node = node.config.init.node_registration.name},
               move);
  invocation.streams.out << TextOf(plan, move) << note << std::flush;
  WorldBy(invocation.flags, host)->Do({.on_machine = [&] {
    readdress::CheckMove(node, plan, move, engine);
    RequireYes(invocation, host);
    if (!journal) {
      journal = Journal{.move = move,
                        .directory = upgrade::MakeBackupDirectory(host, "kubeadm-node-readdress")};
    }
    readdress::Apply(node, *journal, engine);
    say(fmt::format("This node has the address {}", move.to.Text()));
    if (const auto next = NextStep(node, plan, move)) {
      say(*next);
    }
  }});
}

}  // namespace

cli::Command NodeReaddressCommand(host::Host& host) {
  return Made({.name = "readdress",
               .summary = "Give this node another IP address",
               .text = "node-readdress",
               .flags = {Switch("dry-run", "Show what names the old address, and change nothing"),
                         {.name = "from",
                          .help = "The old address, if it is not the one that this node's API "
                                  "server or kubelet is given"},
                         LockTimeoutFlag(kRunPatience),
                         {.name = "to", .help = "The new address", .required = true},
                         CommonFlags({"yes"}).front()},
               .run = Readdress},
              host);
}

}  // namespace kubeadm
