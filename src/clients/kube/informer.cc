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

std::pair<std::string, std::string> KeyOf(const json::Value& object) {
  return {json::TextAt(object, {"metadata", "namespace"}),
          json::TextAt(object, {"metadata", "name"})};
}

// What is remembered of all objects together: names may have 253 characters each. Nodes, Machines
// and requests are ten thousands at most; a list that goes on beyond has no end.
constexpr std::size_t kMostKeys = std::size_t{8} << 20;
constexpr std::size_t kPerKey = 192;  // a node of the map, three strings, a version
constexpr int kMostPages = 10'000;

// Of a hundred thousand owners, which an object of a megabyte may have, each costs 700 bytes to
// read.
constexpr std::string_view kUnread[] = {"managedFields", "ownerReferences"};

std::size_t SizeOf(const std::pair<std::string, std::string>& key) {
  return kPerKey + key.first.size() + key.second.size();
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
      if (stop.stop_requested()) {
        return;
      }
      if (error.kind() == Error::Kind::kConflict) {
        version_.clear();
      } else if (error.kind() == Error::Kind::kNotFound) {
        Forget();
        throw;
      } else {
        sane = error.kind() != Error::Kind::kInvalid;
        events_.on_error(error);
      }
    }
    // A watch that ends without a word, again and again, must not become a storm of requests, nor
    // one that is told to list again each time a storm of lists, nor what makes no sense however
    // much it says.
    const bool news = sane && changes_ != before;
    pause = news ? options_.first_pause : std::min(pause * 2, options_.longest_pause);
    clock_.Sleep(pause, stop);
  }
}

// Page asks for fewer objects where so many are too large together, and behind them for more again.
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

// ReadPages hands all objects of the list on and returns its version. What a server says on and on
// ends: by the number of pages, by a page with nothing in it and more behind, by what is
// remembered.
std::string Informer::ReadPages(std::set<Key>& found, const std::stop_token& stop) {
  Call call = options_.list;
  for (int pages = 0; pages < kMostPages; ++pages) {
    const json::Value page = Page(call, stop);
    call.continue_token = json::TextAt(page, {"metadata", "continue"});
    const json::Value& items = json::At(page, {"items"});
    const std::size_t count = items.is_array() ? items.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      Put(items[i]);
      found.insert(KeyOf(items[i]));
    }
    if (call.continue_token.empty()) {
      return VersionOf(page);
    }
    if (count == 0) {
      break;
    }
  }
  throw Endless(call);
}

void Informer::List(const std::stop_token& stop) {
  std::set<Key> found;
  const std::string version = ReadPages(found, stop);
  for (auto at = known_.begin(); at != known_.end();) {
    const Key key = at->first;
    ++at;
    if (!found.contains(key)) {
      Drop(key);
    }
  }
  version_ = version;
  events_.on_synced();
}

// Put notes at once what it tells: a list may end in its middle, and what the next one has not must
// be told of as gone.
void Informer::Put(const json::Value& object) {
  if (!object.is_object()) {
    return;  // it has no name by which it could be known or gone
  }
  const std::string version = VersionOf(object);
  const auto [known, is_new] = known_.try_emplace(KeyOf(object), version);
  if (is_new) {
    remembered_ += SizeOf(known->first);
  }
  if (is_new || std::exchange(known->second, version) != version) {
    ++changes_;
    events_.on_put(object);
  }
  if (remembered_ > kMostKeys) {
    Forget();
    throw Endless(options_.list);
  }
}

void Informer::Drop(const Key& key) {
  ++changes_;
  if (known_.erase(key) != 0) {
    remembered_ -= SizeOf(key);
  }
  events_.on_gone(key.first, key.second);
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
    Drop(KeyOf(object));
  } else if (type != "BOOKMARK") {
    Put(object);
  }
  version_ = VersionOf(object);
  return true;
}

void Informer::Forget() {
  version_.clear();
  remembered_ = 0;
  for (const auto& [key, version] : std::exchange(known_, {})) {
    events_.on_gone(key.first, key.second);
  }
}

}  // namespace kube
