// The files of a node that a rotation of a certificate authority reads and writes.
//
// While it is under way, the file of the authority ("ca.crt", "sa.pub") holds the one that signs,
// then the other. Both pairs lie in <certificates folder>/rotate-ca/<authority>/ as old.* and
// new.*. A controller manager refuses to sign with a file of two certificates, so it gets
// signing.crt there.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ca_rotation/authority.h"
#include "certs/renewal.h"
#include "config/types.h"
#include "host/files.h"
#include "pki/certificate.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {

// Anchor is a CA's certificate, or a public key of service account tokens.
struct Anchor {
  std::string pin;
  std::string pem;
  bool operator==(const Anchor&) const = default;
};

// ParseAnchors reads all of a text. Throws base::Error(kInvalid) for one that cannot be read.
std::vector<Anchor> ParseAnchors(std::string_view pem);

// Place is a node's files of one authority.
struct Place {
  host::Files& files;
  const Authority& authority;
  host::fs::path certs_dir;
  bool control_plane = true;

  host::fs::path AnchorsPath() const;  // "ca.crt"
  host::fs::path KeyPath() const;      // "ca.key"
  host::fs::path Folder() const;
  bool IsKeyOnly() const;  // it has no certificates: service account tokens
};

enum class Which { kOld, kNew };
host::fs::path SavedAnchorPath(const Place& place, Which which);
host::fs::path SavedKeyPath(const Place& place, Which which);

// LiveAnchors are those in use, at least one. Throws base::Error when there is none.
std::vector<Anchor> LiveAnchors(const Place& place);
// FindSaved is one that lies ready with its key. Throws base::Error(kInvalid) when they do not
// belong together.
std::optional<Anchor> FindSaved(const Place& place, Which which);

// SavePair keeps a pair (folder 0700, files 0600). Throws like FindSaved.
void SavePair(const Place& place, Which which, const std::string& anchor_pem,
              const std::string& key_pem);

// NewPair draws a new authority with the names of the one in use, and saves it.
Anchor NewPair(const Place& place, const config::ClusterConfiguration& cluster,
               std::chrono::sys_seconds start);

// LoadSavedCa is a saved CA with its key.
pki::KeyPair LoadSavedCa(const Place& place, Which which);

// ReadHolders looks at all files. `fresh` is the new authority where it does not lie on this node.
std::vector<Holder> ReadHolders(const Place& place, const std::optional<Anchor>& fresh);

// TouchedFiles are all that the steps may write, but for the saved pairs.
std::vector<host::fs::path> TouchedFiles(const Place& place,
                                         const config::ClusterConfiguration& cluster);

// SetAnchors makes all files trust exactly these of the old and the new one, the signing one first.
// What is as it should be is not written; foreign CAs in kubeconfig files stay.
void SetAnchors(const Place& place, const std::vector<Anchor>& anchors);

// The steps of a control plane node. WriteTrust and WriteDrop return the components whose manifests
// they changed. WriteReissue does not renew the kubelet's certificate.
std::set<static_pods::Component> WriteTrust(const Place& place);
void WriteReissue(const Place& place, const certs::RenewalContext& renewal);
std::set<static_pods::Component> WriteDrop(const Place& place);

// Backup copies the files, and the saved pairs, to `folder` (0700; files 0600), under their whole
// names.
void Backup(const Place& place, const std::vector<host::fs::path>& paths,
            const host::fs::path& folder);

}  // namespace ca_rotation
