// Integers in device memory, a stream, a graph's one launch: what small jobs check CUDA graphs
// with. Owner: the job. Threads: one. Failure: ends the job. Units: integers.
#pragma once

#include <string>
#include <vector>

#include "tests/jobs/cuda_check.h"

namespace jobs {

inline constexpr int kCount = 256;

class Buffer {
 public:
  // Waits for the fill, which is on the legacy stream: the streams of this job do not.
  Buffer() {
    CHECK(cudaMalloc(&data_, kCount * sizeof(int)));
    CHECK(cudaMemset(data_, 0, kCount * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
  }
  ~Buffer() { CHECK(cudaFree(data_)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  int* get() const { return data_; }

  void ExpectAll(int value) const {
    std::vector<int> host(kCount);
    CHECK(cudaMemcpy(host.data(), data_, kCount * sizeof(int), cudaMemcpyDeviceToHost));
    for (const int seen : host) {
      Expect(seen == value, std::to_string(value).c_str(), seen);
    }
  }

 private:
  int* data_ = nullptr;
};

class Stream {
 public:
  Stream() { CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { CHECK(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

inline void LaunchAndWait(cudaGraphExec_t exec, cudaStream_t stream) {
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
}

// Takes the graph: it is destroyed before the executable is launched.
inline void RunOnce(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  LaunchAndWait(exec, stream);
  CHECK(cudaGraphExecDestroy(exec));
}

}  // namespace jobs
