// Adapter: what the preload library (the host) and an adapter, which knows a framework from inside,
// tell each other. The two are built on different days: each structure begins with its size, and a
// field that a shorter one does not have is as if it were zero. Owner: structures and strings are
// borrowed for the call. Threads: any; the calls about one op come from one thread, nested.
// Failure: nothing throws across; a call that fails does nothing. Units: bytes, elements.
// No header of CUDA or of the framework.
#pragma once

#include <stdint.h>

#include "interpose/abi/allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of the meaning of what is here; another one is refused.
#define GRAPHTAP_ADAPTER_VERSION 1

enum GraphtapTensorRole {
  GRAPHTAP_TENSOR_OUTPUT = 0,    // that is no view of an argument
  GRAPHTAP_TENSOR_INPUT = 1,     // an argument that the op writes
  GRAPHTAP_TENSOR_GRADIENT = 2,  // that flows into a node of the backward pass
};

struct GraphtapTensor {
  uint32_t size;
  uint32_t role;
  uint32_t index;       // among all outputs, or all arguments; each tensor of a list counts
  uint32_t dtype;       // proto/dtype.inc; 0: one that is not there
  uint32_t item_bytes;  // of one element
  int32_t device;       // ordinal of the GPU; -1: host memory
  uint64_t address;     // of the first element
  uint64_t storage_address, storage_bytes;
  uint32_t dimensions;
  const int64_t* sizes;
  const int64_t* strides;
};

enum GraphtapOpKind {
  GRAPHTAP_OP_LEAF = 0,       // the unit of naming, inside no other leaf
  GRAPHTAP_OP_COMPOSITE = 1,  // made of others; a range
  GRAPHTAP_OP_INNER = 2,      // inside a leaf
};

enum GraphtapOpFlag {
  GRAPHTAP_OP_CALL = 1,       // of an operator; else a range with a name
  GRAPHTAP_OP_SEQUENCED = 2,  // `sequence` and `thread` are known
  GRAPHTAP_OP_BACKWARD = 4,   // a node of the backward pass
};

// A node of the backward pass has the sequence and the thread that the op which made it had when it
// began. Ops around and before that one may have had the same: it is the one that began last.
struct GraphtapOp {
  uint32_t size;
  uint32_t kind;
  const char* name;  // "aten::add.Tensor"
  void* stream;      // the CUstream that the framework would launch on
  uint32_t flags;
  uint32_t tensor_size;  // of one GraphtapTensor
  uint32_t tensor_count;
  const struct GraphtapTensor* tensors;  // gradients, by what the op of the node gave
  uint64_t sequence, thread;
  // Of a node that adds its gradient to a tensor of the program: where that lies; else 0.
  uint64_t parameter;
};

// What an op has given or written, at its end; not what it made room for and left unset.
struct GraphtapOpResult {
  uint32_t size;
  uint32_t tensor_size;  // of one GraphtapTensor
  uint32_t tensor_count;
  const struct GraphtapTensor* tensors;
};

struct GraphtapHost {
  uint32_t size;
  uint32_t version;
  void (*op_begin)(const struct GraphtapOp* op);
  void (*op_end)(const struct GraphtapOpResult* result);  // of the op that this thread began last
  // Under the allocator's lock: it must neither wait nor call the framework.
  void (*allocator_event)(const struct GraphtapAllocatorEvent* event);
  void (*allocator_state)(const struct GraphtapAllocatorState* state);
  void (*no_allocator)(const char* why);  // its events cannot be told
  // An allocation has failed, and the allocator's lock is not held: its state may be asked for.
  void (*out_of_memory)(const struct GraphtapOutOfMemory* failure);
};

struct GraphtapAdapter {
  uint32_t size;
  uint32_t version;
  const char* framework;  // "torch 2.11.0"
  // Tells of each op, on all threads, from now on, or no longer. Off at first.
  void (*watch_ops)(int on);
  // Tells of each event of the allocator, from the first op on that runs after it was initialised,
  // or from when ops are watched, for good; first of its state then, in which what happens
  // meanwhile may or may not be.
  void (*watch_allocator)(void);
  // Tells of the state before it returns, on this thread; of nothing before the first event. What
  // happens meanwhile may or may not be in it.
  void (*take_allocator_state)(void);
};

// The one symbol of an adapter: fills in what `adapter->size` has room for. `host` stays. Nonzero:
// it will not work with this host.
typedef int (*GraphtapOpenAdapter)(const struct GraphtapHost* host,
                                   struct GraphtapAdapter* adapter);
#define GRAPHTAP_OPEN_ADAPTER "graphtap_open_adapter"

// Stands in the file, so that it is read before the file is loaded, followed by the version of the
// framework and the ABI of its strings: "graphtap-adapter: torch 2.11.0+cu130 cxx11abi1".
#define GRAPHTAP_ADAPTER_MARK "graphtap-adapter: "

#ifdef __cplusplus
}
#endif
