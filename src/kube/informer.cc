#include "kube/informer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "kube/wait.h"

namespace kube {
namespace {

using base::Error;
using data::Json;

std::pair<std::string, std::string> KeyOf(const Json& object) {
  return {data::TextAt(object, {"metadata", "namespace"}),
          data::TextAt(object, {"metadata", "name"})};
}

std::string VersionOf(const Json& object) {
  return data::TextAt(object, {"metadata", "resourceVersion"});
}

}  // namespace

Informer::Informer(Transport& transport, InformerOptions options, InformerEvents events)
    : transport_(transport), options_(std::move(options)), events_(std::move(events)) {
  options_.list.verb = Verb::kList;
  options_.list.limit = options_.page_size;
  options_.list.largest_body = options_.page_bytes;
}

void Informer::Run(const std::stop_token& stop) {
  milliseconds pause = options_.first_pause;
  while (!stop.stop_requested()) {
    const std::size_t before = changes_;
    try {
      if (version_.empty()) {
        List(stop);
      }
      Watch(stop);
    } catch (const Error& error) {
      if (stop.stop_requested()) {
        return;
      }
      if (error.kind() == Error::Kind::kConflict) {
        version_.clear();
      } else if (error.kind() == Error::Kind::kNotFound) {
        Forget();
        throw;
      } else {
        events_.on_error(error);
      }
    }
    // A watch that ends without a word, again and again, must not become a storm of requests, nor
    // one that is told to list anew each time a storm of lists.
    pause = changes_ != before ? options_.first_pause : std::min(pause * 2, options_.longest_pause);
    Pause(pause, stop);
  }
}

// Page asks for fewer objects, now and in the pages behind, where so many are too large together.
Json Informer::Page(Call& call, const std::stop_token& stop) {
  while (true) {
    try {
      return transport_.Do(call, stop);
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInvalid || call.limit <= 1) {
        throw;
      }
      call.limit /= 2;
    }
  }
}

void Informer::List(const std::stop_token& stop) {
  std::set<Key> found;
  Call call = options_.list;
  std::string version;
  do {
    const Json page = Page(call, stop);
    version = VersionOf(page);
    call.continue_token = data::TextAt(page, {"metadata", "continue"});
    if (const Json& items = data::At(page, {"items"}); items.is_array()) {
      for (const Json& item : items) {
        Put(item);
        found.insert(KeyOf(item));
      }
    }
  } while (!call.continue_token.empty() && !stop.stop_requested());
  if (stop.stop_requested()) {
    return;
  }
  for (auto at = known_.begin(); at != known_.end();) {
    const Key key = at->first;
    if (found.contains(key)) {
      ++at;
    } else {
      at = known_.erase(at);
      events_.on_gone(key.first, key.second);
    }
  }
  version_ = version;
  events_.on_synced();
}

// Put notes at once what it tells: a list may end in its middle, and what the next one has not must
// be told of as gone.
void Informer::Put(const Json& object) {
  const std::string version = VersionOf(object);
  const auto [known, is_new] = known_.try_emplace(KeyOf(object), version);
  if (is_new || std::exchange(known->second, version) != version) {
    events_.on_put(object);
  }
}

void Informer::Watch(const std::stop_token& stop) {
  transport_.Watch(
      options_.list, version_,
      [this](const std::string& type, const Json& object) { return OnEvent(type, object); }, stop);
}

bool Informer::OnEvent(const std::string& type, const Json& object) {
  ++changes_;
  if (type == "DELETED") {
    const Key key = KeyOf(object);
    known_.erase(key);
    events_.on_gone(key.first, key.second);
  } else if (type != "BOOKMARK") {
    Put(object);
  }
  version_ = VersionOf(object);
  return true;
}

void Informer::Forget() {
  version_.clear();
  for (const auto& [key, version] : std::exchange(known_, {})) {
    events_.on_gone(key.first, key.second);
  }
}

}  // namespace kube
