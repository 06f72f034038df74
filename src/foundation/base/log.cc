// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

// Only this file compiles spdlog, with the fmt library that the rest of the program uses.
#define SPDLOG_HEADER_ONLY
#define SPDLOG_FMT_EXTERNAL
#include <fnmatch.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <cstring>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/log_colors.h"
#include "base/number.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "base/wrap.h"

namespace base {
namespace {

struct FileLevel {
  std::string pattern;
  int level;
};

int global_level = 0;
std::vector<FileLevel> file_levels;  // set once at start, read only afterwards

using Sink = spdlog::sinks::ansicolor_stderr_sink_mt;

const std::shared_ptr<Sink>& StandardError() {
  static const auto sink = std::make_shared<Sink>(spdlog::color_mode::never);
  return sink;
}

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("stderr", StandardError());
    // klog: severity letter, month and day, time with microseconds, process, place.
    made->set_pattern("%^%L%m%d %H:%M:%S.%f %7P %s:%#]%$ %v");
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *logger;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void SetVerbosity(int level, std::string_view per_file) {
  std::vector<FileLevel> parsed;
  for (const std::string& part : Split(per_file, ',')) {
    if (part.empty()) {
      continue;
    }
    const std::size_t equals = part.find('=');
    const auto value =
        equals == part.npos || equals == 0 ? std::nullopt : ParseNumber(part.substr(equals + 1));
    if (!value || *value < 0) {
      throw Error(Error::Kind::kInvalid,
                  "expected a comma-separated list of pattern=N, got " + Quoted(part));
    }
    parsed.push_back({part.substr(0, equals), *value});
  }
  global_level = level;
  file_levels = std::move(parsed);
}

void SetLogColors(bool on) {
  StandardError()->set_color_mode(on ? spdlog::color_mode::always : spdlog::color_mode::never);
}

bool Verbose(int level, std::source_location at) {
  if (level <= global_level) {
    return true;
  }
  const std::string_view file = BaseName(at.file_name());
  const std::string name(file.substr(0, file.rfind('.')));
  for (const FileLevel& entry : file_levels) {
    if (fnmatch(entry.pattern.c_str(), name.c_str(), 0) == 0) {
      return level <= entry.level;
    }
  }
  return false;
}

void Log(Severity severity, std::string_view message, std::source_location at) {
  using spdlog::level::level_enum;
  const level_enum level = severity == Severity::kInfo      ? level_enum::info
                           : severity == Severity::kWarning ? level_enum::warn
                                                            : level_enum::err;
  // The end of a null-terminated string is null-terminated, too.
  const char* const name =
      at.file_name() + std::strlen(at.file_name()) - BaseName(at.file_name()).size();
  const spdlog::source_loc place{name, static_cast<int>(at.line()), at.function_name()};
  Logger().log(place, level, "{}", Visible(HangingIndent(message), "\n\t"));
}

}  // namespace base
