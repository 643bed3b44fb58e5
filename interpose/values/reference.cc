#include "interpose/values/reference.h"

#include "interpose/values/array_reference.h"
#include "interpose/values/run_reference.h"

namespace graphtap::values {

std::unique_ptr<Reference> Reference::Open(const std::string& path, session::Session& session,
                                           std::string* error) {
  if (!arrays::IsArrayFile(path)) return RunReference::Open(path, session, error);
  auto file = arrays::ArrayFile::Open(path, error);
  if (!file) return nullptr;
  return std::make_unique<ArrayReference>(path, *std::move(file));
}

}  // namespace graphtap::values
