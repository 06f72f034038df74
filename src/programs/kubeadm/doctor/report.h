// The doctor's findings as text and as an object.
#pragma once

#include <string>
#include <vector>

#include "doctor/facts.h"
#include "doctor/judge.h"
#include "json/value.h"

namespace kubeadm {

std::string DoctorText(const doctor::Facts& facts, const std::vector<doctor::Finding>& findings);

// DoctorObject is kind Diagnosis of output.slipway/v1alpha1 (docs/output.md).
json::Ordered DoctorObject(const doctor::Facts& facts,
                           const std::vector<doctor::Finding>& findings);

}  // namespace kubeadm
