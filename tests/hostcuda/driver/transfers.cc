// Copies and fills: the checks at the call and the work on the stream.
#include <cstring>

#include "tests/hostcuda/driver/memory.h"

namespace hostcuda {
namespace {

// One side of a copy: rows of a pitched block that begin at `start`.
struct Side {
  std::uintptr_t start = 0;
  std::size_t pitch = 0;
  std::size_t height = 0;  // rows a slice
  CUmemorytype type = CU_MEMORYTYPE_DEVICE;

  std::uintptr_t Row(std::size_t y, std::size_t z) const {
    return start + (z * height + y) * pitch;
  }
};

Side Place(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x, std::size_t y,
           std::size_t z, std::size_t pitch, std::size_t height, const CUDA_MEMCPY3D& copy) {
  Side side;
  side.type = type;
  side.pitch = pitch != 0 ? pitch : copy.WidthInBytes;
  side.height = height != 0 ? height : copy.Height;
  std::uintptr_t base =
      type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(host) : device;
  side.start = base + (z * side.height + y) * side.pitch + x;
  return side;
}

Side Source(const CUDA_MEMCPY3D& copy) {
  return Place(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcXInBytes, copy.srcY,
               copy.srcZ, copy.srcPitch, copy.srcHeight, copy);
}

Side Destination(const CUDA_MEMCPY3D& copy) {
  return Place(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstXInBytes, copy.dstY,
               copy.dstZ, copy.dstPitch, copy.dstHeight, copy);
}

bool IsEmpty(const CUDA_MEMCPY3D& copy) {
  return copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0;
}

// From the first byte to behind the last one.
std::size_t Extent(const Side& side, const CUDA_MEMCPY3D& copy) {
  return side.Row(copy.Height - 1, copy.Depth - 1) + copy.WidthInBytes - side.start;
}

// Device memory must be known; under unified addressing an unknown address is the program's own
// memory, but a range that starts in known memory must stay in it.
bool IsReachable(const Side& side, const CUDA_MEMCPY3D& copy) {
  if (side.start == 0) return false;
  if (side.type == CU_MEMORYTYPE_HOST) return true;
  if (side.type == CU_MEMORYTYPE_UNIFIED && !Memory().Find(side.start)) return true;
  return Memory().Contains(side.start, Extent(side, copy));
}

bool IsArray(CUmemorytype type) { return type == CU_MEMORYTYPE_ARRAY; }

bool IsKnownType(CUmemorytype type) {
  return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
         type == CU_MEMORYTYPE_UNIFIED;
}

std::size_t FillPitch(const CUDA_MEMSET_NODE_PARAMS& fill) {
  return fill.height > 1 ? fill.pitch : fill.width * fill.elementSize;
}

bool FillIsReachable(const CUDA_MEMSET_NODE_PARAMS& fill) {
  std::size_t row = fill.width * fill.elementSize;
  return Memory().Contains(fill.dst, (fill.height - 1) * FillPitch(fill) + row);
}

}  // namespace

CUresult CheckCopy(const CUDA_MEMCPY3D& copy) {
  if (IsArray(copy.srcMemoryType) || IsArray(copy.dstMemoryType)) return CUDA_ERROR_NOT_SUPPORTED;
  if (!IsKnownType(copy.srcMemoryType) || !IsKnownType(copy.dstMemoryType)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (IsEmpty(copy)) return CUDA_SUCCESS;
  Side source = Source(copy);
  Side destination = Destination(copy);
  if (source.pitch < copy.WidthInBytes || destination.pitch < copy.WidthInBytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  bool reachable = IsReachable(source, copy) && IsReachable(destination, copy);
  return reachable ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult RunCopy(const CUDA_MEMCPY3D& copy) {
  if (IsEmpty(copy)) return CUDA_SUCCESS;
  Side source = Source(copy);
  Side destination = Destination(copy);
  if (!IsReachable(source, copy) || !IsReachable(destination, copy)) {
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  for (std::size_t z = 0; z < copy.Depth; ++z) {
    for (std::size_t y = 0; y < copy.Height; ++y) {
      std::memmove(reinterpret_cast<void*>(destination.Row(y, z)),
                   reinterpret_cast<const void*>(source.Row(y, z)), copy.WidthInBytes);
    }
  }
  return CUDA_SUCCESS;
}

CUresult CheckFill(const CUDA_MEMSET_NODE_PARAMS& fill) {
  bool element = fill.elementSize == 1 || fill.elementSize == 2 || fill.elementSize == 4;
  if (!element || fill.dst % fill.elementSize != 0) return CUDA_ERROR_INVALID_VALUE;
  if (fill.width == 0 || fill.height == 0) return CUDA_SUCCESS;
  if (fill.height > 1 && fill.pitch < fill.width * fill.elementSize) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return FillIsReachable(fill) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult RunFill(const CUDA_MEMSET_NODE_PARAMS& fill) {
  if (fill.width == 0 || fill.height == 0) return CUDA_SUCCESS;
  if (!FillIsReachable(fill)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  for (std::size_t y = 0; y < fill.height; ++y) {
    auto* row = reinterpret_cast<std::byte*>(fill.dst + y * FillPitch(fill));
    for (std::size_t x = 0; x < fill.width; ++x) {
      std::memcpy(row + x * fill.elementSize, &fill.value, fill.elementSize);
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace hostcuda
