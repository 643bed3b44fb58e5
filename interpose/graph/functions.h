// Functions: the kernels that graphs name, with their parameter layouts, asked of the driver once.
// Owner: the observer. Threads: any. Failure: a kernel whose name or layout the driver does not
// tell is recorded as such. Units: bytes.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpose/session/session.h"

namespace graphtap::graph {

struct FunctionInfo {
  bool complete = true;  // the driver answered all; else it is asked again the next time
  record::FunctionId id{};
  std::vector<record::Parameter> parameters;
  bool layout_unknown = false;
};

class Functions {
 public:
  explicit Functions(session::Session& session) : session_(session) {}

  // One of the two is set, as the driver's kernel node parameters have it. May throw bad_alloc.
  std::shared_ptr<const FunctionInfo> Find(CUfunction function, CUkernel kernel);

  // The mangled name of a function that Find() gave.
  std::string NameOf(record::FunctionId id);

  // A module, library or context goes: its handles may come back as other kernels.
  void Forget() noexcept;

 private:
  FunctionInfo Describe(CUfunction function, CUkernel kernel);

  session::Session& session_;
  std::mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<const FunctionInfo>> by_handle_;
  // The same kernel after a reload, or on another device, keeps its definition.
  std::unordered_map<std::string, record::FunctionId> by_content_;
  std::unordered_map<record::FunctionId, std::string> names_;
};

}  // namespace graphtap::graph
