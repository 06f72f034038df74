// SPDX-License-Identifier: Apache-2.0
// The address of an S3 service and the credentials for it, from AWS's variables and files
// (https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/environment.h"
#include "host/files.h"

namespace s3 {

// An object or a prefix: "s3://BUCKET/KEY".
struct Location {
  std::string bucket;
  std::string key;  // may be empty or a prefix that ends with "/"
  bool operator==(const Location&) const = default;
};

// Parses "s3://BUCKET/KEY". Returns std::nullopt for a string that does not begin with "s3://",
// which is a local path. Throws base::Error(kInvalid) for an invalid bucket name, and for a key
// that contains a control character or has "." or ".." as a part.
std::optional<Location> ParseLocation(std::string_view text);

// The settings of requests. The destructor overwrites the secrets.
struct Access {
  std::string endpoint;  // "https://s3.example.org"; "": Amazon's
  std::string region;
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // "": none
  std::string ca_pem;         // the only CAs of the endpoint; "": the system's
  ~Access();
};

// Reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. If these are not set, reads
// the profile AWS_PROFILE (default: "default") of the file AWS_SHARED_CREDENTIALS_FILE (default:
// ~/.aws/credentials). The file AWS_CONFIG_FILE (default: ~/.aws/config) has further settings.
//
// The region is AWS_REGION, AWS_DEFAULT_REGION, the region in AWS_CONFIG_FILE, or us-east-1. The
// endpoint is AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or endpoint_url in AWS_CONFIG_FILE.
// AWS_CA_BUNDLE, or ca_bundle in AWS_CONFIG_FILE, names a file of CAs.
//
// Throws base::Error(kNotFound) if the credentials are missing, and base::Error(kInvalid) if the
// endpoint is not an http or https URL. If a named file cannot be read, throws base::Error with the
// kind of the file's error.
Access LoadAccess(const host::Environment& environment, const host::Files& files);

// Returns the access of a process that a timer starts. That process does not get the environment
// variables of this process, and reads only root's files. If one of the variables above is set,
// throws base::Error(kUsage), naming the variable and the file to use instead. Also throws the
// errors of LoadAccess.
Access LoadAccessOfTimer(const host::Environment& environment, const host::Files& files);

}  // namespace s3
