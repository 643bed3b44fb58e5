#include "interpose/probe/device.h"

#include <array>

#include "interpose/probe/kernels/arguments.h"
#include "interpose/probe/kernels/images.h"

namespace graphtap::probe {
namespace {

constexpr std::uint64_t kChunkBytes = 2ull << 20;
constexpr std::uint64_t kReserveBytes = 64ull << 20;  // left to the job
constexpr std::size_t kCellsAtOnce = 256;
constexpr std::size_t kCellsResting = 4096;

}  // namespace

Device::Device(session::Session& session)
    : session_(session), arena_(kChunkBytes, [this](std::uint64_t bytes) { return More(bytes); }) {}

std::unique_ptr<Device> Device::Make(session::Session& session, CUresult* error) {
  std::unique_ptr<Device> device(new Device(session));
  *error = device->Open();
  return *error == CUDA_SUCCESS ? std::move(device) : nullptr;
}

CUresult Device::Open() {
  const auto& calls = session_.calls();
  CUresult result = calls.context_current(&context_);
  if (result == CUDA_SUCCESS) result = LoadKernels();
  if (result == CUDA_SUCCESS) result = calls.stream_create(&stream_, CU_STREAM_NON_BLOCKING);
  void* staging = nullptr;
  if (result == CUDA_SUCCESS) result = calls.host_allocate(&staging, kStagingBytes, 0);
  staging_ = static_cast<std::byte*>(staging);
  return result;
}

CUresult Device::LoadKernels() {
  const auto& calls = session_.calls();
  int major = 0, minor = 0;
  CUresult result = calls.context_device(&ordinal_);
  if (result != CUDA_SUCCESS) return result;
  result = calls.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, ordinal_);
  if (result != CUDA_SUCCESS) return result;
  result = calls.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, ordinal_);
  if (result != CUDA_SUCCESS) return result;
  CUmodule module = nullptr;
  result = calls.module_load(&module, ImageFor(major, minor).data());
  const auto load = [&](CUfunction* function, const char* name) {
    if (result == CUDA_SUCCESS) result = calls.module_function(function, module, name);
  };
  load(&kernels_.head, "graphtap_head");
  load(&kernels_.hash, "graphtap_hash");
  load(&kernels_.digest, "graphtap_digest");
  load(&kernels_.strided, "graphtap_strided");
  return result;
}

std::optional<std::uint64_t> Device::More(std::uint64_t bytes) {
  if (used_ + bytes > session_.settings().device_bytes || !HasFreeMemory(bytes)) {
    return std::nullopt;
  }
  CUdeviceptr address = 0;
  if (session_.calls().memory_allocate(&address, bytes) != CUDA_SUCCESS) return std::nullopt;
  used_ += bytes;
  return address;
}

CUstream Device::JoinStream() {
  const std::lock_guard lock(mutex_);
  if (join_stream_ != nullptr) return join_stream_;
  const CUresult result = session_.calls().stream_create(&join_stream_, CU_STREAM_NON_BLOCKING);
  if (result != CUDA_SUCCESS) join_stream_ = nullptr;
  return join_stream_;
}

std::optional<std::uint64_t> Device::Take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  return arena_.Take(bytes);
}

void Device::Return(std::uint64_t address, std::uint64_t bytes) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    arena_.Return(address, bytes);
  } catch (...) {
    // Without host memory to note it, the piece is not given out again.
  }
}

std::optional<std::uint64_t> Device::TakeCell() {
  const std::lock_guard lock(mutex_);
  if (cells_.size() > kCellsResting) {
    const std::uint64_t cell = cells_.front();
    cells_.pop_front();
    return cell;
  }
  if (new_cells_.empty() && !MakeCells()) return std::nullopt;
  const std::uint64_t cell = new_cells_.back();
  new_cells_.pop_back();
  return cell;
}

bool Device::MakeCells() {
  static constexpr std::array<Cell, kCellsAtOnce> kNone{};
  const auto page = arena_.Take(sizeof kNone);
  if (!page) return false;
  CUresult result = session_.calls().copy_to_device(*page, &kNone, sizeof kNone, stream_);
  if (result == CUDA_SUCCESS) result = session_.calls().stream_synchronize(stream_);
  if (result != CUDA_SUCCESS) return false;  // the page is lost: the copy may be on its way
  for (std::size_t i = 0; i < kCellsAtOnce; ++i) new_cells_.push_back(*page + i * sizeof(Cell));
  return true;
}

void Device::ReturnCell(std::uint64_t address) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    cells_.push_back(address);
  } catch (...) {
    // Without host memory to note it, the cell is not given out again.
  }
}

bool Device::Reserve(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (used_ + bytes > session_.settings().device_bytes || !HasFreeMemory(bytes)) return false;
  used_ += bytes;
  return true;
}

void Device::Release(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
}

bool Device::HasFreeMemory(std::uint64_t bytes) const noexcept {
  std::size_t free = 0, total = 0;
  if (session_.calls().memory_info(&free, &total) != CUDA_SUCCESS) return false;
  return free >= bytes + kReserveBytes;
}

Device* Devices::Current(CUresult* error) {
  CUcontext context = nullptr;
  *error = session_.calls().context_current(&context);
  if (*error == CUDA_SUCCESS && context == nullptr) *error = CUDA_ERROR_INVALID_CONTEXT;
  if (*error != CUDA_SUCCESS) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = devices_.find(context);
  if (found != devices_.end()) return found->second.get();
  const auto failed = failed_.find(context);
  if (failed != failed_.end()) {
    *error = failed->second;
    return nullptr;
  }
  auto device = Device::Make(session_, error);
  if (device == nullptr) {
    failed_.emplace(context, *error);
    return nullptr;
  }
  return devices_.emplace(context, std::move(device)).first->second.get();
}

std::vector<Device*> Devices::In(const std::function<bool(const Device&)>& which) {
  std::vector<Device*> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [context, device] : devices_) {
    if (which(*device)) found.push_back(device.get());
  }
  return found;
}

void Devices::Forget(CUcontext context) noexcept {
  const std::lock_guard lock(mutex_);
  failed_.erase(context);
  const auto found = devices_.find(context);
  if (found == devices_.end()) return;
  found->second->SetDead();
  gone_.push_back(std::move(found->second));
  devices_.erase(found);
}

}  // namespace graphtap::probe
