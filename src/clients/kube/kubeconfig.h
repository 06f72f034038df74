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

// KubeconfigCluster, …User and …Context are the parts that we read or write. Data fields hold the
// decoded PEM text, not base64. `rest` is whatever else the file had (exec, auth-provider,
// extensions, disable-compression, …), written back unchanged.
struct KubeconfigCluster {
  std::string server;
  std::string certificate_authority_data;
  std::string certificate_authority;  // file
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure_skip_tls_verify = false;
  json::Value rest = {};
};

// KubeconfigUser is how a client proves who it is, by whichever of these is set. What the fields do
// not cover is kept in `rest`.
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
  // What is secret of it is overwritten at its end.
  ~KubeconfigUser();
  // HasCredentials: a token, a client certificate with its key, a user name with a password, or a
  // way in `rest` (exec, auth-provider) to get one.
  bool HasCredentials() const;
};

// KubeconfigContext joins a cluster and a user of the same file, by their names.
struct KubeconfigContext {
  std::string cluster;
  std::string user;
  std::string name_space;
  json::Value rest = {};
};

// Kubeconfig is a file by which clients find a cluster and log in (Kubernetes documentation,
// "Organizing Cluster Access Using kubeconfig Files"). It may hold secrets: Text must be written
// with mode 0600.
struct Kubeconfig {
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
  std::string current_context;
  json::Value rest = {};  // the user's "preferences" and "extensions", unless they are empty

  // Parse throws base::Error(kInvalid) for text that is not a kubeconfig: no YAML, another kind or
  // version, a field of the wrong type, data that is not base64, a name given twice. Kind and
  // version may be missing; an empty text is an empty kubeconfig.
  static Kubeconfig Parse(std::string_view text);
  // Text is the YAML as Kubernetes tools write it: keys sorted, lists sorted by name and null when
  // empty, data in base64.
  std::string Text() const;

  // Flaws are sentences on names that lead nowhere, clusters without a server, and things that are
  // given in two ways or by half, wherever in the document they are. The names of files are not
  // followed.
  std::vector<std::string> Flaws() const;

  // The parts that the current context names; null when a name leads nowhere.
  const KubeconfigContext* CurrentContext() const;
  const KubeconfigCluster* CurrentCluster() const;
  const KubeconfigUser* CurrentUser() const;
  // NoClusterReason and NoUserReason say why CurrentCluster or CurrentUser is null: a clause on
  // "the kubeconfig" that names the context, cluster or user that does not exist.
  std::string NoClusterReason() const;
  std::string NoUserReason() const;
  // PublicCluster is the one that others are told of: the one without a name, else the current one.
  const KubeconfigCluster* PublicCluster() const;
};

// LocateFiles makes the names of files absolute that are relative to the kubeconfig's directory.
void LocateFiles(Kubeconfig& config, const std::filesystem::path& directory);

}  // namespace kube
