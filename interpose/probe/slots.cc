#include "interpose/probe/slots.h"

#include <algorithm>

namespace graphtap::probe {
namespace {

constexpr unsigned kMostInVain = 3;

}  // namespace

SlotSet::SlotSet(session::Session& session, Device& device) : session_(session), device_(device) {
  // Nothing is allocated when a slot is given back.
  slots_.reserve(kMostSlots);
  free_.reserve(kMostSlots);
  empty_.reserve(kMostSlots);
}

SlotSet::~SlotSet() {
  if (device_.Dead()) return;
  Close();
  for (const auto& slot : slots_) session_.calls().event_destroy(slot->event);
}

void SlotSet::DropMemory(Slot* slot) noexcept {
  if (slot->address != 0) device_.Return(slot->address, slot->bytes);
  slot->address = 0;
}

void SlotSet::DropFree() noexcept {
  for (Slot* slot : free_) {
    DropMemory(slot);
    empty_.push_back(slot);
  }
  free_.clear();
}

bool SlotSet::TakeCell() {
  const std::lock_guard lock(mutex_);
  if (cell_ == 0) cell_ = device_.Take(sizeof(Cell)).value_or(0);
  return cell_ != 0;
}

std::uint64_t SlotSet::cell() const noexcept {
  const std::lock_guard lock(mutex_);
  return cell_;
}

// Probes in flight look for their slot in it.
void SlotSet::DropCell() noexcept {
  if (cell_ == 0 || empty_.size() != slots_.size()) return;
  device_.Return(cell_, sizeof(Cell));
  cell_ = 0;
}

void SlotSet::SetSlotBytes(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  slot_bytes_ = bytes;
  std::erase_if(free_, [&](Slot* slot) {
    if (slot->bytes >= bytes) return false;
    DropMemory(slot);
    empty_.push_back(slot);
    return true;
  });
}

Slot* SlotSet::MakeEmpty() {
  if (!empty_.empty()) {
    Slot* slot = empty_.back();
    empty_.pop_back();
    return slot;
  }
  if (slots_.size() >= kMostSlots) return nullptr;
  auto slot = std::make_unique<Slot>();
  if (session_.calls().event_create(&slot->event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
    return nullptr;
  }
  slots_.push_back(std::move(slot));
  return slots_.back().get();
}

Slot* SlotSet::Make() {
  Slot* slot = MakeEmpty();
  if (slot == nullptr) return nullptr;
  std::optional<std::uint64_t> address;
  try {
    address = device_.Take(slot_bytes_);
  } catch (...) {
    // As if the device had none.
  }
  if (!address) {
    empty_.push_back(slot);
    return nullptr;
  }
  slot->address = *address;
  slot->bytes = slot_bytes_;
  return slot;
}

bool SlotSet::Prepare(std::size_t count) {
  const std::lock_guard lock(mutex_);
  while (free_.size() < count) {
    Slot* slot = Make();
    if (slot == nullptr) break;
    free_.push_back(slot);
  }
  return !free_.empty();
}

Slot* SlotSet::TakeFree() {
  if (free_.empty()) return nullptr;
  Slot* slot = free_.back();
  free_.pop_back();
  in_vain_ = 0;
  return slot;
}

Slot* SlotSet::Take(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  if (Slot* slot = TakeFree()) return slot;
  if (Slot* slot = Make()) return slot;
  if (in_vain_ >= kMostInVain) return nullptr;
  if (given_.wait_for(lock, limit, [this] { return !free_.empty(); })) return TakeFree();
  ++in_vain_;
  return nullptr;
}

void SlotSet::Give(Slot* slot) noexcept {
  {
    const std::lock_guard lock(mutex_);
    slot->replay.observed = nullptr;
    slot->arrivals.store(slot->launches.load(std::memory_order_relaxed), std::memory_order_release);
    if (slot->bytes >= slot_bytes_ && !closed_) {
      free_.push_back(slot);
    } else {
      DropMemory(slot);
      empty_.push_back(slot);
    }
    if (closed_) DropCell();
  }
  given_.notify_one();
}

void SlotSet::Shrink() noexcept {
  const std::lock_guard lock(mutex_);
  DropFree();
}

void SlotSet::Close() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  DropFree();
  DropCell();
}

}  // namespace graphtap::probe
