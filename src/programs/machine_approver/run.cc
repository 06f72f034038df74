#include "machine_approver/run.h"

#include <csignal>
#include <thread>

#include "base/log.h"
#include "controller/controller.h"
#include "machine_approver/connect.h"
#include "machine_approver/metrics_server.h"
#include "machine_approver/options.h"

namespace machine_approver {
namespace {

// Signals turns SIGTERM and SIGINT into a request to stop. Made before any other thread, so that
// all of them leave the signals alone.
class Signals {
 public:
  explicit Signals(std::stop_source& stop) {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    thread_ = std::jthread([this, &stop](const std::stop_token& ended) {
      int signal = 0;
      while (!ended.stop_requested() && sigwait(&set_, &signal) == 0) {
        stop.request_stop();
      }
    });
  }
  ~Signals() {
    thread_.request_stop();
    pthread_kill(thread_.native_handle(), SIGTERM);  // wakes nobody but the thread
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  sigset_t set_{};
  std::jthread thread_;
};

}  // namespace

void RunController(host::Host& host, const cli::Parsed& flags) {
  std::stop_source stop;
  const controller::Settings settings = ControllerSettings(host, flags);
  const MetricsOptions metrics = MetricsOptionsOf(host, flags);
  const controller::Clusters clusters = ConnectAll(host, flags);
  const Signals signals(stop);
  controller::Controller controller(settings, clusters, host);
  const MetricsServer server(host, metrics, controller, clusters);
  base::LogInfo(0, "metrics and health are served on port {}", server.port());
  controller.Run(stop.get_token());
}

}  // namespace machine_approver
