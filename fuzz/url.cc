// URLs and addresses: cut apart without a crash, and what is told of them has no credential.
#include "http/url.h"

#include "etcd/answers.h"
#include "fuzz.h"
#include "http/proxy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(fuzz::Text(bytes, size));
  const http::Url url = http::ParseUrl(text);
  const std::string shown = http::Authority(url);
  fuzz::Require(shown.size() <= size + 10, "an authority is a part of its URL");
  if (url.port.find_first_not_of("0123456789") == url.port.npos &&
      url.host.find_first_of("@/?#[]:") == url.host.npos) {
    const http::Url again = http::ParseUrl("https://" + shown);
    fuzz::Require(again.host == url.host, "an authority is read as itself");
  }
  for (const std::string& escaped : {http::EscapeSegment(text), http::EscapeQuery(text)}) {
    fuzz::Require(escaped.find_first_of("/?# \"<>\r\n") == escaped.npos,
                  "an escaped text stays where it is put");
  }
  http::SplitHostPort(text);
  fuzz::Refused([&] { etcd::Target(text); });
  const auto split = text.find('\n');
  const std::string first = text.substr(0, split);
  const std::string second = split == text.npos ? "" : text.substr(split + 1);
  for (const char* name : {"HTTPS_PROXY", "NO_PROXY"}) {
    fuzz::Refused([&] {
      http::ProxyFor(
          [&](std::string_view asked) {
            return asked == name ? first : asked == "HTTPS_PROXY" ? "p:1" : "";
          },
          second.empty() ? "https://10.0.0.1:6443/x" : second);
    });
  }
  return 0;
}
