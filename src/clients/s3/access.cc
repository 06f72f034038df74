// SPDX-License-Identifier: Apache-2.0
#include "s3/access.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "http/escape.h"
#include "net/url.h"

namespace s3 {
namespace {

using base::Error;

constexpr std::string_view kScheme = "s3://";
constexpr std::size_t kShortestBucket = 3;
constexpr std::size_t kLongestBucket = 63;
constexpr std::size_t kLongestKey = 1024;  // bytes
constexpr const char* kDefaultRegion = "us-east-1";

bool IsBucketName(std::string_view name) {
  return name.size() >= kShortestBucket && name.size() <= kLongestBucket &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

bool IsKey(std::string_view key) {
  const std::vector<std::string> parts = base::Split(key, '/');
  return key.size() <= kLongestKey && !http::HasControl(key) &&
         std::ranges::none_of(parts,
                              [](const std::string& part) { return part == "." || part == ".."; });
}

// The settings of one profile, by lower-case name.
using Profile = std::map<std::string, std::string>;

// Returns a section of an ini file. Returns an empty profile if the file or the section does not
// exist.
Profile ReadProfile(const host::Files& files, const host::fs::path& path,
                    const std::string& section) {
  const base::SecretText text(files.Find(path).value_or(""));
  Profile profile;
  bool inside = false;
  for (const std::string& raw : base::Lines(text.text())) {
    const std::string_view line = base::Trim(raw);
    if (line.starts_with('[')) {
      inside = line == "[" + section + "]";
    }
    const std::size_t equals = line.find('=');
    if (inside && !line.starts_with('#') && equals != std::string_view::npos) {
      profile[base::ToLower(base::Trim(line.substr(0, equals)))] =
          base::Trim(line.substr(equals + 1));
    }
  }
  return profile;
}

// A variable that LoadAccess reads, and the remedy for a process that does not get it.
struct NamedVariable {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view kToCredentials =
    "write the keys to profile default of /root/.aws/credentials";
constexpr std::string_view kToConfig = "write the setting to profile default of /root/.aws/config";
constexpr NamedVariable kVariables[] = {
    {"AWS_ACCESS_KEY_ID", kToCredentials}, {"AWS_SECRET_ACCESS_KEY", kToCredentials},
    {"AWS_SESSION_TOKEN", kToCredentials}, {"AWS_SHARED_CREDENTIALS_FILE", kToCredentials},
    {"AWS_PROFILE", kToCredentials},       {"AWS_REGION", kToConfig},
    {"AWS_DEFAULT_REGION", kToConfig},     {"AWS_ENDPOINT_URL_S3", kToConfig},
    {"AWS_ENDPOINT_URL", kToConfig},       {"AWS_CA_BUNDLE", kToConfig},
    {"AWS_CONFIG_FILE", kToConfig}};

class NoEnvironment : public host::Environment {
 public:
  std::string Get(std::string_view /*name*/) const override { return ""; }
  std::map<std::string, std::string> All() const override { return {}; }
  bool HasTerminal() const override { return false; }
};

// Reads AWS's variables. Reads AWS's files for settings whose variable is not set.
class Settings {
 public:
  Settings(const host::Environment& environment, const host::Files& files)
      : environment_(environment), files_(files) {}

  // Returns the value of the first variable that is set; "" if none of them is set.
  std::string Variable(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (std::string value = environment_.Get(name); !value.empty()) {
        return value;
      }
    }
    return "";
  }

  std::string ProfileName() const {
    const std::string name = Variable({"AWS_PROFILE"});
    return name.empty() ? "default" : name;
  }

  // Returns the file that the variable names, or ~/.aws/NAME.
  host::fs::path File(std::string_view variable, const char* name) const {
    const std::string named = Variable({variable});
    if (!named.empty()) {
      return named;
    }
    const std::string home = Variable({"HOME"});
    return host::fs::path(home.empty() ? "/root" : home) / ".aws" / name;
  }

  // Returns the value of the first variable that is set, or else `setting` of the profile in
  // ~/.aws/config. Returns "" if neither is set.
  std::string Configured(std::initializer_list<std::string_view> variables,
                         const std::string& setting) const {
    std::string named = Variable(variables);
    if (!named.empty()) {
      return named;
    }
    const std::string profile = ProfileName();
    return ReadProfile(files_, File("AWS_CONFIG_FILE", "config"),
                       profile == "default" ? profile : "profile " + profile)[setting];
  }

  std::string Endpoint() const {
    return Configured({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "endpoint_url");
  }

  std::string Region() const {
    std::string named = Configured({"AWS_REGION", "AWS_DEFAULT_REGION"}, "region");
    return named.empty() ? kDefaultRegion : named;
  }

  void FillCredentials(Access& access) const {
    access.access_key = Variable({"AWS_ACCESS_KEY_ID"});
    access.secret_key = Variable({"AWS_SECRET_ACCESS_KEY"});
    access.session_token = Variable({"AWS_SESSION_TOKEN"});
    if (!access.access_key.empty() && !access.secret_key.empty()) {
      return;
    }
    const host::fs::path path = File("AWS_SHARED_CREDENTIALS_FILE", "credentials");
    Profile profile = ReadProfile(files_, path, ProfileName());
    access.access_key = profile["aws_access_key_id"];
    access.secret_key = profile["aws_secret_access_key"];
    access.session_token = profile["aws_session_token"];
    base::Wipe(profile["aws_secret_access_key"]);
    if (access.access_key.empty() || access.secret_key.empty()) {
      throw Error(Error::Kind::kNotFound,
                  fmt::format("there are no credentials for S3: set AWS_ACCESS_KEY_ID and "
                              "AWS_SECRET_ACCESS_KEY, or write them to profile {} of {}",
                              base::Quoted(ProfileName()), path.string()));
    }
  }

  std::string CaPem() const {
    const std::string path = Configured({"AWS_CA_BUNDLE"}, "ca_bundle");
    return path.empty() ? "" : files_.Read(path);
  }

 private:
  const host::Environment& environment_;
  const host::Files& files_;
};

// Returns the URL without a "/" at its end.
std::string ReadEndpoint(std::string text) {
  if (text.empty()) {
    return text;
  }
  while (text.ends_with('/')) {
    text.pop_back();
  }
  const auto url = net::Url::Parse(text);
  if (!url || (url->scheme != "https" && url->scheme != "http") || text.contains('?')) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format(
            "AWS_ENDPOINT_URL or endpoint_url is not the http or https URL of a service: {}",
            base::Quoted(text)));
  }
  return text;
}

}  // namespace

Access::~Access() {
  base::Wipe(secret_key);
  base::Wipe(session_token);
}

std::optional<Location> ParseLocation(std::string_view text) {
  if (!text.starts_with(kScheme)) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  Location location{.bucket = std::string(rest.substr(0, slash)),
                    .key = std::string(rest.substr(std::min(slash + 1, rest.size())))};
  if (!IsBucketName(location.bucket)) {
    throw Error(
        Error::Kind::kInvalid,
        fmt::format("{} does not name a bucket: s3://BUCKET/KEY is expected", base::Quoted(text)));
  }
  if (!IsKey(location.key)) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("{} has a key that this program does not use: it is longer than 1024 "
                            "bytes, or has a control character, \".\" or \"..\"",
                            base::Quoted(text)));
  }
  return location;
}

Access LoadAccess(const host::Environment& environment, const host::Files& files) {
  const Settings settings(environment, files);
  Access access;
  access.endpoint = ReadEndpoint(settings.Endpoint());
  access.region = settings.Region();
  access.ca_pem = settings.CaPem();
  settings.FillCredentials(access);
  return access;
}

Access LoadAccessOfTimer(const host::Environment& environment, const host::Files& files) {
  for (const NamedVariable& variable : kVariables) {
    if (!environment.Get(variable.name).empty()) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("a timer does not have {} of this shell: unset it, and {}",
                              variable.name, variable.instead));
    }
  }
  return LoadAccess(NoEnvironment(), files);
}

}  // namespace s3
