#include "interpose/values/array_reference.h"

namespace graphtap::values {

// A tensor may be called as the site is, with or without graph and invocation.
Expected ArrayReference::Find(const Watched& watched, std::uint64_t) {
  Expected expected;
  const arrays::Array* found = nullptr;
  for (const std::string& name : {watched.Key(), watched.Label(), watched.name}) {
    found = file_.Find(name);
    if (found != nullptr) break;
  }
  if (found == nullptr) {
    expected.why_not = path_ + " has " + std::to_string(file_.arrays().size()) +
                       " tensors and none called " + watched.Label();
    return expected;
  }
  expected.dtype = found->dtype;
  expected.shape = found->shape;
  expected.extent = expected.bytes = found->bytes;
  expected.of_user = true;
  expected.id = static_cast<std::uint64_t>(found - file_.arrays().data());
  return expected;
}

bool ArrayReference::Read(const Expected& expected, std::uint64_t offset, std::span<std::byte> to) {
  return file_.Read(file_.arrays()[expected.id], offset, to);
}

}  // namespace graphtap::values
