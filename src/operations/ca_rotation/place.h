// SPDX-License-Identifier: Apache-2.0
// The files of one authority on a node, and the stored key pairs of a rotation.
//
// During a rotation the authority's file ("ca.crt", "sa.pub") contains the authority that signs,
// followed by the other authority. <certificates directory>/rotate-ca/<authority>/ stores both key
// pairs, as old.*
// and new.*. The controller manager cannot sign with a file of two certificates, so it uses
// signing.crt from this directory.
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

// Paths of one authority's files on a node. References must outlive the object.
struct AuthorityFiles {
  host::Files& files;
  const Authority& authority;
  host::fs::path certs_dir;
  bool control_plane = true;

  host::fs::path AnchorsPath() const;  // "ca.crt"
  host::fs::path KeyPath() const;      // "ca.key"
  host::fs::path SigningPath() const;  // signing.crt, for the controller manager
  host::fs::path Directory() const;    // of the stored key pairs
  bool IsKeyOnly() const;              // true for the service account key

  // Returns this node's kubeconfig files that trust the authority.
  std::vector<host::fs::path> KubeconfigPaths() const;
  // Returns the rows of the certificates that this node stores in separate files.
  std::vector<const certs::Renewable*> Leaves() const;
};

// The old or the new authority of a rotation.
enum class Generation { kOld, kNew };
host::fs::path SavedAnchorPath(const AuthorityFiles& place, Generation generation);
host::fs::path SavedKeyPath(const AuthorityFiles& place, Generation generation);

// Returns the anchors in the authority's file, at least one. Throws base::Error(kInvalid) if the
// file contains none.
std::vector<Anchor> LiveAnchors(const AuthorityFiles& place);
// FindSaved returns the anchor of a stored key pair, or std::nullopt if none is stored. If none is
// stored, Saved throws base::Error(kNotFound) instead. Both throw base::Error(kInvalid) if
// certificate and key do not match.
std::optional<Anchor> FindSaved(const AuthorityFiles& place, Generation generation);
Anchor Saved(const AuthorityFiles& place, Generation generation);
// Returns the anchors in the authority's file, and the stored old and new anchors, each once.
std::vector<Anchor> KnownAnchors(const AuthorityFiles& place);

// Stores a key pair (directory 0700, files 0600). Throws base::Error(kInvalid) if certificate and
// key do not match.
void SavePair(const AuthorityFiles& place, Generation generation, const std::string& anchor_pem,
              const std::string& key_pem);

// Generates a new authority with the names of the active one, and stores its key pair.
Anchor NewPair(const AuthorityFiles& place, const config::ClusterConfiguration& cluster,
               std::chrono::sys_seconds start);

// Loads a stored CA with its key.
pki::KeyPair LoadSavedCa(const AuthorityFiles& place, Generation generation);

// Writes a file unless it has this content. Creates missing directories with mode 0700.
void WriteIfOther(const AuthorityFiles& place, const host::fs::path& path,
                  const std::string& content, unsigned mode);

}  // namespace ca_rotation
