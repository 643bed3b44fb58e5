// Backlog: the messages that wait for the writer thread, and the definitions that are live.
// Owner: the recorder. Threads: any; one lock, never held while something is written. Definitions,
// records and payloads are taken together, so that one frame of definitions can stand before the
// records that use them. Failure: std::bad_alloc before anything changed; what does not fit is
// refused. Units: encoded bytes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graphtap::record {

// In this order they are repeated: each kind points only to those before it.
enum class DefinitionKind : std::uint8_t {
  kRun,
  kString,
  kStack,
  kFunction,
  kThread,
  kStream,
  kGraph,
  kExecutable,
  kSite
};

struct DefinitionKey {
  DefinitionKind kind = DefinitionKind::kRun;
  std::uint32_t id = 0;
  friend auto operator<=>(const DefinitionKey&, const DefinitionKey&) = default;
};

// Length-delimited messages.
struct Messages {
  std::string bytes;
  std::uint32_t count = 0;
};

// A definition, or a graph with its nodes, which is encoded when it is written first.
class Defined {
 public:
  using Encode = std::function<Messages()>;
  explicit Defined(Messages messages)
      : count_(messages.count), size_(messages.bytes.size()), messages_(std::move(messages)) {}
  // So many messages, and about so many bytes.
  Defined(Encode encode, std::uint32_t count, std::uint64_t size)
      : count_(count), size_(size), encode_(std::move(encode)) {}

  std::uint32_t count() const { return count_; }
  std::uint64_t size() const { return size_; }
  // On the writer thread. May throw what encoding throws, and be tried again.
  const Messages& Get() const;

 private:
  const std::uint32_t count_;
  const std::uint64_t size_;
  mutable Encode encode_;
  mutable Messages messages_;
};
using Definition = std::shared_ptr<const Defined>;

class Backlog {
 public:
  enum class Kept : std::uint8_t { kYes, kFull, kBroken, kClosed };

  struct Batch {
    std::vector<Definition> repeated;  // every live definition, the run first; empty: not due
    std::vector<Definition> definitions;
    std::vector<Messages> records;  // each at most a frame
    std::vector<Messages> payloads;
    std::uint64_t bytes = 0;  // of definitions, records and payloads, to be released

    std::uint64_t Count() const;  // messages in them
  };

  // max_bytes: how much may wait. frame_bytes: size of a frame of records; the writer is woken when
  // as much waits.
  Backlog(std::uint64_t max_bytes, std::uint64_t frame_bytes);

  // A definition stays live, to be repeated, even if there is no room for it now.
  Kept Add(DefinitionKey key, Definition definition);
  // One record or several, which stay in one frame.
  Kept Add(std::string_view records, std::uint32_t count = 1);
  // Payloads leave an eighth of the room to the others, which cost less and tell more.
  Kept AddPayload(std::string piece);
  void Retire(DefinitionKey key);

  // For the writer thread. Wait: until a frame's worth waits, a call of Wake, or `limit` passed;
  // false: none of these, but a collection was asked for.
  bool Wait(std::chrono::nanoseconds limit);
  // What waits now. With `repeat`, or once there is room for definitions that found none, the live
  // ones too.
  // With `close`, everything that comes later is refused as kClosed.
  Batch Take(bool repeat, bool close);
  // So many of the taken bytes are no longer in memory.
  void Release(std::uint64_t bytes);

  void Wake();
  // The same if it needs no waiting for the lock; false: it would. Safe in a signal handler.
  bool TryWake();
  bool TryWakeToCollect();
  // The file is broken: all that comes later is refused as kBroken. What waits is dropped: so many
  // messages.
  std::uint64_t Break();

 private:
  bool TrySet(bool* wanted);
  // Both need mutex_.
  Kept Room(std::uint64_t bytes) const;
  void Grow(std::uint64_t bytes);
  // Where a message of so many bytes goes: into the last of `frames`, or a new one.
  Messages& FrameFor(std::uint64_t bytes, std::vector<Messages>* frames) const;

  const std::uint64_t max_bytes_;
  const std::uint64_t frame_bytes_;
  const std::uint64_t wake_bytes_;

  std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::map<DefinitionKey, Definition> live_;
  std::vector<Definition> definitions_;
  std::vector<Messages> records_;
  std::vector<Messages> payloads_;
  std::uint64_t waiting_bytes_ = 0;  // to be taken
  std::uint64_t taken_bytes_ = 0;    // and not yet released
  bool repeat_due_ = false;          // a live definition is not in the file
  bool woken_ = false, collect_ = false;
  Kept state_ = Kept::kYes;  // of a message for which there is room
};

}  // namespace graphtap::record
