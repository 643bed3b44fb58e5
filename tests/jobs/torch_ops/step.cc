#include "tests/jobs/torch_ops/step.h"

namespace torch_ops {
namespace {

using torch_like::Tensor;

// Of the operators through which the backward pass goes.
enum Sequence : std::int64_t { kLinear = 20, kMm, kBias, kNorm, kScalar };

Tensor OnHost(const Floats& floats) {
  Tensor tensor = TensorOf(floats);
  tensor.device = -1;
  return tensor;
}

Tensor Transposed(const Floats& floats) {
  Tensor tensor = TensorOf(floats);
  tensor.strides = {1, kSide};
  return tensor;
}

Tensor TensorOf(const Arena::Brief& brief) {
  return {brief.at, torch_like::Dtype::kBfloat16, 0, {kCount}, {1}, sizeof(brief.at)};
}

// Two operators inside a composite one, behind a view, which adds no node.
void Linear(Machine& machine, Arena& arena) {
  const Op linear(machine, "aten::linear", true, kLinear);
  {
    const Op view(machine, "aten::view", false, kLinear);
  }
  {
    Op mm(machine, "aten::mm", false, kMm);
    machine.ScaleAdd(arena.softmax, &arena.mm, 3, 0);
    mm.Gives(TensorOf(arena.mm));
  }
  Op add(machine, "aten::add.Tensor", false, kBias);
  machine.Add(arena.mm, arena.weights[0], &arena.linear);
  add.Gives(TensorOf(arena.linear));
}

// Others run inside it.
void Norm(Machine& machine, Arena& arena, bool planted) {
  Op norm(machine, "aten::native_layer_norm", false, kNorm);
  {
    Op mul(machine, "aten::mul.Tensor", false, kNorm);
    machine.ScaleAdd(arena.linear, &arena.scratch, planted ? 2.5f : 2, 0);
    mul.Gives(TensorOf(arena.scratch));
  }
  {
    const Op empty(machine, "aten::empty.memory_format");
  }
  machine.ScaleAdd(arena.scratch, &arena.norm, 1, -4);
  norm.Gives(TensorOf(arena.norm));
}

// Outputs that are not float32 in C order on the device.
void Odd(Machine& machine, Arena& arena, Floats* host) {
  {
    Op clone(machine, "aten::clone");
    machine.Transpose(arena.norm, &arena.clone);
    clone.Gives(Transposed(arena.clone));
  }
  {
    Op copy(machine, "aten::_to_copy");
    machine.Copy(arena.norm, host);
    copy.Gives(OnHost(*host));
  }
  Op copy(machine, "aten::_to_copy");
  machine.Round(arena.norm, &arena.brief);
  copy.Gives(TensorOf(arena.brief));
}

void Sums(Machine& machine, Arena& arena) {
  {
    Op cat(machine, "aten::cat");
    machine.Fill(&arena.joined);
    machine.Copy(arena.norm, &arena.joined);
    cat.Gives(TensorOf(arena.joined));
  }
  {
    Op add(machine, "aten::add.Tensor");
    machine.Add(arena.joined, arena.weights[1], &arena.sums[0]);
    add.Gives(TensorOf(arena.sums[0]));
  }
  {
    Op add(machine, "aten::add.Tensor");
    machine.Add(arena.sums[0], arena.weights[2], &arena.sums[1]);
    add.Gives(TensorOf(arena.sums[1]));
  }
  Op add(machine, "aten::add.Scalar", false, kScalar);
  machine.ScaleAdd(arena.sums[1], &arena.sums[2], 1, 7);
  add.Gives(TensorOf(arena.sums[2]));
}

// Two of the nodes add nothing to the graph: what flows into them flows on. The last has no
// operator that it goes back through.
void BackwardOfLayer(Machine& machine, Arena& arena) {
  {
    const Op node(machine, {"NativeLayerNormBackward0", true, kNorm, &arena.total,
                            "forward/aten::native_layer_norm"});
    Op mul(machine, "aten::mul.Tensor");
    machine.ScaleAdd(arena.total, &arena.grad, 1, 3);
    mul.Gives(TensorOf(arena.grad));
  }
  {
    const Op node(machine, {"AddBackward0", true, kBias, &arena.grad, "forward/aten::linear"});
  }
  {
    const Op node(machine, {"MmBackward0", true, kMm, &arena.grad, "forward/aten::mm"});
    Op mm(machine, "aten::mm");
    machine.ScaleAdd(arena.grad, &arena.scratch, 2, 1);
    mm.Gives(TensorOf(arena.scratch));
  }
  {
    const Op node(machine, {"ViewBackward0", true, kLinear, &arena.scratch, "forward/aten::view"});
  }
  constexpr auto kLeaf = "torch::autograd::AccumulateGrad";
  const Op node(machine, {kLeaf, true, kNone, &arena.scratch, kLeaf});
  Op add(machine, "aten::add_.Tensor");
  machine.Add(arena.moments, arena.scratch, &arena.moments);
  add.Writes(TensorOf(arena.moments));
}

}  // namespace

Tensor TensorOf(const Floats& floats) {
  return {floats.at, torch_like::Dtype::kFloat32, 0, {kSide, kSide}, {kSide, 1}, sizeof(floats.at)};
}

void Opening(Machine& machine, Arena& arena) { machine.ScaleAdd(arena.input, &arena.input, 1, 1); }

void Forward(Machine& machine, Arena& arena, Floats* host, bool planted) {
  {
    Op add(machine, "aten::add_.Tensor");
    machine.ScaleAdd(arena.input, &arena.input, 1, 1);
    add.Writes(TensorOf(arena.input));
  }
  {
    Op softmax(machine, "aten::_softmax");
    machine.ScaleAdd(arena.input, &arena.scratch, 2, 0);
    machine.ScaleAdd(arena.scratch, &arena.softmax, 0.5f, 3);
    softmax.Gives(TensorOf(arena.softmax));
  }
  {
    Op each(machine, "aten::_foreach_add_.Scalar");
    machine.AddToEach(arena.weights, 1);
    for (const Floats& weights : arena.weights) each.Writes(TensorOf(weights));
  }
  machine.Push("forward");
  Linear(machine, arena);
  Norm(machine, arena, planted);
  machine.Pop();
  Odd(machine, arena, host);
  {
    Op empty(machine, "aten::empty.memory_format");
    empty.Gives(TensorOf(arena.joined));
  }
  machine.Fill(&arena.scratch);
  machine.ScaleAdd(arena.scratch, &arena.scratch, 1, 5);
  Sums(machine, arena);
}

void Backward(Machine& machine, Arena& arena) {
  {
    const Op evaluate(machine, "autograd::engine::evaluate_function: MulBackward0", true);
    const Op node(machine, {"MulBackward0", true, kScalar, &arena.sums[2], "aten::add.Scalar"});
    {
      Op mul(machine, "aten::mul.Tensor");
      machine.ScaleAdd(arena.sums[2], &arena.grad, 2, 0);
      mul.Gives(TensorOf(arena.grad));
    }
    Op accumulate(machine, "aten::add_.Tensor");
    machine.Add(arena.total, arena.grad, &arena.total);
    accumulate.Writes(TensorOf(arena.total));
  }
  BackwardOfLayer(machine, arena);
}

void Closing(Machine& machine, Arena& arena) { machine.ScaleAdd(arena.total, &arena.total, 1, 1); }

}  // namespace torch_ops
