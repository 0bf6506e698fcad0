// A malloc that ends large blocks at an inaccessible page, so that a read or write beyond the end crashes. Loaded with LD_PRELOAD.
//
// Blocks of 32 bytes to 1 MiB are guarded while at most `most` of them live (the kernel limits the number of mappings); the others
// come from glibc. Blocks are aligned to 16 bytes, so an overrun within the last 15 bytes of a block whose size is no multiple of 16 is
// not noticed.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

enum { page = 4096, smallest = 32, largest = 1 << 20, most = 20000 };

// All guarded blocks lie in one reserved range, each in a slot of its own: membership is an address comparison.
enum { slot = largest + 2 * page };
static const size_t reserved = (size_t)slot * most;
static _Atomic uintptr_t base;
static _Atomic uint32_t stack[most];
static size_t lengths[most];
static atomic_flag lock = ATOMIC_FLAG_INIT;
static uint32_t used, free_count;

static void take_lock(void) { while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {} }
static void release_lock(void) { atomic_flag_clear_explicit(&lock, memory_order_release); }

static int find(const void *block) {
  uintptr_t start = base;
  uintptr_t address = (uintptr_t)block;
  return start != 0 && address >= start && address < start + reserved ? (int)((address - start) / slot) : -1;
}

static void *guarded(size_t size) {
  take_lock();
  if (base == 0) {
    void *range = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) base = (uintptr_t)range;
  }
  int index = -1;
  if (base != 0) index = free_count > 0 ? (int)stack[--free_count] : used < most ? (int)used++ : -1;
  if (index >= 0) lengths[index] = size;
  release_lock();
  if (index < 0) return NULL;
  size_t rounded = (size + 15) & ~(size_t)15;
  size_t usable = (rounded + page - 1) / page * page;
  char *start = (char *)base + (size_t)index * slot;
  if (mprotect(start, usable, PROT_READ | PROT_WRITE) != 0) return NULL;
  return start + usable - rounded;
}

static void release(int index) {
  char *start = (char *)base + (size_t)index * slot;
  size_t usable = (lengths[index] + 15 + page - 1) / page * page;
  // Mapping the range again returns the memory to the system and makes later uses crash.
  mmap(start, usable, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  take_lock();
  stack[free_count++] = (uint32_t)index;
  release_lock();
}

void *malloc(size_t size) {
  void *block = size >= smallest && size <= largest ? guarded(size) : NULL;
  return block ? block : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) { errno = ENOMEM; return NULL; }
  // Fresh pages are zero.
  void *block = bytes >= smallest && bytes <= largest ? guarded(bytes) : NULL;
  return block ? block : __libc_calloc(count, size);
}

void free(void *block) {
  int index = find(block);
  if (index >= 0) release(index); else __libc_free(block);
}

void *realloc(void *block, size_t size) {
  int index = find(block);
  if (index < 0) return __libc_realloc(block, size);
  if (size == 0) { free(block); return NULL; }
  void *moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, block, lengths[index] < size ? lengths[index] : size);
  release(index);
  return moved;
}

// glibc keeps the size of a chunk before it; the lowest three bits are flags.
size_t malloc_usable_size(void *block) {
  int index = find(block);
  if (index >= 0) return lengths[index];
  return block == NULL ? 0 : (((size_t *)block)[-1] & ~(size_t)7) - sizeof(size_t);
}
