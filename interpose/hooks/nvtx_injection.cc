// NVTX loads the library that NVTX_INJECTION64_PATH names, this one, and calls the function at the
// end at the job's first NVTX call; it fills in which of the job's calls come here. The job gets
// back from NVTX what it gets without a tool, but for handles of domains and texts, which are not
// null.
#include <nvtx3/nvToolsExt.h>

#include <cwchar>
#include <string>

#include "interpose/nvtx/ranges.h"
#include "interpose/nvtx/started.h"
#include "interpose/observer/observer.h"
#include "interpose/points/points.h"
#include "interpose/session/state.h"

namespace {

using graphtap::observer::Observer;

void Edge() noexcept {
  auto* observer = Observer::Active();
  if (observer != nullptr && observer->AnyCaptureOpen()) observer->OnRangeEdge();
}

std::uint64_t Begun(std::string_view text) noexcept {
  auto* observer = Observer::Active();
  return observer == nullptr ? 0 : observer->points().OnRangeBegin(text);
}

void Ended(const std::optional<graphtap::nvtx::Closed>& range) noexcept {
  if (!range || range->tag == 0) return;
  if (auto* observer = Observer::Active()) observer->points().OnRangeEnd(range->text, range->tag);
}

int Opened(const void* domain, std::string_view text) noexcept {
  graphtap::nvtx::Push(domain, text, Begun(text));
  Edge();
  if (auto* observer = Observer::Active()) observer->framework().OnRangeBegin(text);
  return NVTX_NO_PUSH_POP_TRACKING;
}

int Closed(const void* domain) noexcept {
  const auto range = graphtap::nvtx::Pop(domain);
  Edge();
  if (auto* observer = Observer::Active()) observer->framework().OnRangeEnd();
  Ended(range);
  return NVTX_NO_PUSH_POP_TRACKING;
}

void Marked(std::string_view text) noexcept {
  if (auto* observer = Observer::Active()) observer->points().OnMark(text);
}

// The id of a range that is no point is the one that it has without a tool.
nvtxRangeId_t Started(std::string_view text) noexcept {
  const std::uint64_t tag = Begun(text);
  return tag == 0 ? 0 : graphtap::nvtx::Start(text, tag);
}

// A text registered with NVTX: the handle is a pointer to it. Never freed: handles stay valid.
struct Registered {
  std::string text;
};

std::string Narrow(const wchar_t* text) {
  std::string narrow;
  for (; text != nullptr && *text != L'\0'; ++text) {
    narrow += *text < 0x80 ? static_cast<char>(*text) : '?';
  }
  return narrow;
}

std::string Text(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return "";
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return attributes->message.ascii == nullptr ? "" : attributes->message.ascii;
    case NVTX_MESSAGE_TYPE_UNICODE:
      return Narrow(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
      const auto* registered = reinterpret_cast<const Registered*>(attributes->message.registered);
      return registered == nullptr ? "" : registered->text;
    }
    default:
      return "";
  }
}

// What NVTX calls. Nothing is thrown across: a text that cannot be copied is empty.

template <typename Make>
std::string Caught(Make make) noexcept {
  try {
    return make();
  } catch (...) {
    return "";
  }
}

int PushA(const char* text) { return Opened(nullptr, text == nullptr ? "" : text); }
int PushW(const wchar_t* text) {
  return Opened(nullptr, Caught([&] { return Narrow(text); }));
}
int PushEx(const nvtxEventAttributes_t* attributes) {
  return Opened(nullptr, Caught([&] { return Text(attributes); }));
}
int Pop() { return Closed(nullptr); }
int DomainPushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return Opened(domain, Caught([&] { return Text(attributes); }));
}
int DomainPop(nvtxDomainHandle_t domain) { return Closed(domain); }

void MarkA(const char* text) { Marked(text == nullptr ? "" : text); }
void MarkW(const wchar_t* text) {
  Marked(Caught([&] { return Narrow(text); }));
}
void MarkEx(const nvtxEventAttributes_t* attributes) {
  Marked(Caught([&] { return Text(attributes); }));
}
void DomainMarkEx(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  MarkEx(attributes);
}
nvtxRangeId_t StartA(const char* text) { return Started(text == nullptr ? "" : text); }
nvtxRangeId_t StartW(const wchar_t* text) {
  return Started(Caught([&] { return Narrow(text); }));
}
nvtxRangeId_t StartEx(const nvtxEventAttributes_t* attributes) {
  return Started(Caught([&] { return Text(attributes); }));
}
nvtxRangeId_t DomainStartEx(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  return StartEx(attributes);
}
void End(nvtxRangeId_t id) { Ended(graphtap::nvtx::End(id)); }
void DomainEnd(nvtxDomainHandle_t, nvtxRangeId_t id) { End(id); }

// Domains are told apart by their handles alone. Never freed: a range of one may still close.
nvtxDomainHandle_t NewDomain() {
  return reinterpret_cast<nvtxDomainHandle_t>(new (std::nothrow) char);
}
nvtxDomainHandle_t DomainCreateA(const char*) { return NewDomain(); }
nvtxDomainHandle_t DomainCreateW(const wchar_t*) { return NewDomain(); }

nvtxStringHandle_t RegisterA(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(new (std::nothrow) Registered{
      Caught([&] { return std::string(text == nullptr ? "" : text); })});
}
nvtxStringHandle_t RegisterW(nvtxDomainHandle_t, const wchar_t* text) {
  return reinterpret_cast<nvtxStringHandle_t>(new (std::nothrow)
                                                  Registered{Caught([&] { return Narrow(text); })});
}

class Module {
 public:
  Module(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &table_, &size_) == 0) size_ = 0;
  }

  template <typename Function>
  void Set(unsigned id, Function function) {
    if (id < size_) *table_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }

 private:
  NvtxFunctionTable table_ = nullptr;
  unsigned size_ = 0;
};

void SetTexts(Module& core, Module& core2) {
  core.Set(NVTX_CBID_CORE_MarkA, MarkA);
  core.Set(NVTX_CBID_CORE_MarkW, MarkW);
  core.Set(NVTX_CBID_CORE_MarkEx, MarkEx);
  core.Set(NVTX_CBID_CORE_RangeStartA, StartA);
  core.Set(NVTX_CBID_CORE_RangeStartW, StartW);
  core.Set(NVTX_CBID_CORE_RangeStartEx, StartEx);
  core.Set(NVTX_CBID_CORE_RangeEnd, End);
  core2.Set(NVTX_CBID_CORE2_DomainMarkEx, DomainMarkEx);
  core2.Set(NVTX_CBID_CORE2_DomainRangeStartEx, DomainStartEx);
  core2.Set(NVTX_CBID_CORE2_DomainRangeEnd, DomainEnd);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || !graphtap::session::Enabled()) return 0;
  Module core(*callbacks, NVTX_CB_MODULE_CORE);
  core.Set(NVTX_CBID_CORE_RangePushA, PushA);
  core.Set(NVTX_CBID_CORE_RangePushW, PushW);
  core.Set(NVTX_CBID_CORE_RangePushEx, PushEx);
  core.Set(NVTX_CBID_CORE_RangePop, Pop);
  Module core2(*callbacks, NVTX_CB_MODULE_CORE2);
  core2.Set(NVTX_CBID_CORE2_DomainRangePushEx, DomainPushEx);
  core2.Set(NVTX_CBID_CORE2_DomainRangePop, DomainPop);
  core2.Set(NVTX_CBID_CORE2_DomainCreateA, DomainCreateA);
  core2.Set(NVTX_CBID_CORE2_DomainCreateW, DomainCreateW);
  core2.Set(NVTX_CBID_CORE2_DomainRegisterStringA, RegisterA);
  core2.Set(NVTX_CBID_CORE2_DomainRegisterStringW, RegisterW);
  // Else marks and started ranges cost the job what they cost without a tool.
  if (graphtap::points::Points::WantTexts()) SetTexts(core, core2);
  return 1;
}
