// Run messages: the messages of a run file (proto/trace.proto) that a reference is made of, read
// with protozero by the numbers that the encoder writes. Owner: the call that reads. Threads: no
// shared state. Failure: a message that is none of these, or is malformed, is passed over.
// Units: bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace graphtap::values {

struct RunMessages {
  struct Run {
    std::optional<std::uint32_t> rank{};
    std::string_view program;
    std::uint32_t pid = 0;
    std::uint64_t start_ns = 0;
  };
  struct Text {
    std::uint32_t id = 0;
    std::string_view text;
  };
  struct Function {
    std::uint32_t id = 0, name = 0;
  };
  struct Node {
    std::uint32_t graph = 0, index = 0, kind = 0;
    std::optional<std::uint32_t> scope{}, function{}, op{};
  };
  struct Op {
    std::uint32_t graph = 0, index = 0, name = 0, invocation = 0;
    std::optional<std::uint32_t> scope{};
    // What its gradients are known by.
    std::optional<std::uint32_t> gradient_name{}, gradient_scope{};
    std::uint32_t gradient_invocation = 0;
  };
  struct Executable {
    std::uint32_t number = 0, key = 0;
  };
  struct Site {
    std::uint32_t id = 0, executable = 0, graph = 0, node = 0, role = 0, parameter = 0, dtype = 0,
                  version = 0;
    std::optional<std::uint32_t> offset{}, op{};
    std::uint64_t bytes = 0;
    bool exact = false, copied = false;
  };
  struct Observation {
    std::uint32_t site = 0;
    std::uint64_t replay = 0;
    std::optional<std::uint64_t> hash{}, payload{};
    std::uint64_t payload_bytes = 0;
  };
  struct Piece {
    std::uint64_t payload = 0, offset = 0;
    std::string_view bytes;  // inside the message
  };

  // One is called for each message, whose texts are valid until it returns. May be empty.
  std::function<void(const Run&)> on_run{};
  std::function<void(const Text&)> on_text{};
  std::function<void(const Function&)> on_function{};
  std::function<void(const Node&)> on_node{};
  std::function<void(const Op&)> on_op{};
  std::function<void(const Executable&)> on_executable{};
  std::function<void(const Site&)> on_site{};
  std::function<void(const Observation&)> on_observation{};
  std::function<void(const Piece&)> on_piece{};

  void Read(std::string_view entry) const;
};

}  // namespace graphtap::values
