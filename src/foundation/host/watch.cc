// SPDX-License-Identifier: Apache-2.0
#include "host/watch.h"

#include <poll.h>
#include <sys/inotify.h>

#include <algorithm>
#include <cerrno>

#include "host/descriptor.h"

namespace host {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kEvents = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE |
                                  IN_MODIFY | IN_ATTRIB | IN_DELETE | IN_DELETE_SELF |
                                  IN_MOVE_SELF | IN_ONLYDIR;
constexpr milliseconds kSafetyNet{1000};
constexpr milliseconds kFirstPause{10};
constexpr milliseconds kLongestPause{250};

// Watches the nearest existing directory above a path.
class DirectoryWatch {
 public:
  explicit DirectoryWatch(const fs::path& path)
      : directory_(path.parent_path()), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

  int get() const { return inotify_.get(); }

  // Starts or confirms the watch. Call it before each check of the file, so that no change between
  // two checks is missed. Returns false if the kernel cannot watch the directory.
  bool Arm() {
    char buffer[4096];
    while (inotify_.valid() && ::read(inotify_.get(), buffer, sizeof buffer) > 0) {
    }
    for (fs::path directory = directory_; inotify_.valid(); directory = directory.parent_path()) {
      const int watch = ::inotify_add_watch(inotify_.get(), directory.c_str(), kEvents);
      if (watch >= 0) {
        Keep(watch);
        return true;
      }
      if ((errno != ENOENT && errno != ENOTDIR) || directory == directory.parent_path()) {
        return false;
      }
    }
    return false;
  }

 private:
  void Keep(int watch) {
    if (watch_ >= 0 && watch_ != watch) {
      ::inotify_rm_watch(inotify_.get(), watch_);
    }
    watch_ = watch;
  }

  fs::path directory_;
  Descriptor inotify_;
  int watch_ = -1;
};

}  // namespace

WaitResult WaitForFile(const Files& files, const fs::path& path,
                       const std::function<bool()>& happened, const WaitLimits& limits) {
  DirectoryWatch watch(files.Location(path));
  const WakeOnStop wake(limits.stop);
  milliseconds pause = kFirstPause;
  for (;;) {
    const bool armed = watch.Arm();
    if (happened()) {
      return WaitResult::kHappened;
    }
    if (limits.stop.stop_requested()) {
      return WaitResult::kStopped;
    }
    const auto now = limits.clock.Steady();
    if (now >= limits.deadline) {
      return WaitResult::kDeadline;
    }
    const std::chrono::nanoseconds left = limits.deadline - now;
    pollfd polled[] = {{.fd = wake.get(), .events = POLLIN, .revents = 0},
                       {.fd = armed ? watch.get() : -1, .events = POLLIN, .revents = 0}};
    limits.clock.Poll(polled, std::min<std::chrono::nanoseconds>(left, armed ? kSafetyNet : pause));
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace host
