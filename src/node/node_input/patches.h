// SPDX-License-Identifier: Apache-2.0
// User's patches: a directory of files that change kubeadm's output before it is written
// (kubernetes.io/docs: "Customizing components with the kubeadm API"; reference: manifests.md §8).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"
#include "json/value.h"
#include "patch/patch.h"

namespace node_input {

namespace fs = std::filesystem;

// The type of a patch, with its MIME type.
enum class PatchType {
  kStrategic,  // application/strategic-merge-patch+json
  kMerge,      // application/merge-patch+json, RFC 7386
  kJson,       // application/json-patch+json, RFC 6902
};
std::string_view MimeType(PatchType type);

// The targets that are not static Pods; a Pod's target is its name.
inline constexpr std::string_view kKubeletConfigurationTarget = "kubeletconfiguration";
inline constexpr std::string_view kCoreDnsDeploymentTarget = "corednsdeployment";
inline constexpr std::string_view kKubeProxyDaemonSetTarget = "kubeproxydaemonset";

// The parsed base name of a file. Exactly one of the four outcomes applies.
struct PatchFileName {
  enum class Kind {
    kPatch,
    kWrongExtension,  // neither .json nor .yaml
    kUnknownTarget,
    kUnknownType,  // "+" without json, merge or strategic
  } kind = Kind::kPatch;
  std::string target;
  PatchType type = PatchType::kStrategic;
};
PatchFileName ParsePatchFileName(std::string_view base_name);

// The two families of names that messages list.
const std::vector<std::string>& PatchTargets();
const std::vector<std::string>& PatchExtensions();  // without dot

// One document of a patch file that changed a target.
struct AppliedPatch {
  PatchType type;
  std::string target;
};

// The content of a directory of patches, in the order of application.
struct PatchSet {
  struct Patch {
    std::string target;
    PatchType type;
    json::Value document;
  };
  struct Ignored {
    enum class Reason { kWrongExtension, kUnknownTarget, kEmpty } reason;
    std::string file;  // base name
  };

  fs::path directory;
  std::vector<std::string> found;  // base names of the patch files
  std::vector<Ignored> ignored;
  std::vector<Patch> patches;
};

// Reads the patches in `directory` and its subdirectories, in lexical order. Throws base::Error:
// kNotFound if the directory is missing; kInvalid if the path is not a directory or is a link to
// one. Also throws kInvalid for a file name with an unknown type after "+", and for a file that is
// neither YAML nor JSON.
PatchSet ReadPatches(const host::Files& files, const fs::path& directory);

// A target after its patches.
struct Patched {
  json::Value value;
  std::vector<AppliedPatch> applied;
};

// Applies the target's patches in order. If a patch does not apply, throws base::Error(kInvalid)
// naming the patch and the target.
Patched ApplyPatches(const PatchSet& patches, std::string_view target, json::Value value,
                     patch::Schema schema);

// Returns a patched "Pod", "Deployment" or "DaemonSet" in Kubernetes' form: without unknown and
// empty fields, with canonical quantities. Throws base::Error(kInvalid) if it is something else, or
// a field is of a wrong type.
json::Value Decoded(const json::Value& object, std::string_view api_version, std::string_view kind);

}  // namespace node_input
