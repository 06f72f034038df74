#include "kubeadm/certs/rotate_ca.h"

#include <fmt/core.h>

#include <ostream>

#include "base/error.h"
#include "ca_rotation/pair.h"
#include "ca_rotation/step.h"
#include "certs/sharing.h"
#include "config/paths.h"
#include "kubeadm/certs/rotate_ca_report.h"
#include "kubeadm/certs/source.h"
#include "kubeadm/documented.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "kubelet/local_runtime.h"
#include "renewal/kubelet_certificate.h"
#include "static_pods/components.h"

namespace kubeadm {
namespace {

using ca_rotation::Authority;
using ca_rotation::Decision;
using ca_rotation::Situation;
using cli::FlagType;
using Kind = Decision::Kind;

constexpr std::chrono::milliseconds kApiPatience{90'000};
constexpr std::chrono::milliseconds kOneTry{5'000};
constexpr std::chrono::seconds kRuntimePatience{60};

struct RotateOptions {
  bool dry_run = false;
  bool upload_certs = false;
  std::string certificate_key;  // in hex; "" when there is none
  ca_rotation::Wishes wishes;
};

RotateOptions OptionsOf(const cli::Parsed& flags) {
  RotateOptions options{.dry_run = flags.Bool("dry-run"),
                        .upload_certs = flags.Bool("upload-certs"),
                        .certificate_key = flags.Text("certificate-key"),
                        .wishes = {.again = flags.Bool("again"), .early = flags.Bool("early")}};
  if (!options.certificate_key.empty()) {
    base::WithContext("--certificate-key",
                      [&] { certs::ParseCertificateKey(options.certificate_key); });
  }
  return options;
}

// OpenNode finds out on which node this is. Throws base::Error when it is none, or one where the
// authority cannot be replaced.
ca_rotation::Node OpenNode(const cli::Parsed& flags, const Authority& authority, bool dry_run,
                           host::Host& host) {
  ca_rotation::Node node{.host = host,
                         .authority = authority,
                         .config = {},
                         .name = {},
                         .control_plane = host.files.Exists(
                             static_pods::ManifestPath(static_pods::Component::kApiServer))};
  ca_rotation::CheckRole(node);
  node.name = base::WithContext("this machine is no node that kubeadm has made",
                                [&] { return renewal::FindKubeletClient(host.files).Node(); });
  host::fs::path kubeconfig = host::fs::path(config::kKubernetesDir) / config::kKubeletConf;
  if (node.control_plane) {
    kubeconfig = flags.Text("kubeconfig");
    node.config = LoadCertsConfig(flags, host, "[rotate-ca]", [](const std::string&) {});
  } else {
    node.config.cluster.certificates_dir = flags.Text("cert-dir");
  }
  ca_rotation::CheckAuthority(node);
  node.new_client = [&host, kubeconfig, limit = dry_run ? kOneTry : kApiPatience] {
    return ClientOf(kubeconfig, host, limit);
  };
  node.connect_runtime = [&host] {
    return cri::Connect(kubelet::LocalCriSocket(host), kRuntimePatience);
  };
  return node;
}

// Rotator is one run on one node.
class Rotator {
 public:
  Rotator(const ca_rotation::Node& node, const RotateOptions& options, const Say& say)
      : node_(node), options_(options), say_(say) {
    Gather();
  }

  void Run() {
    if (decision_.kind == Kind::kFinished) {
      ca_rotation::RemoveSavedPairs(node_);
      say_(StatusText(situation_, decision_));
      return;
    }
    if (decision_.kind == Kind::kBegin) {
      ca_rotation::Begin(node_, situation_);
      Gather();
    } else if (decision_.kind == Kind::kNeedsPair && !options_.certificate_key.empty()) {
      ca_rotation::FetchPair(node_, situation_.record.value(), options_.certificate_key);
      Gather();
    }
    if (options_.upload_certs) {
      outcome_.certificate_key = ca_rotation::UploadPair(node_);
      say_(fmt::format("[rotate-ca] Using certificate key:\n{}", outcome_.certificate_key));
    }
    if (const std::string refusal = Refusal(situation_, decision_); !refusal.empty()) {
      throw base::Error(refusal);
    }
    Step();
  }

  const Situation& situation() const { return situation_; }
  const Decision& decision() const { return decision_; }
  const RotationOutcome& outcome() const { return outcome_; }

 private:
  void Gather() {
    situation_ = ca_rotation::GatherSituation(node_, options_.wishes);
    decision_ = ca_rotation::Decide(situation_);
  }

  void Step() {
    const ca_rotation::Step step = decision_.step;
    say_(fmt::format("[rotate-ca] {}, node {}: step {}", node_.authority.long_name, node_.name,
                     ca_rotation::NameOf(step)));
    outcome_.step = ca_rotation::RunStep(node_, situation_.record.value(), step, options_.wishes);
    situation_ = ca_rotation::GatherSituation(node_, options_.wishes);
    decision_ = {
        .kind = Kind::kStep, .step = step, .behind = ca_rotation::NodesBehind(situation_, step)};
    say_(fmt::format("[rotate-ca] Step {} is done on this node", ca_rotation::NameOf(step)));
    say_("[rotate-ca] " + NextText(situation_, step, decision_.behind));
  }

  const ca_rotation::Node& node_;
  const RotateOptions& options_;
  const Say& say_;
  Situation situation_;
  Decision decision_;
  RotationOutcome outcome_;
};

void Rotate(cli::Invocation& invocation, host::Host& host, const Authority& authority) {
  const print::Printer printer = PrinterOf(invocation.flags, host);
  const RotateOptions options = OptionsOf(invocation.flags);
  const Say say = [&](const std::string& line) {
    if (printer.IsText()) {
      invocation.streams.out << line << '\n' << std::flush;
    }
  };
  ca_rotation::Node node = OpenNode(invocation.flags, authority, options.dry_run, host);
  if (options.dry_run) {
    const Situation situation = ca_rotation::GatherSituation(node, options.wishes);
    const Decision decision = ca_rotation::Decide(situation);
    invocation.streams.out << (printer.IsText()
                                   ? StatusText(situation, decision)
                                   : printer.Print(ReportObject(situation, decision, nullptr)));
    return;
  }
  const NodeLock lock = LockNode(invocation, host, {.say = say});
  node.stop = host.signals.Interrupt();
  node.say = [&](const std::string& line) { say("[rotate-ca] " + line); };
  Rotator rotator(node, options, say);
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
