#include "kubeadm/certs/rotate_ca.h"

#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "ca_rotation/ca_cluster.h"
#include "certs/sharing.h"
#include "kubeadm/certs/rotate_ca_pair.h"
#include "kubeadm/certs/rotate_ca_report.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "kubeadm/terminal.h"

namespace kubeadm {
namespace {

using ca_rotation::Authority;
using ca_rotation::Decision;
using ca_rotation::Situation;
using cli::FlagType;
using Kind = Decision::Kind;

RotateOptions OptionsOf(const cli::Parsed& flags) {
  RotateOptions options{.dry_run = flags.Bool("dry-run"),
                        .again = flags.Bool("again"),
                        .early = flags.Bool("early"),
                        .upload_certs = flags.Bool("upload-certs"),
                        .certificate_key = flags.Text("certificate-key")};
  if (!options.certificate_key.empty()) {
    base::WithContext("--certificate-key",
                      [&] { certs::ParseCertificateKey(options.certificate_key); });
  }
  return options;
}

// Rotator is one run on one node.
class Rotator {
 public:
  Rotator(const RotatingNode& node, const Say& say) : node_(node), say_(say) {}

  void Run() {
    if (decision_.kind == Kind::kFinished) {
      RemoveSavedPairs(node_);
      say_(StatusText(situation_, decision_));
      return;
    }
    const bool fetches =
        decision_.kind == Kind::kNeedsPair && !node_.options.certificate_key.empty();
    if (decision_.kind == Kind::kBegin) {
      BeginRotation(node_, situation_, say_);
      Gather();
    } else if (fetches) {
      FetchPair(node_, situation_.record.value(), say_);
      Gather();
    }
    if (node_.options.upload_certs) {
      outcome_.certificate_key = UploadPair(node_, say_);
      say_(fmt::format("[rotate-ca] Using certificate key:\n{}", outcome_.certificate_key));
    }
    if (const std::string refusal = Refusal(situation_, decision_); !refusal.empty()) {
      throw base::Error(refusal);
    }
    Step();
  }

  void Gather() {
    situation_ = GatherSituation(node_);
    decision_ = ca_rotation::Decide(situation_);
  }

  const Situation& situation() const { return situation_; }
  const Decision& decision() const { return decision_; }
  const StepOutcome& outcome() const { return outcome_; }

 private:
  void Step() {
    const ca_rotation::Step step = decision_.step;
    say_(fmt::format("[rotate-ca] {}, node {}: step {}", node_.authority.long_name, node_.name,
                     ca_rotation::NameOf(step)));
    const std::string key = outcome_.certificate_key;
    outcome_ = RunStep(node_, situation_.record.value(), step, say_);
    outcome_.certificate_key = key;
    situation_ = GatherSituation(node_);
    std::vector<std::string> behind;
    for (const ca_rotation::NodeState& other : situation_.nodes) {
      if (!other.done || *other.done < step) {
        behind.push_back(other.name);
      }
    }
    decision_ = {.kind = Kind::kStep, .step = step, .behind = behind};
    say_(fmt::format("[rotate-ca] Step {} is done on this node", ca_rotation::NameOf(step)));
    say_("[rotate-ca] " + NextText(situation_, step, behind));
  }

  const RotatingNode& node_;
  const Say& say_;
  Situation situation_ = GatherSituation(node_);
  Decision decision_ = ca_rotation::Decide(situation_);
  StepOutcome outcome_;
};

void Rotate(cli::Invocation& invocation, host::Host& host, const Authority& authority) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const RotateOptions options = OptionsOf(invocation.flags);
  const Say say = [&](const std::string& line) {
    if (printer.IsText()) {
      invocation.streams.out << line << '\n' << std::flush;
    }
  };
  const Say quiet = [](const std::string&) {};
  const RotatingNode node = OpenNode(invocation.flags, authority, options, host, quiet);
  if (options.dry_run) {
    const Situation situation = GatherSituation(node);
    const Decision decision = ca_rotation::Decide(situation);
    invocation.streams.out << (printer.IsText()
                                   ? StatusText(situation, decision)
                                   : printer.Print(ReportObject(situation, decision, nullptr)));
    return;
  }
  const NodeLock lock = LockNode(invocation, host, {.say = say});
  Rotator rotator(node, say);
  rotator.Run();
  if (!printer.IsText()) {
    invocation.streams.out << printer.Print(
        ReportObject(rotator.situation(), rotator.decision(), &rotator.outcome()));
  }
}

std::vector<cli::Flag> RotateFlags() {
  std::vector<cli::Flag> flags = PrinterFlags();
  std::ranges::move(CertsSourceFlags(), std::back_inserter(flags));
  flags.push_back({.name = "again",
                   .type = FlagType::kBool,
                   .help = "Begin one more rotation after one that is complete"});
  flags.push_back({.name = "certificate-key",
                   .help = "The key that --upload-certs printed where the rotation began"});
  flags.push_back({.name = "dry-run",
                   .type = FlagType::kBool,
                   .help = "Show who trusts and signs what, and what would be done next"});
  flags.push_back({.name = "early",
                   .type = FlagType::kBool,
                   .help = "Drop the old key of tokens although some may still be in use"});
  flags.push_back(LockTimeoutFlag(kRunPatience));
  flags.push_back({.name = "upload-certs",
                   .type = FlagType::kBool,
                   .help = "Store the new authority, encrypted, for the other nodes of the control "
                           "plane"});
  return flags;
}

}  // namespace

cli::Command RotateCaCommand(host::Host& host) {
  cli::Command group =
      Documented("rotate-ca", "Replace a certificate authority step by step", "certs-rotate-ca");
  group.hidden = true;
  group.run = cli::RequireSubcommand;
  group.children = [&host] {
    std::vector<cli::Command> commands;
    for (const Authority& authority : ca_rotation::Authorities()) {
      cli::Command command =
          Documented(std::string(authority.name),
                     fmt::format("Replace the {}", authority.long_name), "certs-rotate-ca");
      command.flags = RotateFlags();
      command.run = [&host, &authority](cli::Invocation& invocation) {
        Rotate(invocation, host, authority);
      };
      commands.push_back(std::move(command));
    }
    return commands;
  };
  return group;
}

}  // namespace kubeadm
