// cuGetProcAddress: versions, flags, status, and how its answers relate to the exported symbols.
#include <dlfcn.h>

#include "tests/rules/rules.h"

namespace rules {
namespace {

struct Answer {
  CUresult result = CUDA_SUCCESS;
  void* address = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
};

Answer Ask(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  Answer answer;
  answer.result = cuGetProcAddress(name, &answer.address, version, flags, &answer.status);
  return answer;
}

void* Export(const char* symbol) {
  static void* const kLibrary = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return dlsym(kLibrary, symbol);
}

// Made executable, graph, node of an error, text of it and its size.
using InstantiateV2 = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t);

class ResolverRules : public RuleTest {};

struct Spelling {
  const char* base;
  int version;
  const char* symbol;
};

TEST_F(ResolverRules, AnswersAreTheExportsOfTheirVersion) {
  constexpr Spelling kSpellings[] = {
      {"cuInit", 2000, "cuInit"},
      {"cuMemAlloc", 3020, "cuMemAlloc_v2"},
      {"cuLaunchKernel", 4000, "cuLaunchKernel"},
      {"cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"},
      {"cuStreamEndCapture", 10000, "cuStreamEndCapture"},
      {"cuGraphClone", 10000, "cuGraphClone"},
      {"cuGraphLaunch", 10000, "cuGraphLaunch"},
      {"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"},
      {"cuGraphExecDestroy", 10000, "cuGraphExecDestroy"},
      {"cuGraphInstantiateWithFlags", 11040, "cuGraphInstantiateWithFlags"},
  };
  for (const Spelling& spelling : kSpellings) {
    const Answer answer = Ask(spelling.base, spelling.version);
    EXPECT_EQ(answer.result, CUDA_SUCCESS) << spelling.base;
    EXPECT_EQ(answer.status, CU_GET_PROC_ADDRESS_SUCCESS) << spelling.base;
    EXPECT_EQ(answer.address, Export(spelling.symbol)) << spelling.base;
  }
}

TEST_F(ResolverRules, InstantiateAtAnyLaterVersionIsTheFormOfFiveArguments) {
  EXPECT_EQ(Ask("cuGraphInstantiate", 10000).address, Export("cuGraphInstantiate"));
  for (const int version : {11000, 11040, 12000, 12030, 13000}) {
    const Answer answer = Ask("cuGraphInstantiate", version);
    EXPECT_EQ(answer.address, Export("cuGraphInstantiate_v2")) << version;
    const Graph graph = MakeGraph();
    Exec exec;
    CUgraphNode error_node = nullptr;
    char log[64] = "";
    const auto instantiate = reinterpret_cast<InstantiateV2>(answer.address);
    EXPECT_EQ(instantiate(exec.Out(), graph, &error_node, log, sizeof(log)), CUDA_SUCCESS);
    Replay(exec, stream_);
  }
}

TEST_F(ResolverRules, OneNameHasSeveralVersionsAndALaterOneIsTakenFromItsVersionOn) {
  const void* first = Ask("cuGraphExecUpdate", 11080).address;
  const void* second = Ask("cuGraphExecUpdate", 12000).address;
  EXPECT_EQ(first, Export("cuGraphExecUpdate"));
  EXPECT_NE(first, second);
  EXPECT_EQ(Ask("cuGraphExecUpdate", 13000).address, second);
  EXPECT_EQ(Ask("cuGraphExecUpdate", 11000).address, first);
}

TEST_F(ResolverRules, ThePerThreadStreamFlagGivesOtherFormsOnlyOfCallsThatHaveThem) {
  constexpr cuuint64_t kPerThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  EXPECT_EQ(Ask("cuGraphLaunch", 10000, kPerThread).address, Export("cuGraphLaunch_ptsz"));
  EXPECT_EQ(Ask("cuLaunchKernel", 7000, kPerThread).address, Export("cuLaunchKernel_ptsz"));
  EXPECT_EQ(Ask("cuGraphClone", 12000, kPerThread).address, Export("cuGraphClone"));
  EXPECT_EQ(Ask("cuGraphLaunch", 10000, CU_GET_PROC_ADDRESS_LEGACY_STREAM).address,
            Export("cuGraphLaunch"));
}

TEST_F(ResolverRules, OfAnUnknownNameOnlyTheStatusTells) {
  const Answer answer = Ask("cuNoSuchCall", 12000);
  EXPECT_EQ(answer.result, CUDA_SUCCESS);
  EXPECT_EQ(answer.address, nullptr);
  EXPECT_EQ(answer.status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

TEST_F(ResolverRules, OfAVersionBeforeTheFirstOnlyTheStatusTells) {
  const Answer answer = Ask("cuGraphInstantiateWithParams", 11000);
  EXPECT_EQ(answer.result, CUDA_SUCCESS);
  EXPECT_EQ(answer.address, nullptr);
  EXPECT_EQ(answer.status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

TEST_F(ResolverRules, TheStatusMayBeLeftOut) {
  void* address = nullptr;
  EXPECT_EQ(cuGetProcAddress("cuInit", &address, 2000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr),
            CUDA_SUCCESS);
  EXPECT_NE(address, nullptr);
}

TEST_F(ResolverRules, WithoutAStatusOnlyTheNullAddressTells) {
  for (const char* name : {"cuNoSuchCall", "cuGraphInstantiateWithParams"}) {
    void* address = &address;
    EXPECT_EQ(cuGetProcAddress(name, &address, 11000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(address, nullptr);
  }
}

TEST_F(ResolverRules, TheFirstFormOfTheCallHasNoStatusAndAnswersTheSame) {
  const auto first = reinterpret_cast<CUresult (*)(const char*, void**, int, cuuint64_t)>(
      Export("cuGetProcAddress"));
  void* address = nullptr;
  EXPECT_EQ(first("cuGraphLaunch", &address, 12000, CU_GET_PROC_ADDRESS_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(address, Export("cuGraphLaunch"));
  EXPECT_EQ(first("cuNoSuchCall", &address, 12000, CU_GET_PROC_ADDRESS_DEFAULT),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(ResolverRules, ItAnswersForItself) {
  EXPECT_EQ(Ask("cuGetProcAddress", 12000).address, Export("cuGetProcAddress_v2"));
  EXPECT_EQ(Ask("cuGetProcAddress", 11030).address, Export("cuGetProcAddress"));
}

}  // namespace
}  // namespace rules
