// SPDX-License-Identifier: Apache-2.0
#include "kube/client.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/log.h"
#include "json/budget.h"
#include "kube/call.h"
#include "kube/shape.h"
#include "kube/wait.h"

namespace kube {
namespace {

using Kind = base::Error::Kind;

// The number of items on a page of a list. 100 nodes take 4 MiB if each has run many images.
constexpr int kPageSize = 100;
// The memory limit of a whole list, as a protection against endless lists. A list of 5000 nodes
// (the most that Kubernetes supports) takes 110 MiB.
constexpr std::size_t kLargestList = std::size_t{160} << 20;
// The limit, in bytes, of the data that the action of ForEach keeps. It allows 1 KiB for each of
// 32,000 items.
constexpr std::size_t kMostKept = std::size_t{32} << 20;
constexpr int kMostPages = 2'000;
constexpr milliseconds kQuiet{3'000};  // how long failures last before they are reported
// The longest time in which a starting server loads its RBAC rules, on a busy machine.
constexpr milliseconds kRulesAfterStart{60'000};
constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

// Runs `once` and returns the error that ended it; std::nullopt if it succeeded.
std::optional<base::Error> Attempt(const std::function<void()>& once) {
  try {
    once();
    return std::nullopt;
  } catch (const base::Error& error) {
    return error;
  }
}

// Returns whether `once` fails with `kind`. Propagates other failures.
bool Fails(Kind kind, const std::function<void()>& once) {
  auto error = Attempt(once);
  if (error && error->kind() != kind) {
    throw *std::move(error);
  }
  return error.has_value();
}

using OnItem = std::function<void(json::Value& item)>;

void Spend(json::Budget& budget, std::size_t bytes) {
  if (!budget.Spend(bytes)) {
    throw base::Error(Kind::kInvalid,
                      fmt::format("the server's list has no end: it would take more than {} MiB of "
                                  "memory",
                                  budget.total() >> 20));
  }
}

// Passes the items of a page to `on_item`, and returns their number. Drops managedFields and node
// images, because they are not used here, and make up two thirds of the data.
std::size_t EachOfPage(json::Value& page, const OnItem& on_item) {
  if (!json::At(page, {"items"}).is_array()) {
    return 0;
  }
  for (json::Value& item : page["items"]) {
    for (const auto& [owner, field] :
         {std::pair{"metadata", "managedFields"}, {"status", "images"}}) {
      if (item.is_object() && item.contains(owner) && item[owner].is_object()) {
        item[owner].erase(field);
      }
    }
    on_item(item);
  }
  return page["items"].size();
}

// Returns whether the server has loaded its RBAC rules. A server that has just started forbids
// every request until it has loaded them, even GET /readyz. Such a refusal does not mean that the
// caller lacks the right.
bool IsReady(Transport& transport, const std::stop_token& stop) {
  const auto error = Attempt([&] { transport.GetPath("/readyz", stop); });
  return !error || error->kind() == Kind::kNotFound;  // the server does not have that path
}

Call CallFor(Verb verb, const ObjectKey& key) {
  return {.verb = verb,
          .resource = key.resource,
          .name_space = std::string(key.name_space),
          .name = std::string(key.name)};
}

}  // namespace

bool IsPassing(const base::Error& error) {
  return error.kind() == Kind::kUnavailable || error.kind() == Kind::kTimeout ||
         error.kind() == Kind::kConflict;
}

Client::Client(std::shared_ptr<Transport> transport, host::Clock& clock, RetryPolicy retry,
               std::stop_token stop)
    : transport_(std::move(transport)),
      clock_(clock),
      retry_(std::move(retry)),
      stop_(std::move(stop)) {}

json::Value Client::Raw(const Call& call) {
  json::Value answer = transport_->Do(call, stop_);
  RequireShape(call, answer);
  return answer;
}

std::string Client::GetPath(const std::string& path) { return transport_->GetPath(path, stop_); }

void Client::Watch(const Call& call, const std::string& resource_version,
                   const Transport::OnEvent& on_event) {
  transport_->Watch(call, resource_version, on_event, stop_);
}

json::Value Client::Get(const ObjectKey& key) { return Raw(CallFor(Verb::kGet, key)); }

std::optional<json::Value> Client::Find(const ObjectKey& key) {
  return Found([&] { return Get(key); });
}

// Requests a page. If its items are too large together, requests smaller pages; afterwards the
// pages become larger again.
json::Value Client::Page(Call& call) {
  while (true) {
    try {
      json::Value page = transport_->Do(call, stop_);
      call.limit = std::min(call.limit * 2, kPageSize);
      return page;
    } catch (const base::Error& error) {
      if (error.kind() != Kind::kInvalid || call.limit <= 1) {
        throw;
      }
      call.limit /= 2;
    }
  }
}

void Client::EachItem(Call call, Keeps keeps,
                      const std::function<void(json::Value& item)>& on_item) {
  std::size_t items = 0;
  json::Budget budget(kLargestList);
  const auto within_budget = [&](json::Value& item) {
    Spend(budget, json::cost::Of(item));
    on_item(item);
  };
  for (int pages = 0; pages < kMostPages; ++pages) {
    json::Value page = Page(call);
    RequireShape(call, page);
    budget = keeps == Keeps::kPage ? json::Budget(kLargestList) : budget;
    const std::size_t count = EachOfPage(page, within_budget);
    call.continue_token = json::TextAt(page, {"metadata", "continue"});
    if (call.continue_token.empty()) {
      return;
    }
    if (count == 0) {
      break;  // an empty page that announces another one
    }
    items += count;
  }
  throw base::Error(Kind::kInvalid, fmt::format("the server's list of {} has no end: {} items, and "
                                                "more to come",
                                                call.resource.resource, items));
}

std::vector<json::Value> Client::List(const Resource& resource, std::string_view name_space,
                                      const Selectors& selectors) {
  std::vector<json::Value> items;
  Call call = CallFor(Verb::kList, {resource, name_space, ""});
  call.label_selector = selectors.labels;
  call.field_selector = selectors.fields;
  call.limit = kPageSize;
  EachItem(std::move(call), Keeps::kAll,
           [&](json::Value& item) { items.push_back(std::move(item)); });
  return items;
}

void Client::ForEach(const Resource& resource, std::string_view name_space,
                     const std::function<std::size_t(const json::Value&)>& action) {
  json::Budget kept(kMostKept);
  Call call = CallFor(Verb::kList, {resource, name_space, ""});
  call.limit = kPageSize;
  EachItem(std::move(call), Keeps::kPage, [&](json::Value& item) { Spend(kept, action(item)); });
}

json::Value Client::Create(const Resource& resource, const json::Value& object) {
  return Raw(CallOn(Verb::kCreate, resource, object));
}

json::Value Client::Update(const Resource& resource, const json::Value& object) {
  return Raw(CallOn(Verb::kUpdate, resource, object));
}

json::Value Client::Patch(const ObjectKey& key, std::string_view patch_type,
                          const json::Value& patch) {
  Call call = CallFor(Verb::kPatch, key);
  call.body = patch;
  call.patch_type = patch_type;
  return Raw(call);
}

void Client::Delete(const ObjectKey& key) { Raw(CallFor(Verb::kDelete, key)); }

void Client::CreateOrUpdate(const Resource& resource, const json::Value& object) {
  RetryWrite([&] {
    if (Fails(Kind::kAlreadyExists, [&] { Create(resource, object); })) {
      Update(resource, object);
    }
  });
}

void Client::CreateOrMutate(const Resource& resource, const json::Value& object,
                            const std::function<void(json::Value& existing)>& mutate) {
  RetryWrite([&] {
    if (Fails(Kind::kAlreadyExists, [&] { Create(resource, object); })) {
      const Call where = CallOn(Verb::kGet, resource, object);
      json::Value existing = Get({resource, where.name_space, where.name});
      mutate(existing);
      Update(resource, existing);
    }
  });
}

void Client::CreateOrRetain(const Resource& resource, const json::Value& object) {
  RetryWrite([&] {
    const Call where = CallOn(Verb::kGet, resource, object);
    if (!Find({resource, where.name_space, where.name})) {
      Create(resource, object);
    }
  });
}

void Client::PatchNode(std::string_view node,
                       const std::function<void(json::Value& node)>& mutate) {
  // A Node that does not exist yet, or that its kubelet has not labelled yet, will appear.
  const Passing passing = [](const base::Error& error, milliseconds) {
    return IsPassing(error) || error.kind() == Kind::kNotFound || error.kind() == Kind::kForbidden;
  };
  RetryWhile(passing, [&] {
    const json::Value before = Get({resources::kNode, "", node});
    if (!json::At(before, {"metadata", "labels", kHostnameLabel}).is_string()) {
      throw base::Error(Kind::kUnavailable,
                        fmt::format("node \"{}\" has no label {} yet", node, kHostnameLabel));
    }
    json::Value after = before;
    mutate(after);
    const json::Value patch = patch::StrategicDiff(before, after, patch::Schema::kNode);
    if (!patch.empty()) {
      Patch({resources::kNode, "", node}, "application/strategic-merge-patch+json", patch);
    }
  });
}

RetryPolicy RetryPolicy::LeftSince(std::chrono::steady_clock::time_point begin,
                                   const host::Clock& clock) const {
  RetryPolicy left = *this;
  const auto spent = std::chrono::duration_cast<milliseconds>(clock.Steady() - begin);
  left.limit = std::max(limit - spent, milliseconds{0});
  return left;
}

void Client::Retry(std::string_view what, const std::function<void()>& once) {
  milliseconds back{0};  // time when the server was last unreachable or busy
  bool young = false;    // the server was seen when it was not ready
  bool ready = false;    // the server was ready before the last attempt
  bool holds = false;    // the last refusal is final: the server was ready
  const Passing passing = [&](const base::Error& error, milliseconds spent) {
    if (IsPassing(error)) {
      back = spent;
      ready = false;
      return true;
    }
    holds = error.kind() == Kind::kForbidden && ready;
    if (error.kind() != Kind::kForbidden || holds) {
      return false;
    }
    // Forbidden is final only if the server was ready before the attempt.
    ready = IsReady(*transport_, stop_);
    young = young || !ready;
    return spent - back < (young || back > milliseconds{0} ? kRulesAfterStart : retry_.grace);
  };
  const auto all_tries = [&] {
    try {
      RetryWhile(passing, once);
    } catch (const base::Error& error) {
      if (error.kind() == Kind::kForbidden && young && !holds) {
        throw base::Error(
            Kind::kUnavailable,
            "the API server is not ready, it may not have loaded its access rules yet: " +
                error.message());
      }
      throw;
    }
  };
  if (what.empty()) {
    all_tries();
    return;
  }
  base::WithContext(what, all_tries);
}

void Client::RetryWrite(const std::function<void()>& once) {
  const Passing passing = [this](const base::Error& error, milliseconds spent) {
    const bool young = error.kind() == Kind::kNotFound || error.kind() == Kind::kForbidden;
    return IsPassing(error) || (young && spent < retry_.grace);
  };
  RetryWhile(passing, once);
}

void Client::RetryWhile(const Passing& passing, const std::function<void()>& once) {
  Backoff backoff(clock_, retry_.first, retry_.most, retry_.limit);
  bool told = !retry_.waiting;
  while (auto error = Attempt(once)) {
    const auto spent = std::chrono::duration_cast<milliseconds>(backoff.Spent());
    if (!passing(*error, spent)) {
      throw *std::move(error);
    }
    if (!told && spent >= kQuiet) {
      retry_.waiting(fmt::format("trying for up to {}: {}", base::FormatDuration(retry_.limit),
                                 error->message()));
      told = true;
    }
    const auto pause = backoff.Next();
    if (!pause) {
      error->Prepend(fmt::format("gave up after {}", base::FormatDuration(retry_.limit)));
      throw *std::move(error);
    }
    base::LogInfo(5, "will be tried again: {}", error->message());
    if (!clock_.Sleep(*pause, stop_)) {
      throw base::Interrupted("stopped: " + error->message());
    }
  }
}

}  // namespace kube
