// Built process: the tables of one file that is written as text. Owner: the test. Threads: one.
// Failure: a failed expectation. No units.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "analyzer/export/entry_text.h"
#include "analyzer/model/process_builder.h"

namespace graphtap::model {

inline std::unique_ptr<Process> BuildProcess(const std::string& text) {
  const auto files = exporting::ParseEntryText(text);
  EXPECT_TRUE(files.ok()) << files.status();
  ProcessBuilder builder;
  if (files.ok() && !files->empty()) {
    for (Entry entry : files->front().entries) builder.Add(std::move(entry));
  }
  return builder.Finish();
}

}  // namespace graphtap::model
