// SPDX-License-Identifier: Apache-2.0
#include "go_reader.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>

namespace fuzz {
namespace {

[[noreturn]] void Fail(const std::string& what) { throw std::runtime_error("gocsr: " + what); }

std::array<char, 4> SizeOf(std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return {static_cast<char>(size >> 24U), static_cast<char>(size >> 16U),
          static_cast<char>(size >> 8U), static_cast<char>(size)};
}

std::size_t SizeIn(std::string_view four) {
  std::size_t size = 0;
  for (const char c : four) {
    size = size << 8U | static_cast<unsigned char>(c);
  }
  return size;
}

// Returns std::nullopt at the end of the stream.
std::optional<std::string> ReadFrame(std::FILE* in) {
  std::array<char, 4> four{};
  if (std::fread(four.data(), 1, four.size(), in) != four.size()) {
    return {};
  }
  std::string text(SizeIn({four.data(), four.size()}), '\0');
  if (std::fread(text.data(), 1, text.size(), in) != text.size()) {
    Fail("an answer is cut short");
  }
  return text;
}

std::string TakeFrame(std::string_view& frames) {
  const std::size_t size = frames.size() < 4 ? frames.size() : SizeIn(frames.substr(0, 4));
  if (frames.size() < 4 + size) {
    Fail("an answer is cut short");
  }
  std::string frame(frames.substr(4, size));
  frames.remove_prefix(4 + size);
  return frame;
}

}  // namespace

GoReader::GoReader(std::string program, std::string mode) : program_(std::move(program)) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    Fail("no pipe");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::array<char*, 3> arguments{program_.data(), mode.data(), nullptr};
  const int failed =
      posix_spawn(&process_, program_.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  if (failed != 0) {
    Fail("cannot start " + program_);
  }
  questions_ = fdopen(in[1], "wb");
  answers_ = fdopen(out[0], "rb");
}

GoReader::~GoReader() {
  std::fclose(questions_);
  std::fclose(answers_);
  waitpid(process_, nullptr, 0);
}

GoReading GoReader::Read(std::string_view text) {
  const std::array<char, 4> size = SizeOf(text);
  std::fwrite(size.data(), 1, size.size(), questions_);
  std::fwrite(text.data(), 1, text.size(), questions_);
  std::fflush(questions_);
  const std::optional<std::string> answer = ReadFrame(answers_);
  if (!answer) {
    Fail("it has ended");
  }
  std::string_view frames = *answer;
  GoReading reading{.kind = TakeFrame(frames), .block = TakeFrame(frames), .fields = {}};
  while (!frames.empty()) {
    reading.fields.push_back(TakeFrame(frames));
  }
  return reading;
}

std::vector<std::string> GoReader::Made(const std::string& program, int count) {
  std::FILE* in = popen(("'" + program + "' make " + std::to_string(count)).c_str(), "r");
  if (in == nullptr) {
    Fail("cannot start " + program);
  }
  std::vector<std::string> texts;
  while (auto text = ReadFrame(in)) {
    texts.push_back(*std::move(text));
  }
  if (pclose(in) != 0 || texts.size() != static_cast<std::size_t>(count)) {
    Fail("it made no requests");
  }
  return texts;
}

}  // namespace fuzz
