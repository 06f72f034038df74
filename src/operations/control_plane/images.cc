// SPDX-License-Identifier: Apache-2.0
#include "control_plane/images.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/threads.h"

namespace control_plane {
namespace {

using base::Error;

void Progress(const PullContext& context, std::optional<std::string_view> what) {
  if (context.progress) {
    context.progress(what);
  }
}

// Pulls an image that the earlier checks did not pull, because only a patch names it.
void PullBriefly(const std::string& image, const PullContext& context) {
  if (context.policy == "Never") {
    throw Error(Error::Kind::kNotFound,
                "it is not here, and imagePullPolicy is Never: pull it on this node first");
  }
  Progress(context, "pulling " + image);
  std::stop_source stop;
  const std::stop_callback interrupted(context.stop, [&] { stop.request_stop(); });
  base::Threads threads;
  threads.Add([&](const std::stop_token& done) {
    if (context.clock.Sleep(context.limit, done)) {
      stop.request_stop();
    }
  });
  try {
    context.runtime.PullImage(image, stop.get_token());
  } catch (const base::Interrupted&) {
    if (!context.stop.stop_requested()) {
      throw Error(
          Error::Kind::kTimeout,
          fmt::format("pulling it takes longer than {} s; pull it on this node beforehand, "
                      "or fix its name",
                      std::chrono::duration_cast<std::chrono::seconds>(context.limit).count()));
    }
    throw;
  }
  Progress(context, {});
}

}  // namespace

void RequireImages(std::span<const PodChange> changes, const PullContext& context) {
  for (const PodChange& change : changes) {
    for (const json::Value& container : json::At(change.pod, {"spec", "containers"})) {
      const std::string image = json::TextAt(container, {"image"});
      if (change.what == PodChange::What::kReplace && !context.runtime.HasImage(image)) {
        base::WithContext(fmt::format("nothing was changed: the image {} of {} cannot be obtained",
                                      image, components::Name(change.component)),
                          [&] { PullBriefly(image, context); });
      }
    }
  }
}

}  // namespace control_plane
