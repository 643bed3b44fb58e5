// Encoder samples of operators and stacks: with every field set, and with every field at zero.
// Owner: the test. Values, no failure.
#pragma once

#include <vector>

#include "tests/unit/record_encoder_samples.h"

namespace graphtap::record {

inline std::vector<Sample> Ops() {
  const Tensor tensor{.role = Role::kInput,
                      .index = 1,
                      .dtype = 2,
                      .sizes = {0, 1ll << 40},
                      .strides = {-1, 3},
                      .device = 4,
                      .address = 1ull << 63,
                      .bytes = 1ull << 33,
                      .storage_address = 7,
                      .storage_bytes = 1ull << 34};
  Tensor gradient;
  gradient.role = Role::kGradient;
  const Op op{.kind = OpKind::kComposite,
              .name = StringId{3},
              .scope = StringId{4},
              .invocation = 5,
              .parent = 6,
              .tensors = {tensor, gradient},
              .gradient = Gradient{{StringId{7}, StringId{0}}, StringId{8}, 9, 1ull << 63},
              .stack = StackId{7}};
  const Stack stack{.frames = {{StringId{2}, StringId{3}, 4}, {StringId{5}, StringId{6}, 0}},
                    .cut = true};
  return {{Encode(StackId{1}, stack),
           R"(stack { id: 1 frames { file: 2 function: 3 line: 4 } frames { file: 5 function: 6 }
                      cut: true })"},
          {Encode(StackId{}, Stack{.frames = {Frame{}}}),
           "stack { id: 0 frames { file: 0 function: 0 } cut: false }"},
          {Encoded(GraphId{1}, 2u, op),
           R"(op { graph: 1 index: 2 kind: KIND_COMPOSITE name: 3 scope: 4 invocation: 5 parent: 6
                   tensors { role: ROLE_INPUT index: 1 dtype: 2 sizes: [0, 1099511627776]
                             strides: [-1, 3] device: 4 address: 9223372036854775808
                             bytes: 8589934592 storage_address: 7
                             storage_bytes: 17179869184 }
                   tensors { role: ROLE_GRADIENT index: 0 dtype: 0 address: 0 bytes: 0
                             storage_address: 0 storage_bytes: 0 }
                    stack: 7 gradient { names: [7, 0] scope: 8 invocation: 9
                                        parameter: 9223372036854775808 } })"},
          {Encoded(GraphId{}, 0u, Op{.tensors = {Tensor{}}, .gradient = Gradient{}}),
           R"(op { graph: 0 index: 0 kind: KIND_LEAF name: 0 invocation: 0
                   tensors { role: ROLE_OUTPUT index: 0 dtype: 0 address: 0 bytes: 0
                             storage_address: 0 storage_bytes: 0 }
                   gradient { invocation: 0 } })"}};
}

}  // namespace graphtap::record
