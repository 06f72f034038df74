// SPDX-License-Identifier: Apache-2.0
#include "kube/informer.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "kube/line_reader.h"

namespace kube {
namespace {

using base::Error;
using std::chrono::milliseconds;

// Returns NAMESPACE/NAME.
std::string KeyOf(const json::Value& object) {
  return json::TextAt(object, {"metadata", "namespace"}) + "/" +
         json::TextAt(object, {"metadata", "name"});
}

// The limit of stored keys, in bytes. Each name may have 253 characters.
constexpr std::size_t kMostKeys = std::size_t{8} << 20;
constexpr std::size_t kPerKey = 48;        // a string, and its overhead
constexpr std::size_t kLongestName = 253;  // RFC 1123 subdomain
constexpr int kMostPages = 10'000;

// Fields that are not parsed. An object of a megabyte may have a hundred thousand ownerReferences,
// and parsing takes 700 bytes for each.
constexpr std::string_view kUnread[] = {"managedFields", "ownerReferences"};

std::size_t SizeOf(const std::string& key) { return kPerKey + key.size(); }

std::size_t HashOf(const std::string& key) { return std::hash<std::string>()(key); }

bool IsNamed(const json::Value& object) {
  const std::string name_space = json::TextAt(object, {"metadata", "namespace"});
  const std::string name = json::TextAt(object, {"metadata", "name"});
  return object.is_object() && std::max(name_space.size(), name.size()) <= kLongestName;
}

Error Endless(const Call& call) {
  return {Error::Kind::kInvalid,
          fmt::format("the server's list of {} has no end", call.resource.resource)};
}

std::string VersionOf(const json::Value& object) {
  return json::TextAt(object, {"metadata", "resourceVersion"});
}

}  // namespace

Informer::Informer(Transport& transport, host::Clock& clock, InformerOptions options,
                   InformerEvents events)
    : transport_(transport),
      clock_(clock),
      options_(std::move(options)),
      events_(std::move(events)) {
  options_.list.verb = Verb::kList;
  options_.list.limit = options_.page_size;
  options_.list.largest_body = options_.page_bytes;
  options_.list.unread = kUnread;
}

void Informer::Run(const std::stop_token& stop) {
  milliseconds pause = options_.first_pause;
  while (!stop.stop_requested()) {
    const std::size_t before = changes_;
    bool sane = true;
    try {
      if (version_.empty()) {
        List(stop);
      }
      Watch(stop);
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kConflict) {
        version_.clear();
      } else if (error.kind() == Error::Kind::kNotFound) {
        Forget();
        throw;
      } else {
        sane = error.kind() != Error::Kind::kInvalid;
        events_.on_error(error);
      }
    } catch (const base::Interrupted&) {
      return;
    } catch (...) {
      Forget();  // otherwise a restarted informer would never report their deletion
      throw;
    }
    // Without this backoff, three events could cause a storm of requests: watches that end
    // silently, requests to list again, and malformed answers.
    const bool news = sane && changes_ != before;
    pause = news ? options_.first_pause : std::min(pause * 2, options_.longest_pause);
    clock_.Sleep(pause, stop);
  }
}

// Requests a page. If its objects are too large together, requests smaller pages; afterwards the
// pages become larger again.
json::Value Informer::Page(Call& call, const std::stop_token& stop) {
  while (true) {
    call.largest_body = call.limit > 1 ? options_.page_bytes : kLongestEvent;
    try {
      json::Value page = transport_.Do(call, stop);
      call.limit = std::min(call.limit * 2, options_.page_size);
      return page;
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInvalid || call.limit <= 1) {
        throw;
      }
      call.limit /= 2;
    }
  }
}

// Passes all objects of the list to Put. Returns the list's version, which is the same on each
// page. Throws for an endless list: too many pages or objects, or an empty page that announces
// another one.
std::string Informer::ReadPages(Hashes& found, const std::stop_token& stop) {
  Call call = options_.list;
  for (int pages = 0; pages < kMostPages; ++pages) {
    const json::Value page = Page(call, stop);
    call.continue_token = json::TextAt(page, {"metadata", "continue"});
    const json::Value& items = json::At(page, {"items"});
    const std::size_t count = items.is_array() ? items.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      Put(items[i]);
      found.insert(HashOf(KeyOf(items[i])));
    }
    if (call.continue_token.empty() || Cut(found)) {
      return VersionOf(page);
    }
    if (count == 0) {
      break;
    }
  }
  throw Endless(call);
}

bool Informer::Cut(const Hashes& found) {
  if (found.size() < options_.most_objects) {
    return false;
  }
  GiveUpUnlessCut();
  events_.on_error(
      {Error::Kind::kInvalid,
       fmt::format("there are more than {} {}: the others are ignored until they change",
                   options_.most_objects, options_.list.resource.resource)});
  return true;
}

void Informer::List(const std::stop_token& stop) {
  Hashes found;
  const std::string version = ReadPages(found, stop);
  if (found.size() < options_.most_objects) {  // a list of that size may have been cut
    DropOthersThan(found);
  }
  version_ = version;
  events_.on_synced();
}

void Informer::DropOthersThan(const Hashes& found) {
  for (auto at = known_.begin(); at != known_.end();) {
    const std::size_t hash = at->first;
    ++at;
    if (found.contains(hash)) {
      continue;
    }
    ++changes_;
    if (const std::string key = Erase(hash); !key.empty()) {
      ReportGone(key);
    }
  }
}

// Records each reported object immediately. If a list fails half-way and the next list lacks the
// object, it must be reported as deleted.
void Informer::Put(const json::Value& object) {
  if (!IsNamed(object)) {
    return;  // without a name it cannot be tracked
  }
  std::string key = KeyOf(object);
  const std::size_t hash = HashOf(key);
  const std::size_t version = std::hash<std::string>()(VersionOf(object));
  const auto known = known_.find(hash);
  if (known != known_.end() && known->second.version == version) {
    return;
  }
  if (known != known_.end()) {
    known->second.version = version;
  } else {
    Remember(std::move(key), hash, version);
  }
  ++changes_;
  events_.on_put(object);
}

void Informer::GiveUpUnlessCut() {
  if (!options_.may_cut) {
    Forget();
    throw Endless(options_.list);
  }
}

// Does not record an object beyond the maximum number. The known objects have priority, and the
// next list reports this object again.
void Informer::Remember(std::string key, std::size_t hash, std::size_t version) {
  if (known_.size() >= options_.most_objects) {
    GiveUpUnlessCut();
    return;
  }
  Known known{.version = version, .key = {}};
  if (keys_ + SizeOf(key) <= kMostKeys) {
    keys_ += SizeOf(key);
    known.key = std::move(key);
  }
  known_.emplace(hash, std::move(known));
}

std::string Informer::Erase(std::size_t hash) {
  auto known = known_.extract(hash);
  if (!known || known.mapped().key.empty()) {
    return "";
  }
  keys_ -= SizeOf(known.mapped().key);
  return std::move(known.mapped().key);
}

void Informer::ReportGone(const std::string& key) {
  const std::size_t slash = key.find('/');
  events_.on_gone(key.substr(0, slash), key.substr(slash + 1));
}

void Informer::Watch(const std::stop_token& stop) {
  transport_.Watch(
      options_.list, version_,
      [this](const std::string& type, const json::Value& object) { return OnEvent(type, object); },
      stop);
}

bool Informer::OnEvent(const std::string& type, const json::Value& object) {
  ++changes_;
  if (type == "DELETED") {
    const std::string key = KeyOf(object);
    Erase(HashOf(key));
    ReportGone(key);
  } else if (type != "BOOKMARK") {
    Put(object);
  }
  version_ = VersionOf(object);
  return true;
}

void Informer::Forget() {
  version_.clear();
  DropOthersThan({});
}

}  // namespace kube
