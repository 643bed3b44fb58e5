// Reference: holds a reference to an object of the interpreter. Owner: the call that made it.
// Threads: one that holds the GIL. Failure: none; an empty one holds nothing. No units.
#pragma once

#include <utility>

#include "interpose/python/interpreter.h"

namespace graphtap::python {

class Reference {
 public:
  // Takes over one that the interpreter gave; nullptr: none.
  Reference(const Interpreter& interpreter, void* object) noexcept
      : interpreter_(&interpreter), object_(object) {}
  ~Reference() {
    if (object_ != nullptr) interpreter_->release(object_);
  }
  Reference(Reference&& other) noexcept
      : interpreter_(other.interpreter_), object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference&&) = delete;

  // One more, to an object that is borrowed; nullptr: none.
  static Reference To(const Interpreter& interpreter, void* borrowed) noexcept {
    if (borrowed != nullptr) interpreter.acquire(borrowed);
    return {interpreter, borrowed};
  }

  void* get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  const Interpreter* interpreter_;
  void* object_;
};

}  // namespace graphtap::python
