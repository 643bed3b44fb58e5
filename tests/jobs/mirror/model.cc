#include "tests/jobs/mirror/model.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace mirror {
namespace {

void RunKernel(const Node& node) {
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
      case Function::kJoin:
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
    case Kind::kWait:
    case Kind::kChild:
      break;
  }
}

class Simulation {
 public:
  Simulation(unsigned executable, unsigned replay, Truth& truth)
      : executable_(executable), replay_(replay), truth_(truth) {}

  void Run(const Nodes& nodes) {
    for (const Node& node : nodes) {
      RunNode(node);
      Observe(node);
      Run(node.inner);
    }
  }

 private:
  void Observe(const Node& node) {
    if (node.kind == Kind::kCopy) {
      Write("memcpy", {{"dst", node.target}, {"src", node.source}});
    } else if (node.kind == Kind::kFill) {
      Write("memset", {{"dst", node.target}});
    } else if (node.kind == Kind::kKernel && node.source == nullptr) {
      Write(NameOf(node.name), {{"arg0", node.target}});
    } else if (node.kind == Kind::kKernel && node.second == nullptr) {
      Write(NameOf(node.name), {{"arg0", node.source}, {"arg1", node.target}});
    } else if (node.kind == Kind::kKernel) {
      Write(NameOf(node.name),
            {{"arg0", node.source}, {"arg1", node.second}, {"arg2", node.target}});
    }
  }

  struct Operand {
    const char* name;
    const Buffer* buffer;
  };

  void Write(const std::string& name, const std::vector<Operand>& operands) {
    const unsigned occurrence = occurrences_[name]++;
    for (const Operand& operand : operands) {
      truth_.Write(executable_, replay_, name, occurrence, operand.name, *operand.buffer);
    }
  }

  unsigned executable_;
  unsigned replay_;
  Truth& truth_;
  std::map<std::string, unsigned> occurrences_;
};

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
                  unsigned occurrence, const char* operand, const Buffer& buffer) {
  if (file_ == nullptr) return;
  std::fprintf(file_,
               "{\"executable\":%u,\"replay\":%u,\"name\":\"%s\",\"occurrence\":%u,"
               "\"operand\":\"%s\",\"words\":[",
               executable, replay, name.c_str(), occurrence, operand);
  for (unsigned i = 0; i < kWords; ++i) {
    std::fprintf(file_, i == 0 ? "%u" : ",%u", buffer.words[i]);
  }
  std::fprintf(file_, "]}\n");
}

void Truth::WriteReplays(unsigned executable, unsigned replays) {
  if (file_ == nullptr) return;
  std::fprintf(file_, "{\"executable\":%u,\"replays\":%u}\n", executable, replays);
}

void Simulate(const Nodes& nodes, unsigned executable, unsigned replay, Truth& truth) {
  Simulation(executable, replay, truth).Run(nodes);
}

}  // namespace mirror
