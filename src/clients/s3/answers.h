// SPDX-License-Identifier: Apache-2.0
// Parses the XML of S3's answers: only the few elements that this library needs. Internal to this
// library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "s3/bucket.h"

namespace s3 {

// Returns the contents of all elements of that name without attributes, in document order. Nested
// elements stay unparsed. Leaves out an element without an end tag.
std::vector<std::string_view> Elements(std::string_view xml, std::string_view name);

// Returns the content of the first element of that name, with XML's five entities and character
// references decoded. Returns "" without such an element.
std::string ElementText(std::string_view xml, std::string_view name);

// One page of a list (ListObjectsV2 with encoding-type=url).
struct ListPage {
  std::vector<Object> objects;
  std::string next;  // the continuation token; "": the last page
};

// Parses a page of a list. Throws base::Error(kInvalid) for an answer that is not a list.
ListPage ParseList(std::string_view xml);

}  // namespace s3
