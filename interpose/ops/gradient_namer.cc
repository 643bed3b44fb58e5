#include "interpose/ops/gradient_namer.h"

namespace graphtap::ops {

void GradientNamer::Name(record::Gradient* gradient) {
  if (!gradient->parameter) return;
  const auto name = name_of_(*gradient->parameter);
  if (!name) return;
  gradient->names.insert(gradient->names.begin(), *name);
  gradient->invocation = seen_[{gradient->scope, *name}]++;
}

}  // namespace graphtap::ops
