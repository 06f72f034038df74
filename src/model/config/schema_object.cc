// SPDX-License-Identifier: Apache-2.0
// The fields that objects share, and those of apps/v1 Deployment and DaemonSet, as Kubernetes has
// them (its API reference). A DaemonSet's status is the server's alone, so it is left out.
#include "config/schema.h"

namespace config {
namespace {

constexpr SchemaRow kRows[] = {
    {"Deployment", "apiVersion", "string"},
    {"Deployment", "kind", "string"},
    {"Deployment", "metadata", "!ObjectMeta"},
    {"Deployment", "spec", "!DeploymentSpec"},
    {"Deployment", "status", "!DeploymentStatus"},
    {"DaemonSet", "apiVersion", "string"},
    {"DaemonSet", "kind", "string"},
    {"DaemonSet", "metadata", "!ObjectMeta"},
    {"DaemonSet", "spec", "!DaemonSetSpec"},
    {"DaemonSetSpec", "minReadySeconds", "int32"},
    {"DaemonSetSpec", "revisionHistoryLimit", "*int32"},
    {"DaemonSetSpec", "selector", "!*LabelSelector"},
    {"DaemonSetSpec", "template", "!PodTemplateSpec"},
    {"DaemonSetSpec", "updateStrategy", "!DaemonSetUpdateStrategy"},
    {"DaemonSetUpdateStrategy", "rollingUpdate", "*RollingUpdateDaemonSet"},
    {"DaemonSetUpdateStrategy", "type", "string"},
    {"RollingUpdateDaemonSet", "maxSurge", "*intorstring"},
    {"RollingUpdateDaemonSet", "maxUnavailable", "*intorstring"},
    {"LabelSelector", "matchExpressions", "[]LabelSelectorRequirement"},
    {"LabelSelector", "matchLabels", "map[]string"},
    {"LabelSelectorRequirement", "key", "!string"},
    {"LabelSelectorRequirement", "operator", "!string"},
    {"LabelSelectorRequirement", "values", "[]string"},
    {"ObjectMeta", "annotations", "map[]string"},
    {"ObjectMeta", "creationTimestamp", "*time"},
    {"ObjectMeta", "deletionGracePeriodSeconds", "*int64"},
    {"ObjectMeta", "deletionTimestamp", "*time"},
    {"ObjectMeta", "finalizers", "[]string"},
    {"ObjectMeta", "generateName", "string"},
    {"ObjectMeta", "generation", "int64"},
    {"ObjectMeta", "labels", "map[]string"},
    {"ObjectMeta", "managedFields", "[]ManagedFieldsEntry"},
    {"ObjectMeta", "name", "string"},
    {"ObjectMeta", "namespace", "string"},
    {"ObjectMeta", "ownerReferences", "[]OwnerReference"},
    {"ObjectMeta", "resourceVersion", "string"},
    {"ObjectMeta", "selfLink", "string"},
    {"ObjectMeta", "uid", "string"},
    {"OwnerReference", "apiVersion", "!string"},
    {"OwnerReference", "blockOwnerDeletion", "*bool"},
    {"OwnerReference", "controller", "*bool"},
    {"OwnerReference", "kind", "!string"},
    {"OwnerReference", "name", "!string"},
    {"OwnerReference", "uid", "!string"},
    {"ManagedFieldsEntry", "apiVersion", "string"},
    {"ManagedFieldsEntry", "fieldsType", "string"},
    {"ManagedFieldsEntry", "fieldsV1", "*any"},
    {"ManagedFieldsEntry", "manager", "string"},
    {"ManagedFieldsEntry", "operation", "string"},
    {"ManagedFieldsEntry", "subresource", "string"},
    {"ManagedFieldsEntry", "time", "*time"},
    {"DeploymentSpec", "minReadySeconds", "int32"},
    {"DeploymentSpec", "paused", "bool"},
    {"DeploymentSpec", "progressDeadlineSeconds", "*int32"},
    {"DeploymentSpec", "replicas", "*int32"},
    {"DeploymentSpec", "revisionHistoryLimit", "*int32"},
    {"DeploymentSpec", "selector", "!*LabelSelector"},
    {"DeploymentSpec", "strategy", "!DeploymentStrategy"},
    {"DeploymentSpec", "template", "!PodTemplateSpec"},
    {"PodTemplateSpec", "metadata", "!ObjectMeta"},
    {"PodTemplateSpec", "spec", "!PodSpec"},
    {"DeploymentStrategy", "rollingUpdate", "*RollingUpdateDeployment"},
    {"DeploymentStrategy", "type", "string"},
    {"RollingUpdateDeployment", "maxSurge", "*intorstring"},
    {"RollingUpdateDeployment", "maxUnavailable", "*intorstring"},
};

}  // namespace

std::span<const SchemaRow> ObjectRows() { return kRows; }

}  // namespace config
