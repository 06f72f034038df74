// SPDX-License-Identifier: Apache-2.0
#include "s3/answers.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "http/escape.h"
#include "json/rfc3339.h"

namespace s3 {
namespace {

using base::Error;

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};

// Servers write a quotation mark of an ETag as "&#34;".
constexpr std::string_view kQuote = "&#34;";

std::string Decoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    std::size_t taken = 1;
    char c = text.front();
    for (const auto& [entity, meaning] : kEntities) {
      if (text.starts_with(entity)) {
        taken = entity.size();
        c = meaning;
      }
    }
    if (text.starts_with(kQuote)) {
      taken = kQuote.size();
      c = '"';
    }
    decoded += c;
    text.remove_prefix(taken);
  }
  return decoded;
}

// Decodes the key if `is_encoded` is set: some services do not encode keys although the request
// asks for it.
Object ParseObject(std::string_view xml, bool is_encoded) {
  const std::string size = ElementText(xml, "Size");
  const auto modified = json::ParseRfc3339(ElementText(xml, "LastModified"));
  const std::string key = ElementText(xml, "Key");
  Object object{.key = is_encoded ? http::Unescape(key) : key};
  const auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), object.size);
  if (object.key.empty() || !modified || problem != std::errc() ||
      end != size.data() + size.size()) {
    throw Error(Error::Kind::kInvalid, "the server's list has an object that is malformed");
  }
  object.modified = *modified;
  return object;
}

}  // namespace

std::vector<std::string_view> Elements(std::string_view xml, std::string_view name) {
  const std::string begin = fmt::format("<{}>", name);
  const std::string end = fmt::format("</{}>", name);
  std::vector<std::string_view> found;
  for (std::size_t at = xml.find(begin); at != std::string_view::npos; at = xml.find(begin, at)) {
    at += begin.size();
    const std::size_t last = xml.find(end, at);
    if (last == std::string_view::npos) {
      break;
    }
    found.push_back(xml.substr(at, last - at));
    at = last;
  }
  return found;
}

std::string ElementText(std::string_view xml, std::string_view name) {
  const std::vector<std::string_view> found = Elements(xml, name);
  return found.empty() ? "" : Decoded(found.front());
}

ListPage ParseList(std::string_view xml) {
  if (!xml.contains("<ListBucketResult")) {
    throw Error(Error::Kind::kInvalid, "the server's answer is not a list of objects");
  }
  ListPage page;
  const bool is_encoded = ElementText(xml, "EncodingType") == "url";
  for (const std::string_view object : Elements(xml, "Contents")) {
    page.objects.push_back(ParseObject(object, is_encoded));
  }
  if (ElementText(xml, "IsTruncated") == "true") {
    page.next = ElementText(xml, "NextContinuationToken");
  }
  return page;
}

}  // namespace s3
