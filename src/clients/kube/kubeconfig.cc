// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/secret_text.h"
#include "base/strings.h"
#include "json/wipe.h"
#include "yaml/yaml.h"

namespace kube {
namespace {

enum class Form { kText, kBase64 };
enum class Omit { kWhenEmpty, kNever };

// One string field of a part of the type T.
template <typename T>
struct Row {
  std::string_view name;
  std::string T::* member;
  Form form = Form::kText;
  Omit omit = Omit::kWhenEmpty;
};

template <typename T>
struct Part;  // names and rows of a part

template <>
struct Part<KubeconfigCluster> {
  static constexpr std::string_view kName = "cluster";
  static constexpr Row<KubeconfigCluster> kRows[] = {
      {"certificate-authority", &KubeconfigCluster::certificate_authority},
      {"certificate-authority-data", &KubeconfigCluster::certificate_authority_data, Form::kBase64},
      {"proxy-url", &KubeconfigCluster::proxy_url},
      {"server", &KubeconfigCluster::server, Form::kText, Omit::kNever},
      {"tls-server-name", &KubeconfigCluster::tls_server_name}};
};

template <>
struct Part<KubeconfigUser> {
  static constexpr std::string_view kName = "user";
  static constexpr Row<KubeconfigUser> kRows[] = {
      {"client-certificate", &KubeconfigUser::client_certificate},
      {"client-certificate-data", &KubeconfigUser::client_certificate_data, Form::kBase64},
      {"client-key", &KubeconfigUser::client_key},
      {"client-key-data", &KubeconfigUser::client_key_data, Form::kBase64},
      {"password", &KubeconfigUser::password},
      {"token", &KubeconfigUser::token},
      {"tokenFile", &KubeconfigUser::token_file},
      {"username", &KubeconfigUser::username}};
};

template <>
struct Part<KubeconfigContext> {
  static constexpr std::string_view kName = "context";
  static constexpr Row<KubeconfigContext> kRows[] = {
      {"cluster", &KubeconfigContext::cluster, Form::kText, Omit::kNever},
      {"namespace", &KubeconfigContext::name_space},
      {"user", &KubeconfigContext::user, Form::kText, Omit::kNever}};
};

constexpr const char* kInsecure = "insecure-skip-tls-verify";

base::Error Invalid(std::string message) {
  return {base::Error::Kind::kInvalid, std::move(message)};
}

// Returns a string member, "" if it is missing or null.
std::string TextIn(const json::Value& object, std::string_view name, const std::string& path) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) {
    return "";
  }
  if (!found->is_string()) {
    throw Invalid(fmt::format("{}{} must be a string", path, name));
  }
  return found->get<std::string>();
}

// Returns a string member, decoded for Form::kBase64; "" if it is missing or null. Removes the
// member from `object` and overwrites it there.
std::string TakeText(json::Value& object, std::string_view name, Form form,
                     const std::string& path) {
  std::string text = TextIn(object, name, path);
  if (const auto found = object.find(name); found != object.end()) {
    json::WipeTexts(*found);  // it may be a key or a token
    object.erase(found);
  }
  if (form == Form::kText) {
    return text;
  }
  const base::Wiper wiper(text);
  return base::WithContext(fmt::format("{}{}", path, name),
                           [&] { return base::Base64Decode(text); });
}

void TakeOthers(json::Value& object, const std::string& path, KubeconfigCluster& cluster) {
  const auto found = object.find(kInsecure);
  if (found == object.end()) {
    return;
  }
  if (!found->is_boolean() && !found->is_null()) {
    throw Invalid(fmt::format("{}{} must be true or false", path, kInsecure));
  }
  cluster.insecure_skip_tls_verify = found->is_boolean() && found->get<bool>();
  object.erase(kInsecure);
}
void TakeOthers(json::Value& /*object*/, const std::string& /*path*/, KubeconfigUser& /*user*/) {}
void TakeOthers(json::Value& /*object*/, const std::string& /*path*/,
                KubeconfigContext& /*context*/) {}

void PutOthers(json::Value& object, const KubeconfigCluster& cluster) {
  if (cluster.insecure_skip_tls_verify) {
    object[kInsecure] = true;
  }
}
void PutOthers(json::Value& /*object*/, const KubeconfigUser& /*user*/) {}
void PutOthers(json::Value& /*object*/, const KubeconfigContext& /*context*/) {}

template <typename T>
T DecodePart(json::Value object, const std::string& path) {
  T part;
  if (object.is_null()) {
    return part;
  }
  if (!object.is_object()) {
    throw Invalid(fmt::format("{} must be an object", path));
  }
  for (const Row<T>& row : Part<T>::kRows) {
    part.*row.member = TakeText(object, row.name, row.form, path + ".");
  }
  TakeOthers(object, path + ".", part);
  if (!object.empty()) {
    part.rest = std::move(object);
  }
  return part;
}

// Decodes [{name: N, <part>: {…}}, …] of the member `list`.
template <typename T>
std::map<std::string, T> DecodeList(const json::Value& document, const std::string& list) {
  std::map<std::string, T> parts;
  const auto found = document.find(list);
  if (found == document.end() || found->is_null()) {
    return parts;
  }
  if (!found->is_array()) {
    throw Invalid(fmt::format("{} must be a list", list));
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    const json::Value& entry = (*found)[i];
    const std::string path = fmt::format("{}[{}]", list, i);
    if (!entry.is_object()) {
      throw Invalid(fmt::format("{} must be an object", path));
    }
    const std::string name = TextIn(entry, "name", path + ".");
    const auto part = entry.find(Part<T>::kName);
    T decoded = DecodePart<T>(part == entry.end() ? json::Value() : *part,
                              fmt::format("{}.{}", path, Part<T>::kName));
    if (!parts.emplace(name, std::move(decoded)).second) {
      throw Invalid(fmt::format("{} names \"{}\" a second time", list, name));
    }
  }
  return parts;
}

template <typename T>
json::Value EncodePart(const T& part) {
  json::Value object = part.rest.is_object() ? part.rest : json::Value::object();
  for (const Row<T>& row : Part<T>::kRows) {
    const std::string& text = part.*row.member;
    if (!text.empty() || row.omit == Omit::kNever) {
      object[row.name] = row.form == Form::kBase64 ? base::Base64Encode(text) : text;
    }
  }
  PutOthers(object, part);
  return object;
}

template <typename T>
json::Value EncodeList(const std::map<std::string, T>& parts) {
  json::Value list;  // stays null when empty, as Go writes a nil slice
  for (const auto& [name, part] : parts) {
    // The parts are moved in, because an initializer list would leave copies of secrets in memory.
    json::Value entry = {{"name", name}};
    entry[Part<T>::kName] = EncodePart(part);
    list.push_back(std::move(entry));
  }
  return list;
}

json::Value RestOf(const json::Value& document) {
  json::Value rest = json::Value::object();
  for (const char* name : {"extensions", "preferences"}) {
    if (const auto found = document.find(name); found != document.end() && !found->empty()) {
      rest[name] = *found;
    }
  }
  return rest;
}

template <typename T>
const T* FindIn(const std::map<std::string, T>& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? nullptr : &found->second;
}

using Flaws = std::vector<std::string>;

template <typename T>
void AddUnknownName(const std::map<std::string, T>& parts, const std::string& name,
                    const std::string& context, Flaws& flaws) {
  if (name.empty()) {
    flaws.push_back(fmt::format("context \"{}\" names no {}", context, Part<T>::kName));
  } else if (!parts.contains(name)) {
    flaws.push_back(fmt::format("context \"{}\" names {} \"{}\", which is not there", context,
                                Part<T>::kName, name));
  }
}

struct Given {
  std::string_view name;
  const std::string& file;
  const std::string& data;
};

// Reports a file that the kubeconfig names although it contains the file's content.
void AddTwice(const std::string& owner, const Given& given, Flaws& flaws) {
  if (!given.file.empty() && !given.data.empty()) {
    flaws.push_back(fmt::format("{} has both {} and {}-data", owner, given.name, given.name));
  }
}

void AddFlaws(const std::string& name, const KubeconfigCluster& cluster, Flaws& flaws) {
  const std::string owner = fmt::format("cluster \"{}\"", name);
  if (cluster.server.empty()) {
    flaws.push_back(owner + " has no server");
  }
  AddTwice(
      owner,
      {"certificate-authority", cluster.certificate_authority, cluster.certificate_authority_data},
      flaws);
}

void AddFlaws(const std::string& name, const KubeconfigUser& user, Flaws& flaws) {
  const std::string owner = fmt::format("user \"{}\"", name);
  const Given certificate{"client-certificate", user.client_certificate,
                          user.client_certificate_data};
  const Given key{"client-key", user.client_key, user.client_key_data};
  AddTwice(owner, certificate, flaws);
  AddTwice(owner, key, flaws);
  const bool has_certificate = !certificate.file.empty() || !certificate.data.empty();
  if (has_certificate && key.file.empty() && key.data.empty()) {
    flaws.push_back(owner +
                    " has a client certificate, but neither client-key nor "
                    "client-key-data");
  }
  if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
    flaws.push_back(owner + " has both a token and a user name or password");
  }
}

// Returns the undefined name on the way from the current context to a part.
std::string DanglingName(const Kubeconfig& config, std::string_view part,
                         std::string KubeconfigContext::* member) {
  if (config.current_context.empty()) {
    return "its current-context is not set";
  }
  const std::string context = base::Quoted(config.current_context);
  const KubeconfigContext* current = config.CurrentContext();
  if (current == nullptr) {
    return fmt::format("its current context {} does not exist", context);
  }
  const std::string& name = current->*member;
  return name.empty() ? fmt::format("its current context {} names no {}", context, part)
                      : fmt::format("its current context {} names {} {}, which does not exist",
                                    context, part, base::Quoted(name));
}

}  // namespace

KubeconfigUser::~KubeconfigUser() {
  for (std::string* secret : {&client_key_data, &token, &password}) {
    base::Wipe(*secret);
  }
}

bool KubeconfigUser::HasCredentials() const {
  const bool certificate = !client_certificate.empty() || !client_certificate_data.empty();
  const bool key = !client_key.empty() || !client_key_data.empty();
  const bool obtained =
      rest.is_object() && (rest.contains("exec") || rest.contains("auth-provider"));
  return !token.empty() || !token_file.empty() || (certificate && key) ||
         (!username.empty() && !password.empty()) || obtained;
}

Kubeconfig Kubeconfig::Parse(std::string_view text) {
  const json::Wiped parsed(yaml::Parse(text).value);
  const json::Value& document = parsed.value;
  if (document.is_null()) {
    return {};
  }
  if (!document.is_object()) {
    throw Invalid("this is not a kubeconfig: it holds no object");
  }
  const std::string version = TextIn(document, "apiVersion", "");
  const std::string kind = TextIn(document, "kind", "");
  if ((!version.empty() && version != "v1") || (!kind.empty() && kind != "Config")) {
    throw Invalid(fmt::format(R"(this is not a kubeconfig: its kind is "{}" of version "{}")", kind,
                              version));
  }
  return {.clusters = DecodeList<KubeconfigCluster>(document, "clusters"),
          .users = DecodeList<KubeconfigUser>(document, "users"),
          .contexts = DecodeList<KubeconfigContext>(document, "contexts"),
          .current_context = TextIn(document, "current-context", ""),
          .rest = RestOf(document)};
}

std::string Kubeconfig::Text() const {
  json::Wiped document(rest.is_object() ? rest : json::Value::object());
  document.value.update({{"apiVersion", "v1"},
                         {"clusters", EncodeList(clusters)},
                         {"contexts", EncodeList(contexts)},
                         {"current-context", current_context},
                         {"kind", "Config"}});
  document.value["users"] = EncodeList(users);
  return yaml::Emit(document.value);
}

std::vector<std::string> Kubeconfig::Flaws() const {
  std::vector<std::string> flaws;
  for (const auto& [name, context] : contexts) {
    AddUnknownName(clusters, context.cluster, name, flaws);
    AddUnknownName(users, context.user, name, flaws);
  }
  for (const auto& [name, cluster] : clusters) {
    AddFlaws(name, cluster, flaws);
  }
  for (const auto& [name, user] : users) {
    AddFlaws(name, user, flaws);
  }
  return flaws;
}

const KubeconfigContext* Kubeconfig::CurrentContext() const {
  return FindIn(contexts, current_context);
}

const KubeconfigCluster* Kubeconfig::CurrentCluster() const {
  const KubeconfigContext* context = CurrentContext();
  return context == nullptr ? nullptr : FindIn(clusters, context->cluster);
}

std::string Kubeconfig::NoClusterReason() const {
  return DanglingName(*this, "cluster", &KubeconfigContext::cluster);
}

std::string Kubeconfig::NoUserReason() const {
  return DanglingName(*this, "user", &KubeconfigContext::user);
}

const KubeconfigCluster* Kubeconfig::PublicCluster() const {
  const KubeconfigCluster* unnamed = FindIn(clusters, "");
  return unnamed != nullptr ? unnamed : CurrentCluster();
}

const KubeconfigUser* Kubeconfig::CurrentUser() const {
  const KubeconfigContext* context = CurrentContext();
  return context == nullptr ? nullptr : FindIn(users, context->user);
}

void LocateFiles(Kubeconfig& config, const std::filesystem::path& directory) {
  const auto locate = [&](std::string& name) {
    if (!name.empty()) {
      name = (directory / name).string();
    }
  };
  for (auto& [name, cluster] : config.clusters) {
    locate(cluster.certificate_authority);
  }
  for (auto& [name, user] : config.users) {
    locate(user.client_certificate);
    locate(user.client_key);
    locate(user.token_file);
  }
}

}  // namespace kube
