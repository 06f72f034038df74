#include "machine_approver/run.h"

#include <csignal>
#include <thread>

#include "approver/controller.h"
#include "base/log.h"
#include "http/server.h"
#include "machine_approver/connect.h"
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
    signal(SIGPIPE, SIG_IGN);
    thread_ = std::jthread([this, &stop](const std::stop_token& ended) {
      const timespec moment{.tv_sec = 0, .tv_nsec = 200'000'000};
      while (!ended.stop_requested()) {
        if (sigtimedwait(&set_, nullptr, &moment) > 0) {
          stop.request_stop();
        }
      }
    });
  }

 private:
  sigset_t set_{};
  std::jthread thread_;
};

http::ServerReply Answer(approver::Controller& controller, const std::string& path) {
  if (path == "/metrics") {
    return {.body = controller.MetricsText(),
            .content_type = "text/plain; version=0.0.4; charset=utf-8"};
  }
  if (path == "/healthz") {
    return {.body = "ok\n"};
  }
  if (path == "/readyz") {
    return controller.Synced() ? http::ServerReply{.body = "ok\n"}
                               : http::ServerReply{.status = 503, .body = "not synced yet\n"};
  }
  return {.status = 404, .body = "there are /metrics, /healthz and /readyz\n"};
}

}  // namespace

void RunController(host::Host& host, const cli::Parsed& flags) {
  std::stop_source stop;
  const approver::Settings settings = ControllerSettings(host, flags);
  const MetricsAddress address = MetricsAddressOf(host, flags);
  approver::Clusters clusters = ConnectAll(host, flags);
  const Signals signals(stop);
  approver::Controller controller(settings, std::move(clusters), host);
  const http::Server server({.host = address.host, .port = address.port},
                            [&](const std::string& path) { return Answer(controller, path); });
  base::LogInfo(0, "metrics and health are served on port {}", server.port());
  controller.Run(stop.get_token());
}

}  // namespace machine_approver
