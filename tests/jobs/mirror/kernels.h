// The kernels of the mirror job, by name. All of them work on 32-bit words in unsigned arithmetic,
// so that a value is exact and tells where it came from. Owner: the program. Threads: any. Failure:
// none. Units: words.
#pragma once

namespace mirror {

inline constexpr unsigned kBlock = 16;  // threads a block; a kernel covers at most its grid

// advance(state, words, step):            state[i] += step + i
// combine(in, out, words, factor, add):   out[i] = in[i] * factor + add + i
// twist(in, out, words, factor, add):     out[i] = (in[i] ^ add) * factor + i * i
// blend(a, b, out, words):                out[i] = a[i] * 31 + b[i] + i
// join(a, b, out, words):                 out[i] = out[i] * 5 + (a[i] * 7 ^ b[i]): all replays
// count
// choose(condition, in, choices):         condition = in[0] % choices
// count_down(condition, left):            condition = --left[0] != 0
enum class Function { kAdvance, kCombine, kTwist, kBlend, kJoin, kChoose, kCountDown };

const char* NameOf(Function function);
// What cudaLaunchKernel and kernel node parameters take.
void* SymbolOf(Function function);

}  // namespace mirror
