// SPDX-License-Identifier: Apache-2.0
// kubeconfig files (API "v1", kind Config).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace kube {

// KubeconfigCluster, KubeconfigUser and KubeconfigContext have a member for each field that kubeadm
// uses. Members ending in `_data` contain decoded PEM, not base64. `rest` contains the other fields
// (exec, auth-provider, extensions, disable-compression); Text writes these fields back unchanged.
struct KubeconfigCluster {
  std::string server;
  std::string certificate_authority_data;
  std::string certificate_authority;  // file
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure_skip_tls_verify = false;
  json::Value rest = {};
};

// The credentials of a user, of which any may be empty. Other fields are kept in `rest`.
struct KubeconfigUser {
  std::string client_certificate_data;
  std::string client_key_data;
  std::string client_certificate;  // file
  std::string client_key;          // file
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  json::Value rest = {};
  // Overwrites the secret members.
  ~KubeconfigUser();
  // Returns true if the user has a token, a client certificate with its key, or a user name with a
  // password. Also returns true for a login method in `rest` (exec, auth-provider).
  bool HasCredentials() const;
};

// Joins a cluster and a user of the same file, by their names.
struct KubeconfigContext {
  std::string cluster;
  std::string user;
  std::string name_space;
  json::Value rest = {};
};

// A file with which clients find a cluster and log in (Kubernetes documentation, "Organizing
// Cluster Access Using kubeconfig Files"). May contain secrets: write Text with mode 0600.
struct Kubeconfig {
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
  std::string current_context;
  // The user's "preferences" and "extensions", unless they are empty.
  json::Value rest = {};

  // Parses a kubeconfig. Throws base::Error(kInvalid) for input that is not a kubeconfig: malformed
  // YAML, another kind or version, a field of the wrong type, data that is not base64, or a
  // duplicate name. Kind and version may be missing. Returns an empty kubeconfig for empty input.
  static Kubeconfig Parse(std::string_view text);
  // Returns the YAML as Kubernetes tools write it. Keys and lists are sorted, the lists by name. An
  // empty list is null. Data are in base64.
  std::string Text() const;

  // Returns a sentence for each undefined name, each cluster without a server, and each value that
  // is given twice or incompletely, anywhere in the document. Does not read the named files.
  std::vector<std::string> Flaws() const;

  // These functions return the parts of the current context; nullptr for an undefined name.
  const KubeconfigContext* CurrentContext() const;
  const KubeconfigCluster* CurrentCluster() const;
  const KubeconfigUser* CurrentUser() const;
  // Both functions return why CurrentCluster or CurrentUser is null. The reason names the undefined
  // context, cluster or user. It continues a sentence that begins with "the kubeconfig".
  std::string NoClusterReason() const;
  std::string NoUserReason() const;
  // Returns the cluster to publish: the cluster with an empty name, or else the current one.
  const KubeconfigCluster* PublicCluster() const;
};

// Makes relative file names absolute. They are relative to the kubeconfig's directory.
void LocateFiles(Kubeconfig& config, const std::filesystem::path& directory);

}  // namespace kube
