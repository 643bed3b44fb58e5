#include "analyzer/tensors/align.h"

#include <algorithm>
#include <cstdlib>

namespace graphtap::tensors {
namespace {

using Sequence = std::span<const std::uint32_t>;

// A run of equal elements in the middle of a shortest edit path: from (x, y) to (u, v).
struct Snake {
  long x = 0, y = 0, u = 0, v = 0;
};

// The furthest x of each diagonal k = x - y, from one end of the sequences.
class Frontier {
 public:
  explicit Frontier(long reach) : reach_(reach), x_(static_cast<std::size_t>(2 * reach + 1)) {}
  long& operator[](long k) { return x_[static_cast<std::size_t>(k + reach_)]; }

 private:
  long reach_;
  std::vector<long> x_;
};

// Advances one frontier by one edit on each diagonal; `found` is called with (k, snake in the
// direction of the search) and says whether the paths meet.
template <typename Equal, typename Found>
bool Advance(long n, long m, long edits, Frontier* frontier, const Equal& equal,
             const Found& found) {
  for (long k = -(edits - 2 * std::max(0L, edits - m)); k <= edits - 2 * std::max(0L, edits - n);
       k += 2) {
    const bool down = k == -edits || (k != edits && (*frontier)[k - 1] < (*frontier)[k + 1]);
    long x = down ? (*frontier)[k + 1] : (*frontier)[k - 1] + 1;
    long y = x - k;
    const Snake start{x, y, 0, 0};
    while (x < n && y < m && equal(x, y)) ++x, ++y;
    (*frontier)[k] = x;
    if (found(k, Snake{start.x, start.y, x, y})) return true;
  }
  return false;
}

// Both sequences are not empty, and neither their first nor their last elements are equal.
Snake MiddleSnake(Sequence a, Sequence b) {
  const long n = static_cast<long>(a.size()), m = static_cast<long>(b.size());
  const long delta = n - m, reach = (n + m + 1) / 2 + 1;
  const bool odd = delta % 2 != 0;
  Frontier forward(reach), backward(reach);
  Snake middle;
  for (long edits = 0;; ++edits) {
    const auto meets = [&](long k, long x, Frontier& other, long other_edits) {
      return std::abs(delta - k) <= other_edits && x + other[delta - k] >= n;
    };
    const bool from_start = Advance(
        n, m, edits, &forward,
        [&](long x, long y) {
          return a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)];
        },
        [&](long k, const Snake& snake) {
          middle = snake;
          return odd && meets(k, snake.u, backward, edits - 1);
        });
    if (from_start) return middle;
    const bool from_end = Advance(
        n, m, edits, &backward,
        [&](long x, long y) {
          return a[static_cast<std::size_t>(n - 1 - x)] == b[static_cast<std::size_t>(m - 1 - y)];
        },
        [&](long k, const Snake& snake) {
          middle = {n - snake.u, m - snake.v, n - snake.x, m - snake.y};
          return !odd && meets(k, snake.u, forward, edits);
        });
    if (from_end) return middle;
  }
}

void AlignFrom(Sequence a, Sequence b, std::uint32_t a_at, std::uint32_t b_at,
               std::vector<IndexPair>* pairs) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    pairs->emplace_back(a_at++, b_at++);
    a = a.subspan(1);
    b = b.subspan(1);
  }
  std::size_t tail = 0;
  while (tail < a.size() && tail < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) {
    ++tail;
  }
  const Sequence a_head = a.first(a.size() - tail), b_head = b.first(b.size() - tail);
  if (!a_head.empty() && !b_head.empty()) {
    const Snake snake = MiddleSnake(a_head, b_head);
    const auto x = static_cast<std::uint32_t>(snake.x), y = static_cast<std::uint32_t>(snake.y);
    AlignFrom(a_head.first(x), b_head.first(y), a_at, b_at, pairs);
    AlignFrom(a_head.subspan(x), b_head.subspan(y), a_at + x, b_at + y, pairs);
  }
  for (std::size_t i = 0; i < tail; ++i) {
    pairs->emplace_back(a_at + a_head.size() + i, b_at + b_head.size() + i);
  }
}

}  // namespace

std::vector<IndexPair> Align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::vector<IndexPair> pairs;
  AlignFrom(a, b, 0, 0, &pairs);
  return pairs;
}

}  // namespace graphtap::tensors
