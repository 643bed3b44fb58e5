// The self-test of a layout, with objects that are made by hand and functions that tell of them as
// an interpreter would.
#include "interpose/python/self_test.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "interpose/python/frames.h"

namespace graphtap::python {
namespace {

constexpr Layout kLayout = {.minor = 11,
                            .state_frame = 24,
                            .chain_frame = std::nullopt,
                            .frame_code = 8,
                            .frame_previous = 16,
                            .frame_position = 24,
                            .position = Position::kOffset,
                            .frame_owner = std::nullopt,
                            .code_first_line = 16,
                            .code_file = 24,
                            .code_function = 32,
                            .code_lines = 40,
                            .code_instructions = 0,
                            .lines = LineTable::kStarts,
                            .ascii_characters = 40,
                            .other_characters = 56};

struct Object {
  alignas(8) std::array<char, 64> bytes{};

  template <typename Value>
  void Set(std::size_t at, Value value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
  void SetText(const char* text) {
    constexpr std::uint32_t kAsciiOfOneByte = 1u << 2 | 1u << 5 | 1u << 6;
    Set(kTextLength, static_cast<std::int64_t>(std::strlen(text)));
    Set(kTextState, kAsciiOfOneByte);
    std::strcpy(bytes.data() + kLayout.ascii_characters, text);
  }
};

// Two frames of one code object; the outer one is at its second line.
struct World {
  Object state, inner, outer, code, type, file, function, lines;
  int inner_line = 5, outer_line = 6;

  World() {
    state.Set(kLayout.state_frame, &inner);
    inner.Set(kLayout.frame_code, &code);
    inner.Set(kLayout.frame_previous, &outer);
    outer.Set(kLayout.frame_code, &code);
    outer.Set(kLayout.frame_position, std::int32_t{4});
    code.Set(kObjectType, &type);
    code.Set(kLayout.code_first_line, std::int32_t{5});
    code.Set(kLayout.code_file, &file);
    code.Set(kLayout.code_function, &function);
    code.Set(kLayout.code_lines, &lines);
    file.SetText("a.py");
    function.SetText("step");
    lines.Set(kBytesLength, std::int64_t{2});
    std::memcpy(lines.bytes.data() + kBytesData, "\x04\x01", 2);
  }
};
World* the_world = nullptr;

Interpreter Telling(World* world) {
  the_world = world;
  Interpreter interpreter;
  interpreter.state_of_thread = [] { return static_cast<void*>(&the_world->state); };
  interpreter.code_type = &world->type;
  interpreter.current_frame = [] { return static_cast<void*>(&the_world->inner); };
  interpreter.frame_back = [](void* frame) -> void* {
    return frame == &the_world->inner ? &the_world->outer : nullptr;
  };
  interpreter.frame_code = [](void*) { return static_cast<void*>(&the_world->code); };
  interpreter.frame_line = [](void* frame) {
    return frame == &the_world->inner ? the_world->inner_line : the_world->outer_line;
  };
  interpreter.attribute = [](void*, const char* name) -> void* {
    return name == std::string("co_filename") ? &the_world->file : &the_world->function;
  };
  interpreter.utf8 = [](void* text) -> const char* {
    return text == &the_world->file ? "a.py" : "step";
  };
  interpreter.release = [](void*) {};
  interpreter.clear_error = [] {};
  return interpreter;
}

TEST(SelfTestTest, FitsWhereAllIsAsTheInterpreterSays) {
  World world;
  EXPECT_EQ(TestLayout(Telling(&world), kLayout), Verdict::kFits);
}

TEST(SelfTestTest, DiffersWhereOneThingIsSaidOtherwise) {
  World line, name, frames;
  line.outer_line = 7;
  EXPECT_EQ(TestLayout(Telling(&line), kLayout), Verdict::kDiffers);
  name.function.SetText("other");
  EXPECT_EQ(TestLayout(Telling(&name), kLayout), Verdict::kDiffers);
  frames.inner.Set<void*>(kLayout.frame_previous, nullptr);
  EXPECT_EQ(TestLayout(Telling(&frames), kLayout), Verdict::kDiffers);
}

TEST(SelfTestTest, ReadsNoAddressThatIsNone) {
  const auto wild = reinterpret_cast<void*>(0x10);
  World frame, code, text;
  frame.state.Set(kLayout.state_frame, wild);
  EXPECT_EQ(TestLayout(Telling(&frame), kLayout), Verdict::kDiffers);
  code.outer.Set(kLayout.frame_code, wild);
  EXPECT_EQ(TestLayout(Telling(&code), kLayout), Verdict::kDiffers);
  text.code.Set(kLayout.code_lines, wild);
  EXPECT_EQ(TestLayout(Telling(&text), kLayout), Verdict::kDiffers);
}

// As from 3.14 on: frames of C functions between the two and behind them, and pointers to code
// whose lowest bits are set.
struct WorldWithC : World {
  Layout layout = kLayout;
  Object entry, base;

  WorldWithC() {
    layout.frame_owner = 40;
    entry.Set(40, kFirstForeignOwner);
    base.Set(40, std::uint8_t{kFirstForeignOwner + 1});
    inner.Set(kLayout.frame_code, reinterpret_cast<std::uintptr_t>(&code) | kReferenceBits);
    inner.Set(kLayout.frame_previous, &entry);
    entry.Set(kLayout.frame_previous, &outer);
    outer.Set(kLayout.frame_previous, &base);
  }

  std::optional<Walked> WalkInto(std::span<Frame> frames) {
    return Walk(CheckedMemory(), layout, &type, &state, frames);
  }
};

TEST(SelfTestTest, PassesOverFramesOfC) {
  WorldWithC world;
  EXPECT_EQ(TestLayout(Telling(&world), world.layout), Verdict::kFits);
}

TEST(FramesTest, AreCutWhereOneOfPythonIsLeftOut) {
  WorldWithC world;
  std::array<Frame, 2> frames;
  for (const std::size_t room : {2, 1}) {
    const auto walked = world.WalkInto(std::span(frames).first(room));
    ASSERT_TRUE(walked) << room;
    EXPECT_EQ(walked->count, room);
    EXPECT_EQ(walked->cut, room < 2);
    EXPECT_EQ(frames[room - 1].code, &world.code);
  }
}

TEST(FramesTest, WithoutCodeCannotBeRead) {
  WorldWithC world;
  std::array<Frame, 2> frames;
  world.outer.Set<void*>(kLayout.frame_code, nullptr);
  EXPECT_FALSE(Walk(DirectMemory(), world.layout, &world.type, &world.state, frames));
}

TEST(SelfTestTest, WithoutFramesThereIsNothingToCompare) {
  World world;
  Interpreter interpreter = Telling(&world);
  interpreter.current_frame = []() -> void* { return nullptr; };
  EXPECT_EQ(TestLayout(interpreter, kLayout), Verdict::kNotNow);
}

}  // namespace
}  // namespace graphtap::python
