// A program without CUDA: nothing of graphtap may be seen in it.
#include <cstdio>

int main() {
  std::printf("plain ok\n");
  return 0;
}
