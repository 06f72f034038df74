// SPDX-License-Identifier: Apache-2.0
#include "print/unified.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "base/strings.h"

namespace print {
namespace {

using Lines = std::vector<std::string>;
using Index = std::ptrdiff_t;

constexpr int kUsualContext = 3;
// In a long input frequent lines ("  - name: x") are not used as anchors (cf. difflib's autojunk).
constexpr std::size_t kLongText = 200;
constexpr std::size_t kPopularShare = 100;

// Splits a text into lines. After the last line break it has an empty line, as in upstream's
// comparison.
Lines LinesOf(std::string_view text) { return base::Split(text, '\n'); }

// The lines from `begin` up to, not including, `end`.
struct Range {
  Index begin;
  Index end;
  Index size() const { return end - begin; }
};

// An equal or a changed range of lines.
struct Part {
  Range from;
  Range to;
  bool equal;
};

// A run of lines that are in both inputs.
struct Match {
  Index from;
  Index to;
  Index size;
};

class Matcher {
 public:
  Matcher(const Lines& from, const Lines& to) : from_(from), to_(to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      places_[to[i]].push_back(static_cast<Index>(i));
    }
    if (to.size() >= kLongText) {
      const std::size_t most = to.size() / kPopularShare + 1;
      std::erase_if(places_, [&](const auto& entry) { return entry.second.size() > most; });
    }
  }

  // Returns the parts in order. Equal and changed parts alternate.
  std::vector<Part> Parts() {
    Find({0, static_cast<Index>(from_.size())}, {0, static_cast<Index>(to_.size())});
    matches_.push_back({static_cast<Index>(from_.size()), static_cast<Index>(to_.size()), 0});
    std::vector<Part> parts;
    Index from = 0;
    Index to = 0;
    for (const Match& match : matches_) {
      if (from < match.from || to < match.to) {
        parts.push_back({{from, match.from}, {to, match.to}, false});
      }
      from = match.from + match.size;
      to = match.to + match.size;
      AddEqual(parts, {{match.from, from}, {match.to, to}, true});
    }
    return parts;
  }

 private:
  static void AddEqual(std::vector<Part>& parts, const Part& part) {
    if (part.from.size() == 0) {
      return;
    }
    if (!parts.empty() && parts.back().equal) {
      parts.back().from.end = part.from.end;
      parts.back().to.end = part.to.end;
    } else {
      parts.push_back(part);
    }
  }

  void Find(Range from, Range to) {
    const Match match = Longest(from, to);
    if (match.size == 0) {
      return;
    }
    Find({from.begin, match.from}, {to.begin, match.to});
    matches_.push_back(match);
    Find({match.from + match.size, from.end}, {match.to + match.size, to.end});
  }

  // Returns the longest run within the ranges, or the first of several longest runs.
  Match Longest(Range from, Range to) const {
    Match best{from.begin, to.begin, 0};
    std::map<Index, Index> lengths;  // length of the run that ends at that line of `to`
    for (Index i = from.begin; i < from.end; ++i) {
      std::map<Index, Index> next;
      const auto found = places_.find(from_[static_cast<std::size_t>(i)]);
      for (const Index j : found == places_.end() ? std::vector<Index>{} : found->second) {
        if (j < to.begin || j >= to.end) {
          continue;
        }
        const auto before = lengths.find(j - 1);
        const Index length = before == lengths.end() ? 1 : before->second + 1;
        next[j] = length;
        if (length > best.size) {
          best = {i - length + 1, j - length + 1, length};
        }
      }
      lengths = std::move(next);
    }
    return Extended(best, from, to);
  }

  // Extends a run by adjacent equal lines, which need not be anchors.
  Match Extended(Match match, Range from, Range to) const {
    const auto same = [&](Index i, Index j) {
      return from_[static_cast<std::size_t>(i)] == to_[static_cast<std::size_t>(j)];
    };
    while (match.from > from.begin && match.to > to.begin && same(match.from - 1, match.to - 1)) {
      --match.from;
      --match.to;
      ++match.size;
    }
    while (match.from + match.size < from.end && match.to + match.size < to.end &&
           same(match.from + match.size, match.to + match.size)) {
      ++match.size;
    }
    return match;
  }

  const Lines& from_;
  const Lines& to_;
  std::map<std::string, std::vector<Index>> places_;  // positions of each line in `to`
  std::vector<Match> matches_;
};

// Returns the hunks. A hunk is a group of parts, with at most `context` equal lines at either end.
std::vector<std::vector<Part>> Hunks(const std::vector<Part>& parts, Index context) {
  std::vector<std::vector<Part>> hunks;
  std::vector<Part> hunk;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part part = parts[i];
    if (part.equal && i == 0) {
      part.from.begin = std::max(part.from.begin, part.from.end - context);
      part.to.begin = std::max(part.to.begin, part.to.end - context);
    }
    const bool last = i + 1 == parts.size();
    if (part.equal && i != 0 && (last || part.from.size() > 2 * context)) {
      Part tail = part;
      tail.from.end = std::min(part.from.end, part.from.begin + context);
      tail.to.end = std::min(part.to.end, part.to.begin + context);
      hunk.push_back(tail);
      hunks.push_back(std::move(hunk));
      hunk.clear();
      part.from.begin = std::max(part.from.begin, part.from.end - context);
      part.to.begin = std::max(part.to.begin, part.to.end - context);
    }
    hunk.push_back(part);
  }
  hunks.push_back(std::move(hunk));
  std::erase_if(hunks, [](const std::vector<Part>& each) {
    return std::ranges::all_of(each, [](const Part& part) { return part.equal; });
  });
  return hunks;
}

// Returns "39,7": the first line, counted from 1, and the number of lines. The number 1 is left
// out. For an empty range, the first line is the line before it.
std::string Place(Range range) {
  if (range.size() == 1) {
    return fmt::format("{}", range.begin + 1);
  }
  return fmt::format("{},{}", range.size() == 0 ? range.begin : range.begin + 1, range.size());
}

void AddLines(std::string& text, char mark, const Lines& lines, Range range) {
  for (Index i = range.begin; i < range.end; ++i) {
    text += mark + lines[static_cast<std::size_t>(i)] + "\n";
  }
}

}  // namespace

std::string Unified(std::string_view from, std::string_view to, const Names& names, int context) {
  if (from == to) {
    return "";
  }
  const Lines old_lines = LinesOf(from);
  const Lines new_lines = LinesOf(to);
  std::string text = fmt::format("--- {}\n+++ {}\n", names.from, names.to);
  for (const auto& hunk :
       Hunks(Matcher(old_lines, new_lines).Parts(), context < 0 ? kUsualContext : context)) {
    text += fmt::format("@@ -{} +{} @@\n", Place({hunk.front().from.begin, hunk.back().from.end}),
                        Place({hunk.front().to.begin, hunk.back().to.end}));
    for (const Part& part : hunk) {
      if (part.equal) {
        AddLines(text, ' ', old_lines, part.from);
      } else {
        AddLines(text, '-', old_lines, part.from);
        AddLines(text, '+', new_lines, part.to);
      }
    }
  }
  return text;
}

}  // namespace print
