#include "kubeadm/text_table.h"

#include <algorithm>
#include <cstddef>

namespace kubeadm {
namespace {

constexpr std::size_t kMinimumWidth = 10;
constexpr std::size_t kPadding = 3;

}  // namespace

std::string TextTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), kMinimumWidth);
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size() + kPadding);
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) {
        text.append(widths[i] - row[i].size(), ' ');
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace kubeadm
