// Makes inputs of three targets out of the texts of tests/golden:
//   write_seeds FOLDER TEXT…
// into FOLDER/bytes, FOLDER/entry_text and FOLDER/run. Exit 1: a text or a folder that cannot be
// used.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "analyzer/export/entry_text.h"
#include "analyzer/export/frame_writer.h"
#include "tests/fuzz/delimited.h"

namespace {

namespace fs = std::filesystem;

// First bytes: each report that run_fuzzer.cc makes, most in two forms.
constexpr int kReports[] = {0, 8, 1, 17, 33, 2, 3, 4, 5, 6, 70};

// Longer ones make the fuzzer slow.
constexpr std::size_t kMostEntries = 48;

void Write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void WriteRun(const fs::path& folder, const graphtap::exporting::TextFile& file,
              const std::string& name) {
  std::string messages;
  graphtap::exporting::FrameWriter writer(graphtap::exporting::Compression::kZstd);
  std::size_t entries = 0;
  for (const auto& entry : file.entries) {
    if (++entries > kMostEntries) break;
    graphtap::fuzz::AppendDelimited(entry.SerializeAsString(), &messages);
    writer.Append(entry);
  }
  Write(folder / "bytes" / name, writer.Take());
  constexpr char kMostMemory = '\xff';
  Write(folder / "reference" / name, kMostMemory + messages);
  for (const int report : kReports) {
    std::string input = static_cast<char>(report) + messages;
    if (report % 8 >= 6) input += '\0' + messages;  // compared with itself
    Write(folder / "run" / (name + "." + std::to_string(report)), input);
  }
}

bool WriteSeeds(const fs::path& folder, const char* text_path, const std::string& name) {
  std::ifstream stream(text_path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto files = graphtap::exporting::ParseEntryText(text);
  if (!files.ok()) {
    std::fprintf(stderr, "%s:%s\n", text_path, std::string(files.status().message()).c_str());
    return false;
  }
  constexpr std::size_t kMostText = 4096;
  Write(folder / "entry_text" / name, text.substr(0, kMostText));
  int number = 0;
  for (const auto& file : *files) {
    WriteRun(folder, file, name + "." + std::to_string(number++));
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "write_seeds FOLDER TEXT...\n"), 1;
  const fs::path folder = argv[1];
  for (const char* target : {"bytes", "entry_text", "reference", "run"}) {
    fs::remove_all(folder / target);
    if (!fs::create_directories(folder / target)) return 1;
  }
  for (int i = 2; i < argc; ++i) {
    if (!WriteSeeds(folder, argv[i], "seed" + std::to_string(i))) return 1;
  }
}
