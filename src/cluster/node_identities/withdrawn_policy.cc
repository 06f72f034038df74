// SPDX-License-Identifier: Apache-2.0
#include "node_identities/withdrawn_policy.h"

#include "json/value.h"
#include "kube/objects.h"
#include "node_identities/identities.h"

namespace node_identities {
namespace {

constexpr kube::Resource kPolicy{"admissionregistration.k8s.io", "v1",
                                 "validatingadmissionpolicies", "ValidatingAdmissionPolicy", false};
constexpr kube::Resource kBinding{"admissionregistration.k8s.io", "v1",
                                  "validatingadmissionpolicybindings",
                                  "ValidatingAdmissionPolicyBinding", false};
constexpr const char* kVersion = "admissionregistration.k8s.io/v1";

json::Value RuleFor(const char* group, std::initializer_list<const char*> resources) {
  return {{"apiGroups", json::Value::array({group})},
          {"apiVersions", json::Value::array({"*"})},
          {"operations", json::Value::array({"CREATE"})},
          {"resources", resources}};
}

// Reads an existing object first, because an unconditional update is not allowed for these kinds.
void Put(kube::Client& client, const kube::Resource& resource, const json::Value& object) {
  client.CreateOrMutate(resource, object,
                        [&](json::Value& existing) { existing["spec"] = object["spec"]; });
}

}  // namespace

json::Value WithdrawnPolicy() {
  return {{"apiVersion", kVersion},
          {"kind", kPolicy.kind},
          {"metadata", {{"name", kPolicyName}}},
          {"spec",
           {{"failurePolicy", "Fail"},
            {"paramKind", {{"apiVersion", "v1"}, {"kind", "ConfigMap"}}},
            {"matchConstraints",
             {{"resourceRules",
               json::Value::array({RuleFor("", {"nodes", "pods", "serviceaccounts/token"}),
                                   RuleFor("certificates.k8s.io", {"certificatesigningrequests"}),
                                   RuleFor("coordination.k8s.io", {"leases"})})}}},
            {"matchConditions",
             json::Value::array(
                 {{{"name", "by-a-node"},
                   {"expression", "request.userInfo.username.startsWith('system:node:')"}}})},
            {"validations",
             json::Value::array({{{"expression",
                                   "!has(params.data) || !(('withdrawn.' + "
                                   "request.userInfo.username.substring(12)) in params.data)"},
                                  {"message", kWithdrawnMessage}}})}}}};
}

json::Value WithdrawnPolicyBinding() {
  return {{"apiVersion", kVersion},
          {"kind", kBinding.kind},
          {"metadata", {{"name", kPolicyName}}},
          {"spec",
           {{"policyName", kPolicyName},
            {"paramRef",
             {{"name", kMapName},
              {"namespace", kube::kSystemNamespace},
              {"parameterNotFoundAction", "Allow"}}},
            {"validationActions", json::Value::array({"Deny"})}}}};
}

void ApplyWithdrawnPolicy(kube::Client& client) {
  Put(client, kPolicy, WithdrawnPolicy());
  Put(client, kBinding, WithdrawnPolicyBinding());
}

}  // namespace node_identities
