#include "tests/hostcuda/driver/work.h"

#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/driver/twins.h"

namespace hostcuda {
namespace {

struct Runner {
  CUresult operator()(const EmptyWork&) const { return CUDA_SUCCESS; }
  CUresult operator()(const AllocateWork&) const { return CUDA_SUCCESS; }
  CUresult operator()(const FreeWork&) const { return CUDA_SUCCESS; }
  CUresult operator()(const ConditionalWork&) const { return CUDA_SUCCESS; }

  CUresult operator()(const KernelWork& work) const { return RunKernel(work); }

  CUresult operator()(const CopyWork& work) const { return RunCopy(work.copy); }

  CUresult operator()(const FillWork& work) const { return RunFill(work.fill); }

  CUresult operator()(const MemoryOperationsWork& work) const {
    return RunOperations(work.operations);
  }

  CUresult operator()(const HostWork& work) const {
    work.function(work.data);
    return CUDA_SUCCESS;
  }

  CUresult operator()(const RecordWork& work) const {
    CompletionPtr record = work.record;
    if (!record) {
      std::shared_ptr<Event> event = Live<Event>().Find(work.event);
      if (event) record = event->BeginRecord();
    }
    if (record) record->Complete();
    return CUDA_SUCCESS;
  }

  CUresult operator()(const WaitWork& work) const {
    CompletionPtr record = work.record;
    if (!record) {
      std::shared_ptr<Event> event = Live<Event>().Find(work.event);
      if (event) record = event->LatestRecord();
    }
    if (record) record->Wait();
    return CUDA_SUCCESS;
  }
};

}  // namespace

CUresult Run(const Work& work) { return std::visit(Runner{}, work); }

}  // namespace hostcuda
