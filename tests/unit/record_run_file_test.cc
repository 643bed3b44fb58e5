// Run file: who may read it, and what it does to the job's own descriptors: nothing.
#include "interpose/record/run_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/unit/temporary_folder.h"

namespace graphtap::record {
namespace {

mode_t Mode(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

int NextDescriptor() {
  const int next = open("/dev/null", O_RDONLY);
  close(next);
  return next;
}

// The descriptor by which this process has a file open; -1: none.
int DescriptorOf(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry.path(), ignored) == path) {
      return std::stoi(entry.path().filename());
    }
  }
  return -1;
}

class RunFileTest : public testing::Test {
 protected:
  std::unique_ptr<RunFile> Create() { return RunFile::Create(folder_, "a.gtap", &error_); }

  TemporaryFolder root_;
  const std::string folder_ = root_.path() + "/run";
  const std::string path_ = folder_ + "/a.gtap";
  std::string error_;
};

TEST_F(RunFileTest, IsPrivate) {
  ASSERT_NE(Create(), nullptr) << error_;
  EXPECT_EQ(Mode(folder_), 0700u);
  EXPECT_EQ(Mode(path_), 0600u);
}

TEST_F(RunFileTest, NeverOpensAFileThatExists) {
  ASSERT_NE(Create(), nullptr) << error_;
  EXPECT_EQ(Create(), nullptr);
  EXPECT_EQ(error_, path_ + ": File exists");
}

TEST_F(RunFileTest, SaysWhichFolderCannotBeMade) {
  EXPECT_EQ(RunFile::Create(folder_ + "/no/such", "a.gtap", &error_), nullptr);
  EXPECT_EQ(error_, folder_ + "/no/such: No such file or directory");
}

TEST_F(RunFileTest, SaysThatTheFolderIsAFile) {
  std::ofstream(folder_) << "x";
  EXPECT_EQ(Create(), nullptr);
  EXPECT_EQ(error_, path_ + ": Not a directory");
}

TEST_F(RunFileTest, LeavesTheJobItsDescriptorNumbers) {
  const int before = NextDescriptor();
  const auto file = Create();
  EXPECT_EQ(NextDescriptor(), before);
  EXPECT_EQ(fcntl(DescriptorOf(path_), F_GETFD), FD_CLOEXEC);
}

TEST_F(RunFileTest, NeverTouchesADescriptorThatTheJobTookOver) {
  auto file = Create();
  const int ours = DescriptorOf(path_);
  const int jobs = open((root_.path() + "/job").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(dup2(jobs, ours), ours);
  const std::byte byte{1};
  EXPECT_EQ(file->Append({&byte, 1}), EBADF);
  EXPECT_EQ(std::filesystem::file_size(root_.path() + "/job"), 0u);
  file.reset();
  EXPECT_EQ(fcntl(ours, F_GETFD), 0);  // still open
  close(ours);
  close(jobs);
}

TEST_F(RunFileTest, SaysThatItWasDeleted) {
  const auto file = Create();
  std::filesystem::remove(path_);
  const std::byte byte{1};
  EXPECT_EQ(file->Append({&byte, 1}), ENOENT);
}

TEST_F(RunFileTest, GoesOnInARenamedFolder) {
  const auto file = Create();
  std::filesystem::rename(folder_, root_.path() + "/other");
  const std::byte byte{1};
  EXPECT_EQ(file->Append({&byte, 1}), 0);
  EXPECT_EQ(std::filesystem::file_size(root_.path() + "/other/a.gtap"), 1u);
}

}  // namespace
}  // namespace graphtap::record
