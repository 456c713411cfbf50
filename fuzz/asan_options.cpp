// Of the address sanitizer, for all fuzzers. A small quarantine stays in the cache. An allocation that cannot
// be had is std::bad_alloc, as in the program itself; libFuzzer's limits on memory hold all the same. Where
// memory came from is not kept; ASAN_OPTIONS=malloc_context_size=30 and the one input show it.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=8:malloc_context_size=1:allocator_may_return_null=1:detect_odr_violation=0";
}
