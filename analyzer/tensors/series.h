// Series: what was observed of one place of an executable in all its replays.
// Owner: the command; the process outlives it. Threads: read-only. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/process.h"

namespace graphtap::tensors {

struct Series {
  const model::Executable* executable = nullptr;
  // One, or several where its address, its extent or its graph version changed; by id.
  std::vector<const model::Site*> sites;
  std::vector<const model::Observation*> observations;  // by replay

  const model::Site& site() const { return *sites.back(); }
};

// In the order of nodes and operands; places without an observation too.
std::vector<Series> SeriesOf(const model::Executable& executable);

// "forward/scale_add.arg0[3]"
std::string KeyText(const model::Site& site);

// A shell pattern over the name of a site, with or without the graph key and a slash before it,
// with or without the invocation in brackets behind it. The empty pattern matches all.
bool Selects(const std::string& pattern, const model::Site& site);

}  // namespace graphtap::tensors
