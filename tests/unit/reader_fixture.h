// Reader fixture: small verbs to write a run file in memory, hurt it, and read it back.
// Owner: the test. Threads: one. Failure: a failed expectation.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "analyzer/export/frame_writer.h"
#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/entry_reader.h"

namespace graphtap {

// What was read: the texts of the strings, in order, and what was not.
struct ReadBack {
  std::vector<std::string> texts;
  reader::Damage damage;
  absl::Status status;
};

inline ReadBack ReadAll(const std::string& bytes) {
  const auto source = reader::OpenBytes(bytes);
  reader::EntryReader entries(*source);
  ReadBack read;
  Entry entry;
  while (true) {
    const auto more = entries.Next(&entry);
    read.status = more.status();
    if (!more.ok() || !*more) break;
    read.texts.push_back(entry.string().text());
  }
  read.damage = entries.damage();
  return read;
}

struct SampleFrame {
  std::size_t begin = 0, end = 0;  // in the file
  std::vector<std::string> texts;
};

// A file of four frames of strings, raw and compressed in turn.
class SampleFile {
 public:
  SampleFile() {
    for (unsigned frame = 0; frame < 4; ++frame) AddFrame(frame);
  }

  const std::string& bytes() const { return bytes_; }
  const std::vector<SampleFrame>& frames() const { return frames_; }

  // The texts of all frames but those from `first` up to, not including, `last`.
  std::vector<std::string> TextsWithout(std::size_t first, std::size_t last) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (i >= first && i < last) continue;
      texts.insert(texts.end(), frames_[i].texts.begin(), frames_[i].texts.end());
    }
    return texts;
  }

  // The frame that a byte is in.
  std::size_t FrameAt(std::size_t at) const {
    std::size_t frame = 0;
    while (at >= frames_[frame].end) ++frame;
    return frame;
  }

 private:
  void AddFrame(unsigned number) {
    SampleFrame frame;
    frame.begin = bytes_.size();
    for (unsigned i = 0; i <= number; ++i) {
      Entry entry;
      entry.mutable_string()->set_id(i);
      entry.mutable_string()->set_text(absl::StrFormat("text %u of frame %u", i, number));
      frame.texts.push_back(entry.string().text());
      writer_.Append(entry);
    }
    writer_.SetCompression(number % 2 == 0 ? exporting::Compression::kRaw
                                           : exporting::Compression::kZstd);
    bytes_ += writer_.Take();
    frame.end = bytes_.size();
    frames_.push_back(frame);
  }

  exporting::FrameWriter writer_{exporting::Compression::kRaw};
  std::string bytes_;
  std::vector<SampleFrame> frames_;
};

}  // namespace graphtap
