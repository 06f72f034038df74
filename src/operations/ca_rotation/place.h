// SPDX-License-Identifier: Apache-2.0
// A node's files of one authority: their places, the active authority and the prepared one.
//
// During a rotation the file of the authority ("ca.crt", "sa.pub") contains the one that signs,
// then the other. Both pairs are stored in <certificates directory>/rotate-ca/<authority>/ as old.*
// and new.*. A controller manager refuses to sign with a file of two certificates, so it gets
// signing.crt there.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ca_rotation/anchors.h"
#include "ca_rotation/authority.h"
#include "certs/renewal.h"
#include "config/types.h"
#include "host/files.h"
#include "pki/certificate.h"

namespace ca_rotation {

// A node's files of one authority.
struct Place {
  host::Files& files;
  const Authority& authority;
  host::fs::path certs_dir;
  bool control_plane = true;

  host::fs::path AnchorsPath() const;  // "ca.crt"
  host::fs::path KeyPath() const;      // "ca.key"
  host::fs::path SigningPath() const;  // the controller manager signs with it in between
  host::fs::path Directory() const;    // of the saved pairs
  bool IsKeyOnly() const;              // it has no certificates: service account tokens

  // Returns the kubeconfig files of this node that trust the authority.
  std::vector<host::fs::path> KubeconfigPaths() const;
  // Returns the rows whose certificate is in a file of its own here.
  std::vector<const certs::Renewable*> Leaves() const;
};

// One of the two authorities of a rotation.
enum class Generation { kOld, kNew };
host::fs::path SavedAnchorPath(const Place& place, Generation generation);
host::fs::path SavedKeyPath(const Place& place, Generation generation);

// Returns the active ones, at least one. Throws base::Error(kInvalid) without one.
std::vector<Anchor> LiveAnchors(const Place& place);
// FindSaved returns a prepared pair with its key; Saved throws base::Error(kNotFound) without it.
// Both throw base::Error(kInvalid) if certificate and key do not match.
std::optional<Anchor> FindSaved(const Place& place, Generation generation);
Anchor Saved(const Place& place, Generation generation);
// Returns the old and the new one, if they are on this node.
std::vector<Anchor> KnownAnchors(const Place& place);

// Stores a pair (directory 0700, files 0600). Throws like FindSaved.
void SavePair(const Place& place, Generation generation, const std::string& anchor_pem,
              const std::string& key_pem);

// Generates a new authority with the names of the active one, and saves it.
Anchor NewPair(const Place& place, const config::ClusterConfiguration& cluster,
               std::chrono::sys_seconds start);

// Returns a saved CA with its key.
pki::KeyPair LoadSavedCa(const Place& place, Generation generation);

// Writes a file unless it has that content already; missing directories get 0700.
void WriteIfOther(const Place& place, const host::fs::path& path, const std::string& content,
                  unsigned mode);

}  // namespace ca_rotation
