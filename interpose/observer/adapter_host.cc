#include "interpose/observer/adapter_host.h"

#include "interpose/observer/observer.h"
#include "interpose/ops/tensors.h"

namespace graphtap::observer {
namespace {

void OpBegin(const GraphtapOp* op) noexcept {
  if (auto* observer = Observer::Active()) observer->OnOpBegin(ops::Complete(op, op->size));
}

void OpEnd(const GraphtapOpResult* result) noexcept {
  if (auto* observer = Observer::Active()) {
    observer->OnOpEnd(ops::Complete(result, result->size));
  }
}

}  // namespace

const GraphtapHost kAdapterHost = {sizeof(GraphtapHost), GRAPHTAP_ADAPTER_VERSION, OpBegin, OpEnd};

}  // namespace graphtap::observer
