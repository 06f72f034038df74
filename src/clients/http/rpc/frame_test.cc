// SPDX-License-Identifier: Apache-2.0
#include "http/rpc/frame.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace rpc {
namespace {

using namespace std::string_literals;

TEST(Framed, HasTheLengthBeforeTheMessage) {
  EXPECT_EQ(Framed(""), "\0\0\0\0\0"s);
  EXPECT_EQ(Framed("abc"), "\0\0\0\0\3abc"s);
  EXPECT_EQ(Framed(std::string(0x10203, 'x')).substr(0, 6), "\0\0\1\2\3x"s);
}

TEST(MessageReader, SplitsAStreamIntoMessagesHoweverItArrives) {
  const std::string stream = Framed("a") + Framed("") + Framed("bc");
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    MessageReader reader(2);
    std::vector<std::string> messages;
    for (std::size_t at = 0; at < stream.size(); at += size) {
      reader.Take(std::string_view(stream).substr(at, size),
                  [&](std::string_view message) { messages.emplace_back(message); });
    }
    EXPECT_EQ(messages, (std::vector<std::string>{"a", "", "bc"})) << size;
    EXPECT_TRUE(reader.IsWhole());
  }
}

TEST(MessageReader, RefusesInvalidAndOversizedMessages) {
  for (const std::string& stream : {"\1\0\0\0\1a"s, "\0\0\0\0\3"s, "\0\xff\xff\xff\xff"s}) {
    MessageReader reader(2);
    EXPECT_THROW(reader.Take(stream, [](std::string_view) {}), base::Error);
  }
  MessageReader reader(2);
  reader.Take("\0\0\0\0\2a"s, [](std::string_view) { FAIL(); });
  EXPECT_FALSE(reader.IsWhole());
}

TEST(ReadReply, ReadsStatusAndMessage) {
  struct Case {
    std::string name;
    http::Response response;
    int code;
    std::string text;  // of the status, or of the message if the status is OK
  };
  for (const Case& c : std::initializer_list<Case>{
           {"a message", {200, {{"grpc-status", "0"}}, Framed("abc"), ""}, 0, "abc"},
           {"an empty message", {200, {{"grpc-status", "0"}}, Framed(""), ""}, 0, ""},
           {"no message", {200, {{"grpc-status", "0"}}, "", ""}, 13, "not one whole message"},
           {"half a message",
            {200, {{"grpc-status", "0"}}, "\0\0\0\0\3ab"s, ""},
            13,
            "not one whole message"},
           {"two messages",
            {200, {{"grpc-status", "0"}}, Framed("a") + Framed("b"), ""},
            13,
            "not one whole message"},
           {"compressed",
            {200, {{"grpc-status", "0"}}, "\1\0\0\0\1a"s, ""},
            13,
            "not one whole message"},
           {"a length of 4 GiB",
            {200, {{"grpc-status", "0"}}, "\0\xff\xff\xff\xff"s, ""},
            13,
            "not one whole message"},
           {"a refusal, whatever the body",
            {200, {{"grpc-status", "5"}, {"grpc-message", "no%20such: 100%"}}, "x", ""},
            5,
            "no such: 100%"},
           {"what would move the cursor",
            {200, {{"grpc-status", "2"}, {"grpc-message", "a%1b[2Jb%0Ac"}}, "", ""},
            2,
            "[2Jb\nc"},
           {"a code of another kind", {200, {{"grpc-status", "99"}}, "", ""}, 99, ""},
           {"a status that is none", {200, {{"grpc-status", "ok"}}, "", ""}, 2, "not a number: ok"},
           {"a proxy's word", {503, {}, "busy", ""}, 14, "HTTP status 503"},
           {"another server", {404, {}, "", ""}, 12, "HTTP status 404"},
           {"another server's word", {200, {}, "hello", ""}, 2, "HTTP status 200"},
           {"not known", {401, {}, "", ""}, 16, "HTTP status 401"},
           {"not allowed", {403, {}, "", ""}, 7, "HTTP status 403"},
           {"not understood", {400, {}, "", ""}, 13, "HTTP status 400"},
       }) {
    const Reply reply = ReadReply(c.response);
    EXPECT_EQ(reply.status.code, c.code) << c.name;
    const std::string& text = reply.status.ok() ? reply.message : reply.status.message;
    EXPECT_TRUE(text.contains(c.text)) << c.name << ": " << text;
    EXPECT_FALSE(text.contains('\x1b')) << c.name;
  }
}

}  // namespace
}  // namespace rpc
