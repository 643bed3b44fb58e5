#!/usr/bin/env bash
# Operators' tensors are selected by the operator, with and without overload, and by what is around it;
# they stand for the arguments of its kernels where a selector says nothing of operands.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
plain torch_ops
expect_sites() { expect_sites_of torch_ops "$@"; }

sums='aten::add.Tensor.out0[0] aten::add.Tensor.out0[1]'
expect_sites 'op:aten::add=digest+copy' \
  "forward/aten::add.Tensor.out0[0] $sums aten::add.Scalar.out0[0]"
expect_sites 'op:aten::add.Scalar=digest+copy' 'aten::add.Scalar.out0[0]'
expect_sites 'op:aten::add_*' 'aten::add_.Tensor.in0[0] aten::add_.Tensor.in0[1] aten::add_.Tensor.in0[2]'
expect_sites 'op:aten::_foreach_*.in1, op:*mm.out0' \
  'aten::_foreach_add_.Scalar.in1[0] forward/aten::mm.out0[0] aten::mm.out0[0]'
linear='forward/aten::mm.out0[0] forward/aten::add.Tensor.out0[0]'
expect_sites 'op:aten::linear' "$linear"
expect_sites 'op:"autograd::*: MulBackward0"' 'aten::mul.Tensor.out0[0] aten::add_.Tensor.in0[1]'
# What runs inside an operator has no tensors of its own, nor has what adds no node or ends too late.
expect_sites 'op:aten::mul' 'aten::mul.Tensor.out0[0] aten::mul.Tensor.out0[1]'
expect_sites 'op:aten::view, op:aten::empty, op:aten::sum, op:aten::mul_, op:aten::cat.out1' ''

expect_sites 'scope:forward' "$linear forward/aten::native_layer_norm.out0[0]"
expect_sites 'op:aten::linear; op:aten::mm=none' 'forward/aten::add.Tensor.out0[0]'
expect_sites 'kernel:add.arg2' 'forward/add.arg2[0] add.arg2[0] add.arg2[1] add.arg2[2] add.arg2[3]'
expect_sites 'kernel:add_to_each.arg0=copy; op:aten::_foreach_*.in0' \
  'add_to_each.arg0[0] aten::_foreach_add_.Scalar.in0[0]'
expect_sites 'op:aten::clone, kernel:transpose.arg1' 'transpose.arg1[0] aten::clone.out0[0]'

expect_sites 'all=digest' "scale_add.arg0[0] aten::add_.Tensor.in0[0] aten::_softmax.out0[0] \
aten::_foreach_add_.Scalar.in0[0] aten::_foreach_add_.Scalar.in1[0] aten::_foreach_add_.Scalar.in2[0] \
$linear forward/aten::native_layer_norm.out0[0] aten::clone.out0[0] aten::_to_copy.out0[1] memset.dst[0] scale_add.arg0[4] \
aten::cat.out0[0] $sums aten::add.Scalar.out0[0] aten::mul.Tensor.out0[0] aten::add_.Tensor.in0[1] \
aten::mul.Tensor.out0[1] aten::mm.out0[0] aten::add_.Tensor.in0[2] scale_add.arg0[9]"
