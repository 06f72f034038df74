// SPDX-License-Identifier: Apache-2.0
// Tables of text as Kubernetes' tools print them (reference: output.md §4).
#pragma once

#include <string>
#include <vector>

namespace print {

// Formats the rows, each with a line end. Every cell except a row's last is padded with spaces to
// its column's width: the longest cell plus three, at least ten. Rows may have fewer cells than
// others. Untrusted cells are escaped (base::Visible).
std::string TextTable(std::vector<std::vector<std::string>> rows);

}  // namespace print
