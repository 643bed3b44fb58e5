#include "interpose/torch/op_facts.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace graphtap::torch {
namespace {

// Each schema holds its name in a string of its own, whose address tells the schemas apart. The
// text is compared too: an operator may be unregistered and another take its memory.
struct Entry {
  const char* address;
  c10::OperatorName operator_name;
  OpFacts facts;
  const Entry* next;
};

constexpr std::size_t kBuckets = 4096;  // about as many operators as there are
std::array<std::atomic<const Entry*>, kBuckets> table;

std::atomic<const Entry*>& BucketOf(const char* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  return table[((bits >> 4) ^ (bits >> 16)) % kBuckets];
}

// Older releases do not give the name of the overload without a copy of it.
template <typename Event>
bool SameOverload(const Event& event, const std::string& overload) {
  if constexpr (requires { event.overload_name(); }) {
    return overload == event.overload_name();
  } else {
    return true;
  }
}

const Entry* Find(const Entry* entry, const at::RecordFunction& event, const char* name) {
  for (; entry != nullptr; entry = entry->next) {
    if (entry->address == name && entry->operator_name.name == name &&
        SameOverload(event, entry->operator_name.overload_name)) {
      return entry;
    }
  }
  return nullptr;
}

bool IsTensor(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::TensorType) return true;
  const auto* optional = type.castRaw<c10::OptionalType>();
  return optional != nullptr && optional->getElementType()->kind() == c10::TypeKind::TensorType;
}

// By their names: nothing that the registry says tells them apart.
Fills FillsOf(std::string_view name) {
  constexpr auto kMakeRoom = std::to_array<std::string_view>(
      {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::empty_permuted",
       "aten::new_empty", "aten::new_empty_strided", "aten::resize_", "aten::resize_as_",
       "aten::_resize_output_"});
  constexpr auto kSetNothing =
      std::to_array<std::string_view>({"aten::empty_quantized", "aten::_empty_affine_quantized",
                                       "aten::_empty_per_channel_affine_quantized", "aten::set_"});
  if (std::ranges::find(kMakeRoom, name) != kMakeRoom.end()) return Fills::kIfDeterministic;
  return std::ranges::find(kSetNothing, name) != kSetNothing.end() ? Fills::kNo : Fills::kYes;
}

void ReadSchema(const c10::FunctionSchema& schema, OpFacts* facts) {
  for (const c10::Argument& argument : schema.arguments()) {
    const c10::AliasInfo* alias = argument.alias_info();
    const bool written = alias != nullptr && alias->isWrite();
    facts->arguments.push_back({IsTensor(*argument.type()), written});
    facts->writes |= written;
  }
  for (const c10::Argument& returned : schema.returns()) {
    const c10::AliasInfo* alias = returned.alias_info();
    facts->returns.push_back({alias != nullptr, alias != nullptr && alias->isWrite()});
  }
}

OpFacts Learn(const at::RecordFunction& event, const c10::OperatorName& name) {
  OpFacts facts;
  facts.name = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
  facts.fills = FillsOf(name.name);
  if (const auto registered = c10::Dispatcher::singleton().findOp(name)) {
    facts.composite =
        registered->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
  }
  if (const auto schema = event.operator_schema()) ReadSchema(*schema, &facts);
  return facts;
}

}  // namespace

const OpFacts* FactsOf(const at::RecordFunction& event) {
  const char* address = event.name();
  std::atomic<const Entry*>& bucket = BucketOf(address);
  const Entry* first = bucket.load(std::memory_order_acquire);
  if (const Entry* known = Find(first, event, address)) return &known->facts;

  auto name = event.operator_name();
  if (!name) return nullptr;
  auto entry = std::make_unique<Entry>(Entry{address, *name, Learn(event, *name), first});
  // Two threads may both add one operator: what they say of it is the same.
  while (!bucket.compare_exchange_weak(entry->next, entry.get(), std::memory_order_acq_rel)) {
  }
  return &entry.release()->facts;
}

}  // namespace graphtap::torch
