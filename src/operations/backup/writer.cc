// SPDX-License-Identifier: Apache-2.0
#include "backup/writer.h"

#include <fmt/core.h>

#include <utility>

#include "backup/manifest.h"
#include "base/strings.h"

namespace backup {

Writer::Writer(std::unique_ptr<Output> output, const std::optional<age::Locks>& locks,
               std::int64_t created)
    : created_(created),
      output_(std::move(output)),
      to_file_([this](std::string_view bytes) {
        output_->Append(bytes);
        written_ += bytes.size();
      }),
      to_encryptor_([this](std::string_view bytes) {
        if (encryptor_) {
          encryptor_->Add(bytes);
        } else {
          to_file_(bytes);
        }
      }),
      compressor_(to_encryptor_),
      to_compressor_([this](std::string_view bytes) { compressor_.Add(bytes); }),
      tar_(to_compressor_) {
  if (locks) {
    encryptor_.emplace(*locks, to_file_);
  }
}

void Writer::AddFile(const std::string& name, std::string_view content) {
  Begin(name, content.size());
  Add(content);
  End();
}

void Writer::Begin(const std::string& name, std::uint64_t size) {
  tar_.Begin({.name = name, .size = size, .mode = 0600, .modified = created_});
  name_ = name;
  sum_.emplace();
}

void Writer::Add(std::string_view bytes) {
  sum_->Add(bytes);
  tar_.Add(bytes);
}

void Writer::End() { sums_[name_] = base::HexEncode(sum_->End()); }

std::uint64_t Writer::Finish() {
  const std::string sums = SumsText(sums_);
  AddFile(std::string(kSumsName), sums);
  tar_.End();
  compressor_.End();
  if (encryptor_) {
    encryptor_->End();
  }
  output_->Finish();
  return written_;
}

std::string SumsText(const std::map<std::string, std::string>& sums) {
  std::string text;
  for (const auto& [name, sum] : sums) {
    text += fmt::format("{}  {}\n", sum, name);
  }
  return text;
}

}  // namespace backup
