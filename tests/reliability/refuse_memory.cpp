// Preloaded into the process of a test: the k-th request for memory after arm() fails.
//
// It counts requests of C++ containers and of NumPy's arrays, whose allocator is then `array_*` below.
// Requests of NumPy's iterators succeed, because NumPy would end the process otherwise.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <link.h>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

static long left = -1;  // requests before the one that fails; below 0: none fails
static uintptr_t cpp_begin = 0, cpp_end = 0;  // address range of libstdc++, which contains operator new

static bool refused() {
  if (__atomic_load_n(&left, __ATOMIC_RELAXED) < 0) return false;
  if (__atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED) != 0) return false;
  errno = ENOMEM;
  return true;
}
static bool refused_to(void* caller) {
  return (uintptr_t)caller >= cpp_begin && (uintptr_t)caller < cpp_end && refused();
}

static int find_cpp(struct dl_phdr_info* info, size_t, void*) {
  if (!strstr(info->dlpi_name, "libstdc++")) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (!cpp_end || begin < cpp_begin) cpp_begin = begin;
    if (end > cpp_end) cpp_end = end;
  }
  return 1;
}

// Let the next `k` requests succeed, and the one after them fail.
void arm(long k) {
  if (!cpp_end) dl_iterate_phdr(find_cpp, nullptr);
  __atomic_store_n(&left, k, __ATOMIC_RELAXED);
}

// Return whether a request failed after arm(), and let all further requests succeed.
int disarm() { return __atomic_exchange_n(&left, -1, __ATOMIC_RELAXED) < 0; }

#define REFUSED refused_to(__builtin_return_address(0))
void* malloc(size_t n_bytes) { return REFUSED ? nullptr : __libc_malloc(n_bytes); }
void* calloc(size_t n, size_t size) { return REFUSED ? nullptr : __libc_calloc(n, size); }
void* realloc(void* old, size_t n_bytes) { return REFUSED ? nullptr : __libc_realloc(old, n_bytes); }

enum { LEAST = 256 };  // minimum bytes of an array that fails, because NumPy's minimum crashes for smaller ones
void* array_malloc(void*, size_t n_bytes) {
  return n_bytes >= LEAST && refused() ? nullptr : __libc_malloc(n_bytes);
}
void* array_calloc(void*, size_t n, size_t size) {
  return n * size >= LEAST && refused() ? nullptr : __libc_calloc(n, size);
}
void* array_realloc(void*, void* old, size_t n_bytes) {
  return n_bytes >= LEAST && refused() ? nullptr : __libc_realloc(old, n_bytes);
}
void array_free(void*, void* place, size_t) { free(place); }
}
