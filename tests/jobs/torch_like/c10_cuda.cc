// The stand-in's libc10_cuda.so, which only has to be there.
extern "C" int torch_like_has_cuda() { return 1; }
