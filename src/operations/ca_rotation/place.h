// SPDX-License-Identifier: Apache-2.0
// A node's files of one authority: where they lie, and what is in use and lies ready there.
//
// While a rotation is under way, the file of the authority ("ca.crt", "sa.pub") holds the one that
// signs, then the other. Both pairs lie in <certificates directory>/rotate-ca/<authority>/ as old.*
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

// Place is a node's files of one authority.
struct Place {
  host::Files& files;
  const Authority& authority;
  host::fs::path certs_dir;
  bool control_plane = true;

  host::fs::path AnchorsPath() const;  // "ca.crt"
  host::fs::path KeyPath() const;      // "ca.key"
  host::fs::path SigningPath() const;  // with which the controller manager signs in between
  host::fs::path Directory() const;    // of the saved pairs
  bool IsKeyOnly() const;              // it has no certificates: service account tokens

  // KubeconfigPaths are the kubeconfig files of this node that trust the authority.
  std::vector<host::fs::path> KubeconfigPaths() const;
  // Leaves are the rows whose certificate is a file of its own here.
  std::vector<const certs::Renewable*> Leaves() const;
};

// Generation is which of the two authorities of a rotation.
enum class Generation { kOld, kNew };
host::fs::path SavedAnchorPath(const Place& place, Generation generation);
host::fs::path SavedKeyPath(const Place& place, Generation generation);

// LiveAnchors are those in use, at least one. Throws base::Error when there is none.
std::vector<Anchor> LiveAnchors(const Place& place);
// FindSaved is one that lies ready with its key; Saved throws base::Error(kNotFound) without. Both
// throw base::Error(kInvalid) when they do not belong together.
std::optional<Anchor> FindSaved(const Place& place, Generation generation);
Anchor Saved(const Place& place, Generation generation);
// KnownAnchors are the old and the new one, as far as this node knows them.
std::vector<Anchor> KnownAnchors(const Place& place);

// SavePair keeps a pair (directory 0700, files 0600). Throws like FindSaved.
void SavePair(const Place& place, Generation generation, const std::string& anchor_pem,
              const std::string& key_pem);

// NewPair draws a new authority with the names of the one in use, and saves it.
Anchor NewPair(const Place& place, const config::ClusterConfiguration& cluster,
               std::chrono::sys_seconds start);

// LoadSavedCa is a saved CA with its key.
pki::KeyPair LoadSavedCa(const Place& place, Generation generation);

// WriteIfOther writes a file unless it holds that already; directories that are missing get 0700.
void WriteIfOther(const Place& place, const host::fs::path& path, const std::string& content,
                  unsigned mode);

// Backup copies the files, and the saved pairs, to `directory` (0700; files 0600), under their
// whole names. Where that fails, nothing of it stays, unless the directory was
// there before.
void Backup(const Place& place, const std::vector<host::fs::path>& paths,
            const host::fs::path& directory);

}  // namespace ca_rotation
