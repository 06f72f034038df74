// SPDX-License-Identifier: Apache-2.0
// The content of a control-plane node's backup besides etcd's data.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "backup/manifest.h"
#include "etcd/client.h"
#include "host/host.h"

namespace backup {

// The collected parts of a backup, in memory: some hundred kilobytes.
struct Collected {
  Manifest manifest;                            // the snapshot's size is not set yet
  std::map<std::string, std::string> contents;  // of files and objects, by name in the archive
};

// Dependencies of a collection. References must outlive the call.
struct CollectionInput {
  host::Host& host;
  std::string created_by;  // Manifest::created_by
  std::stop_token stop = {};
};

// The connection to a control plane's etcd, as its API server uses it.
struct EtcdAccess {
  std::unique_ptr<etcd::Client> client;
  std::vector<std::string> endpoints;
};

// Returns the endpoints and the credentials of the etcd that this node's API server uses. Throws
// base::Error(kNotFound) if this node has no API server, or if an argument for etcd's credentials
// names no file of this host. Throws the errors of host::Files::Read.
etcd::Connection ReadEtcdConnection(const host::Files& files);

// Connects to the etcd that this node's API server uses, with its credentials. Throws the errors of
// ReadEtcdConnection.
EtcdAccess ConnectToEtcd(const CollectionInput& sources);

// Collects the files of this node: the files below /etc/kubernetes, except its temporary directory,
// the kubelet's files, and the files that arguments of the control-plane components name. Adds
// kubeadm's ConfigMaps and the state of etcd. If the ConfigMaps cannot be read, a note names them;
// etcd's snapshot contains them in any case. Throws base::Error: kNotFound if this node has no
// control plane, kUnavailable if no etcd member answers. Throws the file's error if a file that an
// argument names is unreadable. Throws base::Interrupted after a stop request.
Collected Collect(const CollectionInput& sources, const EtcdAccess& etcd);

}  // namespace backup
