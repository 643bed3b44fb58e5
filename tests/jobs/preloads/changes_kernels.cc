// A preload that looks like a tool made with NVBit.
extern "C" void nvbit_at_init() {}
