// Relaxed capture: while one lives, driver calls of this thread break nobody's capture, in whatever
// mode the captures are. Around graphtap's own questions to the driver: some may make it load code.
// Owner: a scope. Threads: its own. Failure: a driver without the call, or a thread without a
// context, leaves the mode as it is.
#pragma once

#include "interpose/driver/driver.h"

namespace graphtap::session {

class RelaxedCapture {
 public:
  explicit RelaxedCapture(const driver::Calls& calls) noexcept
      : exchange_(calls.exchange_capture_mode) {
    exchanged_ = exchange_ != nullptr && exchange_(&mode_) == CUDA_SUCCESS;
  }
  ~RelaxedCapture() {
    if (exchanged_) exchange_(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  PFN_cuThreadExchangeStreamCaptureMode_v10010 exchange_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
  bool exchanged_ = false;
};

}  // namespace graphtap::session
