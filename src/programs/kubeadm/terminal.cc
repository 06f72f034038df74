#include "kubeadm/terminal.h"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <istream>
#include <ostream>
#include <thread>

#include "base/error.h"
#include "base/strings.h"
#include "cli/input.h"

namespace kubeadm {
namespace {

std::size_t TerminalWidth() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
    return 0;
  }
  return size.ws_col;
}

// A thread that waits for the signals: a handler could not ask a stop_source safely. It is made
// once and lives as long as the process.
std::stop_source& Interrupts() {
  static std::stop_source* const source = [] {
    auto* made = new std::stop_source;  // NOLINT: outlives every thread on purpose
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([made, signals] {
      int signal = 0;
      sigwait(&signals, &signal);
      made->request_stop();
      sigwait(&signals, &signal);
      _exit(128 + signal);
    }).detach();
    return made;
  }();
  return *source;
}

}  // namespace

workflow::Clocks ClocksOf(host::Host& host) {
  return {.now = [&host] { return host.clock.Now(); },
          .steady = [&host] { return host.clock.Steady(); }};
}

workflow::Listener ShowAs(const std::string& format, std::ostream& out, workflow::Clocks clocks) {
  if (format == "json") {
    return workflow::JsonLines(out);
  }
  if (format != "text") {
    throw base::Error(base::Error::Kind::kUsage, "invalid output format " + base::Quoted(format) +
                                                     ": --output takes text or json");
  }
  return workflow::TextLines(
      {.out = out, .clocks = std::move(clocks), .terminal_width = TerminalWidth()});
}

std::stop_token InterruptToken() { return Interrupts().get_token(); }

bool Confirm(cli::Streams& streams, const std::string& question) {
  // Nothing is under way that an interrupt would have to wait for.
  const std::stop_callback leave(InterruptToken(), [] { std::_Exit(130); });
  streams.out << question << std::flush;
  std::string answer = cli::ReadLine(streams.in);
  if (answer.ends_with('\r')) {
    answer.pop_back();
  }
  const std::string word = base::ToLower(answer);  // " y" is no yes, as upstream has it
  return word == "y" || word == "yes";
}

}  // namespace kubeadm
