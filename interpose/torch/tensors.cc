#include "interpose/torch/tensors.h"

#include "proto/dtype.h"

namespace graphtap::torch {
namespace {

Dtype DtypeOfScalar(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Half:
      return Dtype::kFloat16;
    case c10::ScalarType::BFloat16:
      return Dtype::kBfloat16;
    case c10::ScalarType::Float:
      return Dtype::kFloat32;
    case c10::ScalarType::Double:
      return Dtype::kFloat64;
    case c10::ScalarType::Char:
      return Dtype::kInt8;
    case c10::ScalarType::Short:
      return Dtype::kInt16;
    case c10::ScalarType::Int:
      return Dtype::kInt32;
    case c10::ScalarType::Long:
      return Dtype::kInt64;
    case c10::ScalarType::Byte:
      return Dtype::kUint8;
    case c10::ScalarType::UInt16:
      return Dtype::kUint16;
    case c10::ScalarType::UInt32:
      return Dtype::kUint32;
    case c10::ScalarType::UInt64:
      return Dtype::kUint64;
    case c10::ScalarType::Bool:
      return Dtype::kBool;
    case c10::ScalarType::Float8_e4m3fn:
      return Dtype::kFloat8E4m3fn;
    case c10::ScalarType::Float8_e5m2:
      return Dtype::kFloat8E5m2;
    case c10::ScalarType::ComplexFloat:
      return Dtype::kComplex64;
    case c10::ScalarType::ComplexDouble:
      return Dtype::kComplex128;
    default:
      return Dtype::kUnknown;
  }
}

// Whether what the tensor says of itself is plain and its own: asking a subclass in Python could
// run Python, the others have no memory or do not say where.
bool IsPlain(const c10::TensorImpl& tensor) {
  const c10::DispatchKeySet keys = tensor.key_set();
  if (keys.has(c10::DispatchKey::Python) || keys.has(c10::DispatchKey::Functionalize)) return false;
  if (keys.has_backend(c10::BackendComponent::MetaBit) || tensor.is_nested()) return false;
  return tensor.layout() == c10::kStrided && tensor.has_storage() &&
         !tensor.has_symbolic_sizes_strides() && tensor.dtype_initialized();
}

bool Read(const at::Tensor& tensor, GraphtapTensor* read) {
  if (!tensor.defined()) return false;
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  if (!IsPlain(impl)) return false;
  const c10::Device device = impl.device();
  if (!device.is_cuda() && !device.is_cpu()) return false;
  const c10::Storage& storage = impl.unsafe_storage();
  if (!storage) return false;
  c10::StorageImpl* memory = storage.unsafeGetStorageImpl();
  const auto bytes = memory->sym_nbytes().maybe_as_int();
  if (!bytes) return false;
  // The accessor that neither copies what is shared until written nor throws.
  const auto base = reinterpret_cast<std::uint64_t>(memory->_mutable_data_ptr_no_checks().get());
  if (base == 0 && impl.numel() != 0) return false;
  const std::uint64_t offset = base == 0 ? 0 : impl.storage_offset() * impl.itemsize();
  *read = {.size = sizeof(GraphtapTensor),
           .role = 0,
           .index = 0,
           .dtype = static_cast<std::uint32_t>(DtypeOfScalar(tensor.scalar_type())),
           .item_bytes = static_cast<std::uint32_t>(impl.itemsize()),
           .device = device.is_cuda() ? device.index() : -1,
           .address = base + offset,
           .storage_address = base,
           .storage_bytes = static_cast<std::uint64_t>(*bytes),
           .dimensions = static_cast<std::uint32_t>(impl.dim()),
           .sizes = impl.sizes().data(),
           .strides = impl.strides().data()};
  return true;
}

}  // namespace

bool ReadTensor(const at::Tensor& tensor, GraphtapTensor* read) noexcept {
  try {
    return Read(tensor, read);
  } catch (...) {
    return false;
  }
}

}  // namespace graphtap::torch
