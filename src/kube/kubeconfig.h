// kubeconfig files (API "v1", kind Config).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "data/json.h"

namespace kube {

// KubeconfigCluster, …User and …Context are the parts that we read or write. Data fields hold the
// decoded PEM text, not base64.
struct KubeconfigCluster {
  std::string server;
  std::string certificate_authority_data;
  std::string certificate_authority;  // file
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure_skip_tls_verify = false;
};

struct KubeconfigUser {
  std::string client_certificate_data;
  std::string client_key_data;
  std::string client_certificate;  // file
  std::string client_key;          // file
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  data::Json rest;  // whatever else the file had (exec, auth-provider, …), written back unchanged
  bool HasCredentials() const;
};

struct KubeconfigContext {
  std::string cluster;
  std::string user;
  std::string name_space;
};

struct Kubeconfig {
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
  std::string current_context;

  // Parse throws base::Error(kInvalid) for text that is no kubeconfig.
  static Kubeconfig Parse(std::string_view text);
  // Text is the YAML as Kubernetes tools write it (keys sorted, data in base64).
  std::string Text() const;

  // The parts that the current context names; null when a name leads nowhere.
  const KubeconfigContext* CurrentContext() const;
  const KubeconfigCluster* CurrentCluster() const;
  const KubeconfigUser* CurrentUser() const;
};

}  // namespace kube
