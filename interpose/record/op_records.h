// Op records: the operators that ran while a graph was captured, beside the nodes of records.h, and
// where they were called. The same rules hold.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interpose/record/records.h"

namespace graphtap::record {

struct Tensor {
  Role role = Role::kOutput;
  std::uint32_t index = 0;
  std::uint32_t dtype = 0;
  std::vector<std::int64_t> sizes, strides;
  std::optional<std::uint32_t> device;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t storage_address = 0, storage_bytes = 0;
};

// `line`: 0: not known.
struct Frame {
  StringId file{}, function{};
  std::uint32_t line = 0;
};

// The innermost frame first; `cut`: there are more, further out.
struct Stack {
  std::vector<Frame> frames;
  bool cut = false;
};

enum class OpKind : std::uint8_t { kLeaf = 0, kComposite = 1 };

struct Gradient {
  std::vector<StringId> names;
  std::optional<StringId> scope{};
  std::uint32_t invocation = 0;
  std::optional<std::uint64_t> parameter{};  // its address
};

struct Op {
  OpKind kind = OpKind::kLeaf;
  StringId name{};
  std::optional<StringId> scope{};
  std::uint32_t invocation = 0;
  std::optional<std::uint32_t> parent{};
  std::vector<Tensor> tensors{};
  std::optional<Gradient> gradient{};
  std::optional<StackId> stack{};
};

}  // namespace graphtap::record
