// A program whose library used CUDA before main(). Exit 0 if that succeeded.
extern "C" int early_result();

int main() { return early_result(); }
