// SPDX-License-Identifier: Apache-2.0
// Calls kube::Client for the tests of this directory: `api_driver KUBECONFIG COMMAND RESOURCE
// [NAMESPACE NAME [ARGUMENT]]`, objects on standard input, one JSON value a line on standard
// output. An error is {"kind": …, "message": …} and exit status 1.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/error.h"
#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace {

using kube::Client;
using kube::Resource;

constexpr const Resource* kResources[] = {
    &kube::resources::kConfigMap,   &kube::resources::kSecret,      &kube::resources::kNode,
    &kube::resources::kClusterRole, &kube::resources::kRoleBinding, &kube::resources::kRole,
    &kube::resources::kEvent,
};

constexpr std::pair<base::Error::Kind, const char*> kKinds[] = {
    {base::Error::Kind::kInvalid, "invalid"},
    {base::Error::Kind::kNotFound, "not found"},
    {base::Error::Kind::kAlreadyExists, "already exists"},
    {base::Error::Kind::kConflict, "conflict"},
    {base::Error::Kind::kForbidden, "forbidden"},
    {base::Error::Kind::kUnauthorized, "unauthorized"},
    {base::Error::Kind::kTimeout, "timeout"},
    {base::Error::Kind::kUnavailable, "unavailable"},
};

struct Arguments {
  const Resource& resource;
  std::string name_space;
  std::string name;
  std::string argument;
};

void Print(const json::Value& value) { std::cout << json::Compact(value) << std::endl; }

json::Value Input() {
  return json::Parse(std::string(std::istreambuf_iterator<char>(std::cin), {}));
}

// A mutation that sets a label of the given name.
std::function<void(json::Value&)> Label(const std::string& name) {
  return [name](json::Value& object) { object["metadata"]["labels"][name] = "set"; };
}

void Watch(Client& client, const Arguments& a) {
  client.Watch({.verb = kube::Verb::kList, .resource = a.resource, .name_space = a.name_space},
               a.argument, [&](const std::string& type, const json::Value& object) {
                 Print({{"type", type}, {"object", object}});
                 return json::TextAt(object, {"metadata", "name"}) != a.name;
               });
}

using Command = std::function<void(Client&, const Arguments&)>;

const std::map<std::string, Command>& Commands() {
  static const std::map<std::string, Command> commands = {
      {"get",
       [](Client& c, const Arguments& a) { Print(c.Get({a.resource, a.name_space, a.name})); }},
      {"list", [](Client& c, const Arguments& a) { Print(c.List(a.resource, a.name_space)); }},
      {"create", [](Client& c, const Arguments& a) { Print(c.Create(a.resource, Input())); }},
      {"update", [](Client& c, const Arguments& a) { Print(c.Update(a.resource, Input())); }},
      {"delete",
       [](Client& c, const Arguments& a) { c.Delete({a.resource, a.name_space, a.name}); }},
      {"create-or-update",
       [](Client& c, const Arguments& a) { c.CreateOrUpdate(a.resource, Input()); }},
      {"create-or-retain",
       [](Client& c, const Arguments& a) { c.CreateOrRetain(a.resource, Input()); }},
      {"create-or-mutate",
       [](Client& c, const Arguments& a) {
         c.CreateOrMutate(a.resource, Input(), Label(a.argument));
       }},
      {"patch-node",
       [](Client& c, const Arguments& a) {
         const json::Value taints = Input();
         c.PatchNode(a.name, [&](json::Value& node) {
           Label(a.argument)(node);
           node["spec"]["taints"] = taints;
         });
       }},
      {"watch", Watch},
  };
  return commands;
}

int Fail(const base::Error& error) {
  const auto row =
      std::ranges::find_if(kKinds, [&](const auto& pair) { return pair.first == error.kind(); });
  Print({{"kind", row == std::end(kKinds) ? "other" : row->second}, {"message", error.message()}});
  return 1;
}

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return file ? std::optional(content.str()) : std::nullopt;
}

int Run(const std::vector<std::string>& words) {
  host::RealClock clock;
  if (words.at(1) == "wait-for-url") {
    kube::WaitUntil(kube::UrlProbe(words.at(2)),
                    {.clock = clock, .limit = std::chrono::seconds(60)});
    return 0;
  }
  const auto config = kube::Kubeconfig::Parse(ReadFile(words.at(0)).value());
  Client client(kube::MakeHttpTransport(config, {.read_file = ReadFile}), clock, {});
  const auto resource = std::ranges::find(kResources, words.at(2), &Resource::resource);
  const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
  Commands().at(words.at(1))(client, {**resource, word(3), word(4), word(5)});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run({argv + 1, argv + argc});
  } catch (const base::Error& error) {
    return Fail(error);
  }
}
