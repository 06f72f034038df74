#include "approver/explained.h"

namespace approver {

bool MayBeVouchedFor(RequestKind kind, const Known& known) {
  return kind == RequestKind::kClient ? known.machine && !known.node : known.owner || known.node;
}

void Explained::Add(const std::string& node, RequestKind kind, Seconds created,
                    const Known& known) {
  Waiting& waiting = waiting_[node];
  ++waiting.requests;
  waiting.kinds.at(static_cast<std::size_t>(kind)).times.Add(created);
  Update(node, known);
}

void Explained::Remove(const std::string& node, RequestKind kind, Seconds created) {
  const auto found = waiting_.find(node);
  Requests& requests = found->second.kinds.at(static_cast<std::size_t>(kind));
  requests.times.Remove(created);
  Recount(requests);
  if (--found->second.requests == 0) {
    waiting_.erase(found);
  }
}

void Explained::Update(const std::string& node, const Known& known) {
  const auto found = waiting_.find(node);
  if (found == waiting_.end()) {
    return;
  }
  for (const RequestKind kind : {RequestKind::kClient, RequestKind::kServing}) {
    Requests& requests = found->second.kinds.at(static_cast<std::size_t>(kind));
    requests.counts = MayBeVouchedFor(kind, known);
    Recount(requests);
  }
}

void Explained::Recount(Requests& requests) {
  const std::optional<Seconds> now = requests.counts ? requests.times.Newest() : std::nullopt;
  if (now == requests.counted) {
    return;
  }
  if (requests.counted) {
    counted_.Remove(*requests.counted);
  }
  if (now) {
    counted_.Add(*now);
  }
  requests.counted = now;
}

}  // namespace approver
