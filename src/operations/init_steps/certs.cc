// SPDX-License-Identifier: Apache-2.0
#include "certs/create.h"
#include "init_steps/steps.h"
#include "node_steps/steps.h"
#include "resume/resume.h"
#include "workflow/written_files.h"

namespace init_steps {

void MakeCertificate(const certs::CertSpec& spec, InitData& data, workflow::Context& context) {
  BringOwnCa(spec, data);
  resume::DropStaleCertificate(data.Resumed(), spec);
  workflow::WrittenFiles files(data.host.files, context);
  node_steps::SayCertificate(spec, certs::Ensure(spec, data.Certificates(files)), context);
}

}  // namespace init_steps
