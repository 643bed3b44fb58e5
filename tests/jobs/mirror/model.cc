#include "tests/jobs/mirror/model.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace mirror {
namespace {

void RunKernel(const Node& node) {
  if (node.function == Function::kChoose) {
    node.condition->value = node.source->words[0] % node.factor;
    return;
  }
  if (node.function == Function::kCountDown) {
    node.condition->value = --node.target->words[0] != 0 ? 1 : 0;
    return;
  }
  const Words a = node.source != nullptr ? node.source->words : Words{};
  const Words b = node.second != nullptr ? node.second->words : Words{};
  Words& out = node.target->words;
  const unsigned reach = std::min(node.words, node.blocks * kBlock);
  for (unsigned i = 0; i < reach; ++i) {
    switch (node.function) {
      case Function::kAdvance:
        out[i] += node.add + i;
        break;
      case Function::kCombine:
        out[i] = a[i] * node.factor + node.add + i;
        break;
      case Function::kTwist:
        out[i] = (a[i] ^ node.add) * node.factor + i * i;
        break;
      case Function::kBlend:
        out[i] = a[i] * 31 + b[i] + i;
        break;
      default:
        out[i] = out[i] * 5 + ((a[i] * 7) ^ b[i]);
        break;
    }
  }
}

void RunNode(const Node& node) {
  if (!node.enabled) return;
  switch (node.kind) {
    case Kind::kKernel:
      RunKernel(node);
      break;
    case Kind::kFill:
      std::fill_n(node.target->words.begin(), node.words, node.add);
      break;
    case Kind::kCopy:
      std::copy_n(node.source->words.begin(), node.words, node.target->words.begin());
      break;
    case Kind::kHost:
      ++node.counter->expected;
      break;
    case Kind::kRecord:
      node.marker->recorded = true;
      break;
    default:
      break;
  }
}

struct Operand {
  const char* name;
  const Buffer* buffer;
};

std::string NameOf(const Node& node) {
  if (node.kind == Kind::kKernel) return NameOf(node.name);
  return node.kind == Kind::kCopy ? "memcpy" : node.kind == Kind::kFill ? "memset" : "";
}

std::vector<Operand> OperandsOf(const Node& node) {
  if (node.kind == Kind::kCopy) return {{"dst", node.target}, {"src", node.source}};
  if (node.kind == Kind::kFill) return {{"dst", node.target}};
  if (node.kind != Kind::kKernel) return {};
  if (node.function == Function::kChoose) return {{"arg1", node.source}};
  if (node.function == Function::kCountDown) return {{"arg1", node.target}};
  if (node.source == nullptr) return {{"arg0", node.target}};
  if (node.second == nullptr) return {{"arg0", node.source}, {"arg1", node.target}};
  return {{"arg0", node.source}, {"arg1", node.second}, {"arg2", node.target}};
}

// One replay. Of a node that runs several times, the last time counts.
class Simulation {
 public:
  void Run(const Nodes& nodes) {
    for (const Node& node : nodes) {
      RunNode(node);
      auto& seen = seen_[&node];
      seen.clear();
      for (const Operand& operand : OperandsOf(node)) seen.push_back(operand.buffer->words);
      Run(node.inner);
      RunBodies(node);
    }
  }

  // In the order in which the driver lists the nodes, each in front of those inside it.
  void Write(const Nodes& nodes, unsigned executable, unsigned replay, Truth& truth) {
    for (const Node& node : nodes) {
      const std::string name = NameOf(node);
      const unsigned occurrence = occurrences_[name]++;
      const auto operands = OperandsOf(node);
      const auto seen = seen_.find(&node);
      for (std::size_t i = 0; seen != seen_.end() && i < operands.size(); ++i) {
        truth.Write(executable, replay, name, occurrence, operands[i].name, seen->second[i]);
      }
      Write(node.inner, executable, replay, truth);
      for (const Nodes& body : node.bodies) Write(body, executable, replay, truth);
    }
  }

 private:
  void RunBodies(const Node& node) {
    if (node.bodies.empty()) return;
    const unsigned& value = node.condition->value;
    if (node.kind == Kind::kWhile) {
      while (value != 0) Run(node.bodies.front());
      return;
    }
    const std::size_t body = node.kind == Kind::kSwitch ? value : value != 0 ? 0 : 1;
    if (body < node.bodies.size()) Run(node.bodies[body]);
  }

  std::map<const Node*, std::vector<Words>> seen_;  // what each node's operands held behind it
  std::map<std::string, unsigned> occurrences_;
};

void ResetConditions(const Nodes& nodes) {
  for (const Node& node : nodes) {
    if (node.condition != nullptr) node.condition->value = node.condition->first;
    for (const Nodes& body : node.bodies) ResetConditions(body);
  }
}

}  // namespace

Truth::Truth(const char* path) {
  if (path == nullptr) return;
  file_ = std::fopen(path, "w");
  if (file_ != nullptr) return;
  std::fprintf(stderr, "mirror: cannot write %s\n", path);
  std::exit(2);
}

Truth::~Truth() {
  if (file_ == nullptr || std::fclose(file_) == 0) return;
  std::fprintf(stderr, "mirror: the truth file could not be written\n");
  std::_Exit(1);
}

void Truth::Write(unsigned executable, unsigned replay, const std::string& name,
                  unsigned occurrence, const char* operand, const Words& words) {
  if (file_ == nullptr) return;
  std::fprintf(file_,
               "{\"executable\":%u,\"replay\":%u,\"name\":\"%s\",\"occurrence\":%u,"
               "\"operand\":\"%s\",\"words\":[",
               executable, replay, name.c_str(), occurrence, operand);
  for (unsigned i = 0; i < kWords; ++i) {
    std::fprintf(file_, i == 0 ? "%u" : ",%u", words[i]);
  }
  std::fprintf(file_, "]}\n");
}

void Truth::WriteReplays(unsigned executable, unsigned replays) {
  if (file_ == nullptr) return;
  std::fprintf(file_, "{\"executable\":%u,\"replays\":%u}\n", executable, replays);
}

void Simulate(const Nodes& nodes, unsigned executable, unsigned replay, Truth& truth) {
  Simulation simulation;
  ResetConditions(nodes);
  simulation.Run(nodes);
  simulation.Write(nodes, executable, replay, truth);
}

}  // namespace mirror
