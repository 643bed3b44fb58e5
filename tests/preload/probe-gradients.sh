#!/usr/bin/env bash
# Gradients are selected by the operator whose output they belong to, a composite one by the last of what
# it is made of, or by the node of the backward pass; `all` does not mean them.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
plain torch_ops
expect_sites() { expect_sites_of torch_ops "$@"; }

linear='forward/aten::linear.grad0[0]'
expect_sites 'grad:aten::linear=digest' "$linear"
expect_sites 'grad:aten::add=digest' "aten::add.Scalar.grad0[0] $linear"
expect_sites 'grad:*mm.out0, op:aten::view.grad0' 'forward/aten::mm.grad0[0] forward/aten::view.grad0[0]'
expect_sites 'grad:*AccumulateGrad' 'torch::autograd::AccumulateGrad.grad0[0]'
expect_sites 'grad:AddBackward0, grad:aten::mul, grad:aten::mm.grad1' "$linear"
